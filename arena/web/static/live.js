// Keeps a page of a running tournament fresh: when the server tells of new matches, the parts marked data-live are
// fetched again and put in place. Nothing is ever sent but requests to read.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const state = document.getElementById("state");
  if (!state || !document.querySelector("[data-live]") || typeof EventSource === "undefined") return;
  let shown = Number(state.dataset.stored), busy = false, wanted = shown;
  async function refresh() {
    if (busy || wanted === shown) return;
    busy = true;
    const target = wanted;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (answer.ok) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        for (const old of document.querySelectorAll("[data-live]")) {
          const fresh = page.querySelector(`[data-live="${old.dataset.live}"]`);
          if (fresh) old.replaceWith(document.adoptNode(fresh));
        }
        const freshState = page.getElementById("state");
        if (freshState) state.innerHTML = freshState.innerHTML;
        shown = target;
      }
    } catch { /* the server is gone; the page stays as it is */ } finally {
      busy = false;
      if (wanted !== shown) setTimeout(refresh, 1000);
    }
  }
  const events = new EventSource("/events");
  events.addEventListener("stored", (event) => { wanted = Number(event.data); document.documentElement.dataset.connected = "yes"; refresh(); });
  events.onerror = () => { document.documentElement.dataset.connected = "no"; };
});
