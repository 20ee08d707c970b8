// Arrow keys of all lists of tabs (`role="tablist"`) in the page, including the lists that Rust renders: an arrow key focuses and selects
// the adjacent tab, and the last tab is followed by the first tab.

addEventListener("keydown", (event) => {
  const offset = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const tab = event.target.closest?.("[role=tab]");
  const list = tab?.closest("[role=tablist]");
  if (!offset || !list || event.ctrlKey || event.metaKey || event.altKey) return;
  // The keyboard shortcuts of the page ignore a key that has been handled. They would move the run.
  event.preventDefault();
  const tabs = [...list.querySelectorAll("[role=tab]")];
  const next = tabs[(tabs.indexOf(tab) + offset + tabs.length) % tabs.length];
  next.focus();
  next.click();
}, { capture: true });
