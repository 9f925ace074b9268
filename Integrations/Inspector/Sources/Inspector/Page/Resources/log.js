"use strict";

/** The posts as sentences: when, what, from where, and who received it. Only visible rows are elements. */
class Log {
  constructor(model, filter) {
    this.model = model;
    this.filter = filter;
    this.node = byId("log");
    this.spacer = byId("spacer");
    this.posts = [];
    this.chosen = undefined;
    this.isFollowing = true;
    /** Returns whether the end of the list is what the timeline shows. */
    this.canFollow = () => true;
    /** The first post in sight, and how far it is scrolled out. */
    this.anchor = undefined;
    /** The time that is to be in sight. */
    this.wanted = undefined;
    this.onChoose = () => {};
    this.onClear = () => {};
    /** The height for which the end of the list was computed. */
    this.room = 0;
    this.node.addEventListener("scroll", () => {
      // A list that has just changed its size was not scrolled by the reader.
      if (this.node.clientHeight !== this.room) return;
      this.isFollowing = this.canFollow() && this.node.scrollHeight - this.node.scrollTop - this.node.clientHeight < 30;
      this.draw();
    });
    // A list that becomes shorter is not scrolled back.
    new ResizeObserver(() => {
      this.measure();
      if (this.isFollowing) this.node.scrollTop = this.node.scrollHeight;
      this.draw();
    }).observe(this.node);
    byId("newest").addEventListener("click", () => {
      this.isFollowing = true;
      this.node.scrollTop = this.node.scrollHeight;
      this.node.focus();
    });
  }

  static rowHeight = 27;

  /** Makes the end of the list one where the first row in sight is whole, and keeps the chosen row in sight. */
  measure() {
    const old = this.room;
    this.room = this.node.clientHeight;
    const rows = this.posts.length * Log.rowHeight;
    const height = `${rows > this.room ? rows + (this.room % Log.rowHeight) : rows}px`;
    if (this.spacer.style.height !== height) this.spacer.style.height = height;
    if (!this.chosen || this.room >= old) return;
    const bottom = (this.posts.indexOf(this.chosen.post) + 1) * Log.rowHeight;
    const end = bottom - this.node.scrollTop;
    if (end <= old && end > this.room) this.node.scrollTop = Math.ceil((bottom - this.room) / Log.rowHeight) * Log.rowHeight;
  }

  /** Reads the posts again. */
  update() {
    this.posts = this.model.posts.filter((post) => this.filter.shows(post));
    this.measure();
    if (this.isFollowing) this.node.scrollTop = this.node.scrollHeight;
    else this.keepPlace();
    this.draw();
  }

  /** Keeps the rows in sight where they are, when others before them are gone. */
  keepPlace() {
    if (!this.anchor) return;
    const [post, index, rest] = this.anchor;
    if (this.posts[index] === post) return;
    const at = this.posts.indexOf(post);
    if (at >= 0) this.node.scrollTop = at * Log.rowHeight + rest;
  }

  /** Chooses the post that is some rows away from the chosen one. */
  step(by) {
    if (!this.posts.length) return;
    const at = this.chosen ? this.posts.indexOf(this.chosen.post) : -1;
    const next = at < 0 ? this.posts.length - 1 : Math.min(Math.max(at + by, 0), this.posts.length - 1);
    this.onChoose(this.posts[next], true);
  }

  /** Scrolls to the first post that begins at a time or later, when the list is drawn: a window may move often in a frame. */
  revealTime(time) {
    this.wanted = time;
    this.isFollowing = false;
  }

