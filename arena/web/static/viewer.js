// The viewer: steps through a replay, tells every action, draws points and clock use. A game's own script draws the
// state; without one its text is shown. What scripts of games may use is `arena`, described in docs/web.md.
"use strict";
const arena = (() => {
  const drawings = {};
  const make = (node, attributes, parent) => {
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (parent) parent.append(node);
    return node;
  };
  return {
    drawings,
    drawing(game, draw) { drawings[game] = draw; },
    svg: (tag, attributes = {}, parent = null) => make(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, parent),
    html: (tag, attributes = {}, parent = null) => make(document.createElement(tag), attributes, parent),
  };
})();

// Scenes come as changes; this gives whole ones.
arena.Frames = class {
  constructor(scenes, texts) { this.scenes = []; this.texts = []; this.grow(scenes, texts); }
  grow(scenes, texts) {
    for (const change of scenes ?? []) this.scenes.push({ ...this.scenes.at(-1), ...change });
    for (const text of texts ?? []) this.texts.push(text ?? this.texts.at(-1));
  }
  get count() { return Math.max(this.scenes.length, this.texts.length); }
};

arena.drawState = (place, game, frames, index, table) => {
  const draw = arena.drawings[game];
  if (draw && frames.scenes.length) { draw(place, frames.scenes[index], table); return; }
  const pre = arena.html("pre", { class: "text-board", tabindex: 0, "aria-label": "The state as text" });
  pre.textContent = frames.texts[index] ?? "";
  place.replaceChildren(pre);
};

