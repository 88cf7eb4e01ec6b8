// A person plays: what is legal is lit on the board or is a button; everything asked of the server is answered there.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const { html } = arena, get = (id) => document.getElementById(id), base = location.pathname.replace(/\/$/, "");
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const frames = new arena.Frames([], []), steps = [];
  let shown = null, index = -1, over = false, busy = false, again = false;

  async function post(verb, body) {
    try {
      const answer = await fetch(`${base}/${verb}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
      return (await answer.json()).problem;
    } catch { return "The match can't be reached; is `arena play` still running?"; }
  }
  async function play(action) {
    const problem = await post("act", { frame: steps.length, action });
    get("problem").textContent = problem;
    if (!problem) refresh();
  }
  function choose(actions, act) {
    if (actions.length === 1) { act(actions[0]); return; }
    const dialog = html("dialog", { "aria-label": "Which one?" }, document.body), row = html("div", { class: "choices" }, dialog);
    for (const action of actions) { const b = html("button", { type: "button" }, row); b.textContent = action; b.addEventListener("click", () => { dialog.close(); act(action); }); }
    const leave = html("button", { type: "button", class: "quiet" }, row); leave.textContent = "None"; leave.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => dialog.remove());
    dialog.showModal();
  }
  function light(node, label, act) {
    node.classList.add("lit");
    if (node.tagName.toLowerCase() !== "button") { node.setAttribute("role", "button"); node.setAttribute("tabindex", "0"); node.setAttribute("aria-label", label); }
    node.addEventListener("click", (event) => { event.stopPropagation(); act(); });
    if (node.tagName.toLowerCase() !== "button") node.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); act(); } });
  }
  const prefixOf = (action) => /^(compete|(?:special|wheel) perform #\d+)(?= )/.exec(action)?.[0] ?? "";
  function tableAt(at, legal, offered) {
    const table = { names: shown.names, index: at, seat: shown.seat, legal, step: (k) => steps[k], scene: (k) => frames.scenes[k], play, judge: (action) => post("judge", { action }), builder: null };
    table.offer = (node, actions, label) => {
      const legalNow = [actions].flat().filter((action) => legal.includes(action));
      if (!legalNow.length) return;
      legalNow.forEach((action) => offered.add(action));
      light(node, label, () => choose(legalNow, play));
    };
    table.compose = (node, actions, label) => {
      if (!actions.length || !table.builder) { table.offer(node, actions, label); return; }
      actions.forEach((action) => offered.add(action));
      const suggestions = new Map(actions.map((action) => [prefixOf(action), action]));
      light(node, label, () => choose([...suggestions.keys()], (prefix) => {
        const dialog = table.builder(prefix, suggestions.get(prefix).slice(prefix.length + 1));
        document.body.append(dialog); dialog.showModal();
      }));
    };
    return table;
  }
  function button(action, place, strong) { const b = html("button", { type: "button", "data-action": action, class: strong ? "strong" : "" }, place); b.textContent = action; b.addEventListener("click", () => play(action)); }

  function draw(at, legal) {
    index = at;
    const offered = new Set();
    arena.drawState(get("stage"), shown.game, frames, at, tableAt(at, legal, offered));
    get("choices").replaceChildren(); get("all").replaceChildren();
    for (const action of legal) { if (!offered.has(action)) button(action, get("choices"), action === "end" || action === "decline"); button(action, get("all"), false); }
    get("more").hidden = !legal.length;
    const step = steps[at - 1], last = at === frames.count - 1, said = step ? `${shown.names[step.seat]} ${step.say}. ` : "";
    get("saying").textContent = said + (!last ? "" : legal.length ? "It is your turn." : shown.to_act === null ? "" : `${shown.names[shown.to_act]} is to act.`);
    document.documentElement.dataset.frame = at; document.documentElement.dataset.asked = last && legal.length ? "yes" : "no";
  }
  function log(step) {
    const item = html("li", { class: step.turn ? "turn" : "" });
    html("b", {}, item).textContent = step.turn ? shown.names[step.seat] : "";
    item.append(` ${step.say}`);
    get("log").prepend(item);
  }
  async function refresh() {
    if (over) return;
    if (busy) { again = true; return; }
    busy = true;
    try {
      const answer = await fetch(`${base}/state?from=${frames.count}`);
      if (!answer.ok) throw new Error("gone");
      shown = await answer.json();
      frames.grow(shown.scenes, shown.texts);
      for (const step of shown.steps.slice(Math.max(0, steps.length - Math.max(0, shown.first - 1)))) { steps.push(step); log(step); }
      const pause = calm || index < 0 ? 0 : 450;
      for (let at = index + 1; at < frames.count - 1; at += 1) if (pause) { draw(at, []); await new Promise((done) => setTimeout(done, pause)); }
      draw(frames.count - 1, shown.legal);
      if (shown.replay) finish(shown.replay);
    } catch { get("problem").textContent = "The match can't be reached; is `arena play` still running?"; } finally {
      busy = false;
      if (again) { again = false; refresh(); }
    }
  }
  function finish(replay) {
    over = true; events.close();
    get("play").remove(); get("leave").remove();
    history.replaceState(null, "", `#step=${replay.steps.length}`);
    arena.shown = new arena.Replay(replay, get("viewer"));
    document.documentElement.dataset.over = "yes";
  }
  get("typed").addEventListener("submit", (event) => { event.preventDefault(); play(new FormData(event.target).get("action")); });
  get("leave").addEventListener("click", () => { if (confirm("Leave the match? It ends then.")) post("leave", {}); });
  const events = new EventSource(`${base}/events`);
  events.addEventListener("version", refresh);
  refresh();
});