  settle() {
    if (this.wanted === undefined) return;
    let [low, high] = [0, this.posts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.posts[middle].t0 < this.wanted) low = middle + 1;
      else high = middle;
    }
    this.wanted = undefined;
    this.node.scrollTop = low * Log.rowHeight;
  }

  reveal(post) {
    this.settle();
    const top = this.posts.indexOf(post) * Log.rowHeight;
    if (top < 0) return;
    if (top < this.node.scrollTop || top > this.node.scrollTop + this.node.clientHeight - Log.rowHeight) {
      this.isFollowing = false;
      const rows = Math.floor(this.node.clientHeight / 2 / Log.rowHeight);
      this.node.scrollTop = top - rows * Log.rowHeight;
    }
  }

  draw() {
    this.settle();
    const scroll = this.node.scrollTop;
    const index = Math.floor(scroll / Log.rowHeight);
    this.anchor = this.posts[index] && [this.posts[index], index, scroll - index * Log.rowHeight];
    const first = Math.max(0, index - 2);
    const last = Math.min(this.posts.length, index + Math.ceil(this.node.clientHeight / Log.rowHeight) + 2);
    const rows = [];
    for (let at = first; at < last; at += 1) rows.push(this.row(this.posts[at], at));
    if (!this.posts.length) rows.push(this.nothing());
    update(this.node, this.spacer, ...rows);
    const chosen = this.chosen && rows.find((row) => row.classList.contains("chosen"));
    if (chosen) this.node.setAttribute("aria-activedescendant", chosen.id);
    else this.node.removeAttribute("aria-activedescendant");
    byId("newest").hidden = this.isFollowing || !this.canFollow() || !this.posts.length;
  }

  nothing() {
    if (!this.model.posts.length) {
      return element("p", { class: "nothing" }, "Each post becomes a row here: when, what, from where, and who received it.");
    }
    return element("p", { class: "nothing" }, "No post passes the filter. ",
      element("button", { class: "link", onclick: () => this.onClear() }, "Show all posts"));
  }

  row(post, at) {
    const strings = this.model.strings;
    const took = this.model.took(post);
    const kind = post.failed ? "bad" : post.slow ? "warn" : "";
    const isChosen = this.chosen !== undefined && this.chosen.post === post;
    return element("div", {
      class: `row${isChosen ? " chosen" : ""}`, id: `post-${post.number}`, role: "option",
      "aria-selected": String(isChosen), onclick: () => this.onChoose(post, true), style: `top: ${at * Log.rowHeight}px`,
    },
      element("time", {}, Format.time(post.t0)),
      element("span", { class: "event", style: `padding-left: ${post.depth * 14}px`, title: `${strings[post.name]}, posted at ${strings[post.site]}` },
        element("i", { class: "dot", style: `background: ${this.model.color(post.name)}` }),
        element("b", {}, strings[post.name]),
        element("span", { class: "site", style: Format.siteRoom(strings[post.site]) }, ...Format.siteParts(strings[post.site]))),
      element("span", { class: "received" }, ...this.calls(post)),
      element("span", { class: `took ${kind}`, title: "Until the last handler ended" }, post.calls.length ? Format.duration(took) : ""));
  }

  calls(post) {
    const strings = this.model.strings;
    // What needs attention first.
    const calls = [...post.calls].sort((left, right) => Painter.weight(right) - Painter.weight(left));
    // The columns before and after, and room for the numbers of others.
    const width = this.node.clientWidth;
    const free = width - (width > 900 ? width * 0.34 + 206 : width * 0.36 + 168);
    const skipped = this.skipped(post, free - Math.min(4, calls.length) * 150 - 60);
    const room = free - (skipped ? Text12.width(skipped) + 20 : 0);
    const count = Math.min(4, Math.max(1, Math.floor((room - 40) / 150)));
    const shown = calls.slice(0, count).map((call) => {
      const kind = ["", "warn", "bad"][Painter.weight(call)];
      const time = call.state === "waiting" ? "waits" : call.state === "failed" ? "failed" : Format.duration(call.t1 - call.t0);
      return element("span", { class: `call ${kind}`, title: `${strings[call.handler]}: ${time}` },
        element("span", {}, ...Format.siteParts(strings[call.handler])), element("i", {}, time));
    });
    if (calls.length > count) shown.push(element("span", { class: "call rest", title: "All are shown when the post is chosen" }, `+${calls.length - count}`));
    if (!calls.length) shown.push(element("span", { class: "call none soft" }, "no handler"));
    if (skipped) {
      const all = post.skips.map((skip) => `${strings[skip.handler]}: ${this.reason(skip)}`);
      const more = all.length > 10 ? [...all.slice(0, 10), `and ${Format.count(all.length - 10)} more`] : all;
      shown.push(element("span", { class: "call none soft", title: `Skipped\n${more.join("\n")}` }, skipped));
    }
    return shown;
  }

  reason(skip) {
    return Format.skip(this.model.meta.reasons[skip.reason]);
  }

  /** How many handlers were skipped; where there is room, also why, or which if it is one. */
  skipped(post, room) {
    const { skips } = post;
    if (!skips.length) return "";
    const count = `${Format.count(skips.length)} skipped`;
    const isSame = skips.every((skip) => skip.reason === skips[0].reason);
    const what = skips.length > 1 ? count : `${Format.site(this.model.strings[skips[0].handler])} skipped`;
    const full = `${what}: ${this.reason(skips[0])}`;
    return isSame && Text12.width(full) <= room ? full : count;
  }
}
