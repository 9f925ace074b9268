"use strict";

/** The switches of themes, and what explains the values of a chosen one. */
const Themes = {
  /** The number of the chosen switch, counted from the first one ever; without it, the newest is shown. */
  chosen: undefined,
  data: undefined,

  show(data) {
    const node = byId("themes");
    Themes.data = data;
    if (!data.switches.length) {
      return update(node, element("p", { class: "callout calm" }, element("b", {}, "No theme has been switched yet."),
        " A switch appears here with the keys that it changed, and where each value comes from."));
    }
    const newest = data.switches.length - 1;
    const first = data.count - data.switches.length;
    const at = Themes.chosen === undefined ? newest : Math.min(Math.max(Themes.chosen - first, 0), newest);
    const change = data.switches[at];
    const list = data.switches.map((each, index) => element("li", { "data-key": String(first + index) }, element("button", {
      class: "switch", "aria-pressed": String(index === at),
      onclick: () => {
        Themes.chosen = index === newest ? undefined : first + index;
        Themes.show(Themes.data);
      },
    }, element("time", {}, Format.time(each.time)),
      element("span", {}, `${each.old} → `, element("b", {}, each.new)),
      element("span", { class: "soft" }, Format.plural(each.keyCount, "key"))))).reverse();
    update(node,
      element("p", { class: "callout calm" }, element("b", {}, Format.plural(data.count, "switch", "switches")),
        `, the last one to ${data.switches[newest].new}.`),
      element("div", { class: "split" },
        element("div", { class: "panel" }, element("h2", {}, "Switches, the newest first"),
          element("div", { class: "switch heads" }, element("span", {}, "Time"), element("span", {}, "From → to"), element("span", {}, "Changed")),
          element("ol", {}, ...list)),
        element("div", { class: "panel" },
          element("h2", {}, `${change.old} → ${change.new} (${change.appearance}): what changed, and where values come from`),
          change.keys.length < change.keyCount && element("p", { class: "empty" },
            `The first ${Format.count(change.keys.length)} of ${Format.plural(change.keyCount, "key")}.`),
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
      element("div", {}, color && element("i", { class: "swatch", style: `background: ${color[0]}` }), text),
      steps.length > 1 && element("div", { class: "steps" }, steps.slice(0, -1).join(", then ")));
  },
};
