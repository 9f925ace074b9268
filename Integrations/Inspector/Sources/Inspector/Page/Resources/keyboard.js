"use strict";

/** The page without a mouse. */
class Keyboard {
  constructor(app) {
    this.app = app;
    byId("tabs").addEventListener("keydown", (event) => this.pressTab(event));
    document.addEventListener("keydown", (event) => this.press(event));
  }

  /** The tabs are one stop; the arrow keys choose among them. */
  pressTab(event) {
    const buttons = [...byId("tabs").children];
    const at = buttons.findIndex((button) => button.dataset.tab === this.app.tab);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1 + buttons.length, Home: 0, End: buttons.length - 1 }[event.key];
    if (next === undefined) return;
    const button = buttons[next % buttons.length];
    this.app.select(button.dataset.tab);
    button.focus();
    event.preventDefault();
    event.stopPropagation();
  }

  /** Keys of the timeline; those in a field belong to the field, except Escape. */
  press(event) {
    if (this.app.tab !== "timeline" || event.ctrlKey || event.metaKey || event.altKey) return;
    const { timeline, log } = this.app;
    const filter = byId("filter");
    if (event.target === filter) {
      if (event.key !== "Escape") return;
      event.preventDefault();
      if (!filter.value) return filter.blur();
      filter.value = "";
      return this.app.filter.set("");
    }
    const action = {
      "+": () => timeline.zoom(0.5), "=": () => timeline.zoom(0.5), "-": () => timeline.zoom(2),
      f: () => timeline.showAll(), l: () => this.app.toggleLive(), "/": () => filter.select(),
      ArrowLeft: () => timeline.pan(-0.1), ArrowRight: () => timeline.pan(0.1),
      ArrowUp: () => log.step(-1), ArrowDown: () => log.step(1),
      PageUp: () => log.step(-10), PageDown: () => log.step(10),
      Home: () => log.step(-Infinity), End: () => log.step(Infinity),
      Escape: () => this.app.choose(undefined),
    }[event.key];
    if (!action) return;
    // A text that is scrolled by the keyboard scrolls.
    if (event.target.closest("pre") && event.key !== "Escape") return;
    event.preventDefault();
    const wasInside = byId("detail").contains(document.activeElement);
    action();
    if (event.key === "Escape" && wasInside) log.node.focus();
  }
}
