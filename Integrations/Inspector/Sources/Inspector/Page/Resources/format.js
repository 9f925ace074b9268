"use strict";

/** Numbers and times as text. */
const Format = {
  /** A duration of nanoseconds with its unit. */
  duration(ns) {
    if (!isFinite(ns)) return "running";
    if (ns <= 0) return "0";
    if (ns < 999.5) return `${Math.round(ns)} ns`;
    if (ns < 999.5e3) return `${Format.digits(ns / 1e3)} µs`;
    if (ns < 999.5e6) return `${Format.digits(ns / 1e6)} ms`;
    if (ns < 99.5e9) return `${Format.digits(ns / 1e9)} s`;
    const seconds = Math.round(ns / 1e9);
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
    const parts = hours ? [`${hours} h`, minutes && `${minutes} min`] : [`${minutes} min`, seconds % 60 && `${seconds % 60} s`];
    return parts.filter((part) => part).join(" ");
  },

  digits(value) {
    return value < 9.95 ? value.toFixed(1) : Math.round(value).toString();
  },

  count(value) {
    return value.toLocaleString("en").replace(/,/g, "\u202f");
  },

  plural(value, noun, nouns = `${noun}s`) {
    return `${Format.count(value)} ${value === 1 ? noun : nouns}`;
  },

  /** A time of the recording as minutes, seconds and milliseconds. */
  time(ns) {
    const ms = Math.floor(Math.max(ns, 0) / 1e6);
    const pad = (value, count) => String(value).padStart(count, "0");
    const seconds = Math.floor(ms / 1000);
    const hours = Math.floor(seconds / 3600);
    const minutes = pad(Math.floor(seconds / 60) % 60, hours ? 2 : 1);
    return `${hours ? hours + ":" : ""}${minutes}:${pad(seconds % 60, 2)}.${pad(ms % 1000, 3)}`;
  },

  /** A time for the scale of an axis with this step. */
  tick(ns, step) {
    const text = Format.time(Math.round(ns));
    return step >= 1e9 ? text.slice(0, -4) : text;
  },

  /** A source site without its module. */
  site(site) {
    return site.slice(site.lastIndexOf("/") + 1);
  },

  /** A source site without its module, as parts: where there is no room, the file is cut off, and the line is not. */
  siteParts(site) {
    const text = Format.site(site);
    const [, file, line] = /^(.+)(:\d+)$/s.exec(text) || [];
    if (!line) return [text];
    // The pixel is for rounding: a file for which there is room is not cut off.
    return [element("span", { class: "file", style: `max-width: calc(100% - ${line.length}ch + 1px)` }, file),
      element("span", { class: "number", style: `width: ${line.length}ch` }, line)];
  },

  /** The room that a source site needs for its line and the beginning of its file. */
  siteRoom(site) {
    const text = Format.site(site);
    return `min-width: ${Math.min(text.length, text.length - text.lastIndexOf(":") + 3)}ch`;
  },

  /** Why a handler was not called. */
  skip(reason) {
    return {
      declined: "condition not met", ownerLost: "owner gone", spent: "wanted one call only", paused: "paused",
      cancelled: "cancelled meanwhile", excluded: "excluded by the poster", tooNew: "registered after the post began",
      dropped: "queue was full", intercepted: "held back by an interceptor",
    }[reason] || reason || "";
  },

  shortened(text, count) {
    const letters = [...text];
    return letters.length > count ? `${letters.slice(0, count - 1).join("")}…` : text;
  },
};

/** Text of 12 pixels, measured to be cut off where its room ends. */
const Text12 = {
  font: '12px system-ui, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif',
  context: document.createElement("canvas").getContext("2d"),
  widths: new Map(),

  width(text) {
    let width = Text12.widths.get(text);
    if (width === undefined) {
      if (Text12.widths.size > 5000) Text12.widths.clear();
      Text12.context.font = Text12.font;
      Text12.widths.set(text, (width = Text12.context.measureText(text).width));
    }
    return width;
  },

  /** The text, or as much of its beginning as has room. */
  fitted(text, room) {
    const full = Text12.width(text);
    if (full <= room) return text;
    const letters = [...text];
    let count = Math.max(1, Math.floor((letters.length * room) / full));
    const cut = () => `${letters.slice(0, count).join("")}…`;
    while (count > 1 && Text12.width(cut()) > room) count -= 1;
    return cut();
  },
};

/** The round step of an axis, at least as long as wanted. */
function roundStep(wanted) {
  const power = 10 ** Math.floor(Math.log10(wanted));
  return [1, 2, 5, 10].map((value) => value * power).find((value) => value >= wanted);
}

/** The colors of names, in the order in which names occur; red and amber have meanings of their own. */
const Colors = {
  light: ["#3b5bdb", "#0b7285", "#7048e8", "#237a35", "#a61e8c", "#546674", "#1971c2", "#087f5b", "#862e9c", "#5f6f14"],
  dark: ["#7f9cff", "#4fc3d4", "#b197fc", "#69c97c", "#e58ad6", "#9fb0bf", "#74c0fc", "#63e6be", "#da9df0", "#c3cf6b"],
  isDark: matchMedia("(prefers-color-scheme: dark)"),
  /** The colors of the style sheet, and the scheme that they belong to. */
  cache: {},
  cached: undefined,

  of(index) {
    if (index < 0) return Colors.get("soft");
    const list = Colors.isDark.matches ? Colors.dark : Colors.light;
    return list[index % list.length];
  },

  /** A color of the style sheet. */
  get(name) {
    if (Colors.cached !== Colors.isDark.matches) [Colors.cached, Colors.cache] = [Colors.isDark.matches, {}];
    return Colors.cache[name] ||= getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  },
};