arena.Replay = class {
  constructor(data, root) {
    this.data = data; this.root = root; this.frames = new arena.Frames(data.scenes, data.texts);
    this.last = data.steps.length; this.index = -1; this.playing = 0;
    this.turns = data.steps.flatMap((step, i) => (step.turn ? [i] : [])).concat(this.last);
    this.rounds = data.steps.flatMap((step, i) => (step.round ? [i] : [])).concat(this.last);
    if (this.rounds.length < 3) { const first = data.steps[0]?.seat; this.rounds = this.turns.filter((i) => i === this.last || data.steps[i].seat === first); }
    this.build(); this.bind();
    this.show(this.wanted() ?? 0);
  }
  wanted() { const found = /^#step=(\d{1,7})$/.exec(location.hash); return found ? Number(found[1]) : null; }

  build() {
    const { html } = arena, part = (cls, tag = "div", more = {}) => html(tag, { class: cls, ...more }, this.root);
    this.saying = part("saying", "p", { "aria-live": "polite", id: "saying" });
    const bar = part("player-controls", "div", { role: "group", "aria-label": "Step through the match" });
    const button = (id, label, hint, act) => { const b = html("button", { type: "button", id, "aria-label": hint, title: hint }, bar); b.textContent = label; b.addEventListener("click", act); return b; };
    button("first", "|‹‹", "To the start (Home)", () => this.show(0));
    button("round-back", "‹‹‹", "Back one round (Page Up)", () => this.show(this.before(this.rounds)));
    button("turn-back", "‹‹", "Back one turn (Shift ←)", () => this.show(this.before(this.turns)));
    button("back", "‹", "Back one action (←)", () => this.show(this.index - 1));
    this.playButton = button("play-pause", "▶", "Play or pause (Space)", () => this.toggle());
    button("next", "›", "One action on (→)", () => this.show(this.index + 1));
    button("turn-next", "››", "One turn on (Shift →)", () => this.show(this.after(this.turns)));
    button("round-next", "›››", "One round on (Page Down)", () => this.show(this.after(this.rounds)));
    button("last", "››|", "To the end (End)", () => this.show(this.last));
    this.counter = html("output", { id: "counter" }, bar);
    const track = part("track");
    this.marks = arena.svg("svg", { class: "marks", viewBox: "0 0 1000 14", preserveAspectRatio: "none", "aria-hidden": "true" }, track);
    this.slider = html("input", { type: "range", min: 0, max: this.last, step: 1, id: "timeline", "aria-label": "Moment of the match, in actions" }, track);
    this.drawMarks();
    this.board = part("stage", "div", { id: "stage" });
    const lower = part("lower");
    this.log = html("ol", { class: "log", id: "log", tabindex: 0, "aria-label": "All actions" }, html("section", { class: "card" }, lower));
    this.log.before(Object.assign(html("h2"), { textContent: "Actions" }));
    this.items = this.data.steps.map((step, i) => this.logItem(step, i));
    this.chart = html("section", { class: "card" }, lower); this.chart.append(Object.assign(html("h2"), { textContent: "Points by category" }));
    this.clock = html("section", { class: "card" }, lower); this.clock.append(Object.assign(html("h2"), { textContent: "Clock use" }));
    this.drawPoints(); this.drawClock();
  }

  name(seat) { return this.data.names[seat]; }
  logItem(step, i) {
    const { html } = arena, item = html("li", { class: step.turn ? "turn" : "" }, this.log);
    const link = html("a", { href: `#step=${i + 1}` }, item);
    if (step.turn) { const who = html("b", {}, link); html("span", { class: `dot seat${step.seat % 6}` }, who); who.append(this.name(step.seat)); }
    link.append(` ${step.say}`);
    if (step.source && step.source !== "bot") html("i", {}, link).textContent = ` (${step.source})`;
    for (const fault of this.data.faults.filter((one) => one.at === i)) html("p", { class: "bad" }, item).textContent = `${this.name(fault.seat)}: ${fault.verdict}: ${fault.reason}`;
    for (const note of this.data.notes.filter((one) => one.at === i)) html("p", { class: "note" }, item).textContent = `${this.name(note.seat)} notes: ${note.text}`;
    return item;
  }
  x(i) { return this.last ? (i / this.last) * 1000 : 0; }
  drawMarks() {
    for (const i of this.rounds) arena.svg("rect", { x: this.x(i) - 0.6, width: 1.2, height: 14, class: "roundmark" }, this.marks);
    this.data.steps.forEach((step, i) => { if (/^(compete|special perform|wheel perform)/.test(step.action)) arena.svg("rect", { x: this.x(i + 1) - 1.5, y: 4, width: 3, height: 10, class: `value seat${step.seat % 6}` }, this.marks); });
    for (const fault of this.data.faults) arena.svg("rect", { x: this.x(fault.at) - 2, y: 0, width: 4, height: 14, class: "faultmark" }, this.marks);
  }

  drawPoints() {
    const { svg, html } = arena, { points, categories, names } = this.data, sum = (row) => row.reduce((a, b) => a + b, 0);
    const top = Math.max(1, ...points.flatMap(([, seats]) => seats.map(sum)));
    const several = categories.length > 1;
    const key = html("p", { class: "key" }, this.chart);
    if (several) categories.forEach((name, c) => { const one = html("span", {}, key); html("span", { class: `dot cat${c % 6}` }, one); one.append(name.replaceAll("_", " ")); });
    this.cursors = [];
    names.forEach((name, seat) => {
      const head = html("p", { class: "chart-head" }, this.chart); html("span", { class: `dot seat${seat % 6}` }, head); head.append(name); const value = html("b", {}, head);
      const root = svg("svg", { class: "chart", viewBox: "0 0 1000 90", preserveAspectRatio: "none", role: "img", "aria-label": `${name}: ${sum(points.at(-1)[1][seat])} points at the end` }, this.chart);
      const floor = points.map(() => 0);
      for (let c = 0; c < categories.length; c += 1) {
        let over = "", under = "";
        points.forEach(([from, seats], i) => {
          const until = points[i + 1]?.[0] ?? this.last, low = floor[i], high = low + Math.max(0, seats[seat][c]);
          const y = (value) => (90 - (value / top) * 86).toFixed(1);
          over += `${over ? "L" : "M"}${this.x(from).toFixed(1)} ${y(high)}L${this.x(until).toFixed(1)} ${y(high)}`;
          under = `L${this.x(until).toFixed(1)} ${y(low)}L${this.x(from).toFixed(1)} ${y(low)}${under}`;
          floor[i] = high;
        });
        svg("path", { d: `${over}${under}Z`, class: several ? `cat${c % 6}` : `value seat${seat % 6}` }, root);
      }
      const line = svg("rect", { y: 0, width: 2, height: 90, class: "cursor" }, root);
      this.cursors.push(() => { const now = points.findLast(([from]) => from <= this.index); value.textContent = ` ${sum(now[1][seat])}`; value.title = categories.map((c, i) => `${c.replaceAll("_", " ")} ${now[1][seat][i]}`).join(", "); line.setAttribute("x", this.x(this.index) - 1); });
    });
  }
  drawClock() {
    const { svg, html } = arena, { requests, names, steps } = this.data;
    if (!requests.length) { html("p", {}, this.clock).textContent = "Nobody was timed."; return; }
    const longest = Math.max(1000, ...requests.map(([, wall]) => wall)), at = requests.map(() => 0);
    steps.forEach((step, i) => { if (step.request !== undefined && step.request >= 0) at[step.request] ||= i; });
    names.forEach((name, seat) => {
      const mine = requests.flatMap(([who, wall, cpu], i) => (who === seat ? [[at[i], wall, cpu]] : []));
      const total = mine.reduce((sum, [, wall]) => sum + wall, 0), worst = Math.max(0, ...mine.map(([, wall]) => wall));
      const ms = (us) => (us >= 10000 ? Math.round(us / 1000).toLocaleString("en") : (us / 1000).toFixed(1));
      const head = html("p", { class: "chart-head" }, this.clock); html("span", { class: `dot seat${seat % 6}` }, head); head.append(name);
      html("span", { class: "dim" }, head).textContent = ` ${ms(total)} ms in ${mine.length} requests, longest ${ms(worst)} ms`;
      const root = svg("svg", { class: "chart low", viewBox: "0 0 1000 44", preserveAspectRatio: "none", role: "img", "aria-label": `${name} used ${ms(total)} ms` }, this.clock);
      for (const [i, wall] of mine) { const high = Math.max(1, Math.sqrt(wall / longest) * 42); svg("rect", { x: this.x(i).toFixed(1), y: (44 - high).toFixed(1), width: 3.4, height: high.toFixed(1), class: `value seat${seat % 6}` }, root); }
      const line = svg("rect", { y: 0, width: 2, height: 44, class: "cursor" }, root);
      this.cursors.push(() => line.setAttribute("x", this.x(this.index) - 1));
    });
    html("p", { class: "hint" }, this.clock).textContent = "Each bar is a request; heights grow with the square root of the time.";
  }

  before(stops) { return stops.findLast((i) => i < this.index) ?? 0; }
  after(stops) { return stops.find((i) => i > this.index) ?? this.last; }
  table() {
    const steps = this.data.steps, frames = this.frames;
    return { names: this.data.names, index: this.index, seat: null, legal: [], step: (k) => steps[k], scene: (k) => frames.scenes[k],
      offer() {}, compose() {}, play() {}, judge: async () => "" };
  }
  show(wanted) {
    const index = Math.max(0, Math.min(this.last, wanted));
    if (index === this.index) return;
    this.index = index;
    arena.drawState(this.board, this.data.game, this.frames, index, this.table());
    const step = this.data.steps[index - 1];
    this.saying.replaceChildren();
    if (step) { const who = arena.html("b", {}, this.saying); arena.html("span", { class: `dot seat${step.seat % 6}` }, who); who.append(this.name(step.seat)); this.saying.append(` ${step.say}.`); }
    else this.saying.textContent = "The match begins.";
    if (index === this.last) arena.html("span", { class: "dim" }, this.saying).textContent = `  ${this.ending()}`;
    this.counter.textContent = `${index} of ${this.last}`;
    this.slider.value = index;
    this.slider.setAttribute("aria-valuetext", this.saying.textContent);
    this.items.forEach((item, i) => item.toggleAttribute("aria-current", i === index - 1));
    const current = this.items[index - 1];
    if (current) this.log.scrollTop = current.offsetTop - this.log.clientHeight / 2;
    for (const move of this.cursors) move();
    this.root.dataset.step = index;
    history.replaceState(null, "", `#step=${index}`);
    if (index === this.last) this.pause();
  }
  ending() {
    const { places, scores, names, termination } = this.data;
    if (!places.length) return `${termination}: no result.`;
    const first = names.filter((_, seat) => places[seat] === 1).join(" and ");
    return `${first} ${termination === "forfeit" ? "is left" : "comes first"} with ${scores[places.indexOf(1)]}.`;
  }
  toggle() { if (this.playing) this.pause(); else { if (this.index === this.last) this.show(0); this.playButton.textContent = "❚❚"; this.playing = setInterval(() => this.show(this.index + 1), 900); } }
  pause() { clearInterval(this.playing); this.playing = 0; this.playButton.textContent = "▶"; }

  bind() {
    this.slider.addEventListener("input", () => this.show(Number(this.slider.value)));
    addEventListener("hashchange", () => { const wanted = this.wanted(); if (wanted !== null) this.show(wanted); });
    let width = innerWidth;
    addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; const at = this.index; this.index = -1; this.show(at); } });
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const target = event.target, typing = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && target !== this.slider;
      if (typing || (event.key === " " && /^(BUTTON|A|SUMMARY)$/.test(target.tagName))) return;
      const moves = { ArrowLeft: () => (event.shiftKey ? this.before(this.turns) : this.index - 1), ArrowRight: () => (event.shiftKey ? this.after(this.turns) : this.index + 1),
        PageUp: () => this.before(this.rounds), PageDown: () => this.after(this.rounds), Home: () => 0, End: () => this.last };
      if (event.key === " ") this.toggle();
      else if (moves[event.key]) { this.pause(); this.show(moves[event.key]()); }
      else return;
      event.preventDefault();
    });
  }
};

document.addEventListener("DOMContentLoaded", () => {
  const data = document.getElementById("replay"), root = document.getElementById("viewer");
  if (data && root) arena.shown = new arena.Replay(JSON.parse(data.textContent), root);
});
