"use strict";

/** Which posts are shown: those whose name or sites contain a text, and whose name is not hidden. */
class Filter {
  constructor(model) {
    this.model = model;
    this.text = "";
    /** The names that are hidden, as text: numbers of names change with the connection. */
    this.hidden = new Set();
    /** Grows with every change. */
    this.version = 0;
    this.matches = new Map();
  }

  set(text) {
    this.text = text.trim().toLowerCase();
    this.forget();
  }

  hides(name) {
    return this.hidden.size > 0 && this.hidden.has(this.model.strings[name]);
  }

  toggle(name) {
    const text = this.model.strings[name];
    if (!this.hidden.delete(text)) this.hidden.add(text);
    this.version += 1;
  }

  /** Forgets which strings match. */
  forget() {
    this.version += 1;
    this.matches.clear();
  }

  /** Shows everything. */
  clear() {
    this.hidden.clear();
    this.set("");
  }

  get isActive() {
    return this.text !== "" || this.hidden.size > 0;
  }

  contains(index) {
    let match = this.matches.get(index);
    if (match === undefined) {
      match = this.model.strings[index].toLowerCase().includes(this.text);
      this.matches.set(index, match);
    }
    return match;
  }

  shows(post) {
    if (this.hides(post.name)) return false;
    if (!this.text) return true;
    if (this.contains(post.name) || this.contains(post.site)) return true;
    return post.calls.some((call) => this.contains(call.handler));
  }
}
