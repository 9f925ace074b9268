"use strict";

/** Text and elements. Text of the program only ever becomes the text of a node, never markup. */
const Format = {
  /** A duration of nanoseconds with its unit. */
  duration(ns) {
    if (!isFinite(ns)) return "running";
    if (ns === 0) return "0";
    if (ns < 1e3) return `${Math.round(ns)} ns`;
    if (ns < 1e6) return `${Format.digits(ns / 1e3)} µs`;
    if (ns < 1e9) return `${Format.digits(ns / 1e6)} ms`;
    if (ns < 120e9) return `${Format.digits(ns / 1e9)} s`;
    return `${Math.floor(ns / 60e9)} min`;
  },

  digits(value) {
    return value < 10 ? value.toFixed(1) : Math.round(value).toString();
  },

  count(value) {
    return value.toLocaleString("en").replace(/,/g, "\u202f");
  },

  plural(value, noun) {
    return `${Format.count(value)} ${noun}${value === 1 ? "" : "s"}`;
  },

  /** A time of the recording as minutes, seconds and milliseconds. */
  time(ns) {
    const ms = Math.floor(ns / 1e6);
    const pad = (value, count) => String(value).padStart(count, "0");
    const seconds = Math.floor(ms / 1000);
    const hours = Math.floor(seconds / 3600);
    const minutes = pad(Math.floor(seconds / 60) % 60, hours ? 2 : 1);
    return `${hours ? hours + ":" : ""}${minutes}:${pad(seconds % 60, 2)}.${pad(ms % 1000, 3)}`;
  },

  /** A source site without its module. */
  site(site) {
    const slash = site.lastIndexOf("/");
    return slash < 0 ? site : site.slice(slash + 1);
  },
};

/** Makes an element: `element("p", {class: "soft"}, "text", child)`. */
function element(tag, attributes, ...children) {
  const node = document.createElement(tag);
  return fill(node, attributes, children);
}

/** Makes an element of a drawing. */
function shape(tag, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "onclick") node.addEventListener("click", value);
    else if (name === "color") node.style.background = value;
    else if (name === "width%") node.style.width = `${value}%`;
    else node.setAttribute(name, value);
  }
  for (const child of children) {
    if (child !== undefined && child !== null && child !== false) node.append(child);
  }
  return node;
}

const byId = (id) => document.getElementById(id);

/** The colours of names, in the order in which names occur; red and amber have meanings of their own. */
const Colors = {
  light: ["#4263eb", "#0c8599", "#7048e8", "#2b8a3e", "#a61e8c", "#5c7080", "#0b7285", "#8d6e3f", "#364fc7", "#6a994e"],
  dark: ["#7f9cff", "#4fc3d4", "#b197fc", "#69c97c", "#e58ad6", "#9fb0bf", "#66d9e8", "#cdb07a", "#a5b8ff", "#a7c98a"],
  isDark: matchMedia("(prefers-color-scheme: dark)"),
  cache: {},

  of(index) {
    if (index < 0) return Colors.get("soft");
    const list = Colors.isDark.matches ? Colors.dark : Colors.light;
    return list[index % list.length];
  },

  /** A colour of the style sheet. */
  get(name) {
    return Colors.cache[name] ||= getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  },
};
