"use strict";

/** The switches of themes, and what explains the values of a chosen one. */
const Themes = {
  chosen: undefined,

  show(data) {
    const node = byId("themes");
    if (!data.switches.length) {
      node.replaceChildren(element("p", { class: "callout calm" }, "No theme has been switched yet."));
      return;
    }
    const newest = data.switches.length - 1;
    const at = Themes.chosen === undefined ? newest : Math.min(Themes.chosen, newest);
    const change = data.switches[at];
    const list = data.switches.map((each, index) => element("li", {}, element("button", {
      class: "switch", "aria-pressed": String(index === at),
      onclick: () => {
        Themes.chosen = index === newest ? undefined : index;
        Themes.show(data);
      },
    }, element("time", {}, Format.time(each.time)),
      element("span", {}, `${each.old} → `, element("b", {}, each.new)),
      element("span", { class: "soft" }, Format.plural(each.keyCount, "key"))))).reverse();
    node.replaceChildren(
      element("p", { class: "callout calm" }, element("b", {}, Format.plural(data.count, "switch").replace("switchs", "switches")),
        `, the last one to ${data.switches[newest].new}.`),
      element("div", { class: "split" },
        element("section", { class: "panel" }, element("h2", {}, "History"), element("ol", {}, ...list)),
        element("section", { class: "panel" },
          element("h2", {}, `${change.old} → ${change.new}: what changed, and why`),
          element("table", {},
            element("thead", {}, Tables.row("th", ["Key", "Before", "After"])),
            element("tbody", {}, ...change.keys.map((key) => Tables.row("td", [
              element("b", {}, key.name), Themes.value(key.old), Themes.value(key.new),
            ])))))));
  },

  /** The last step of an explanation has the value; the steps before it are aliases. */
  value(steps) {
    const last = steps[steps.length - 1];
    const equals = last.indexOf(" = ");
    const text = equals < 0 ? last : last.slice(equals + 3);
    const color = /^#[0-9a-f]{6}([0-9a-f]{2})?/i.exec(text);
    return element("div", {},
      element("div", {}, color && element("i", { class: "swatch", color: color[0] }), text),
      steps.length > 1 && element("div", { class: "steps" }, steps.slice(0, -1).join(", then ")));
  },
};
