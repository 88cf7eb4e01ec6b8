// Light, dark, or as the system has it; remembered where the browser allows it.
"use strict";
(() => {
  const root = document.documentElement;
  const store = { get: () => { try { return localStorage.getItem("theme"); } catch { return null; } },
                  set: (value) => { try { localStorage.setItem("theme", value); } catch { /* not remembered */ } } };
  const known = store.get();
  if (known === "light" || known === "dark") root.dataset.theme = known;
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    if (!button) return;
    button.addEventListener("click", () => {
      const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
      store.set(root.dataset.theme);
    });
  });
})();
