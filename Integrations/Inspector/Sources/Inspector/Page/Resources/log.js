"use strict";

/** The posts as sentences: when, what, from where, and who heard it. Only visible rows are elements. */
class Log {
  constructor(model, filter) {
    this.model = model;
    this.filter = filter;
    this.node = byId("log");
    this.spacer = byId("spacer");
    this.posts = [];
    this.chosen = undefined;
    this.isFollowing = true;
    this.onChoose = () => {};
    this.node.addEventListener("scroll", () => {
      const rest = this.node.scrollHeight - this.node.scrollTop - this.node.clientHeight;
      this.isFollowing = rest < 30;
      this.draw();
    });
    this.node.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step || !this.posts.length) return;
      event.preventDefault();
      const at = this.posts.indexOf(this.chosen && this.chosen.post);
      const next = this.posts[Math.min(Math.max(at + step, 0), this.posts.length - 1)];
      if (next) this.onChoose(next, true);
    });
  }

  static rowHeight = 27;

  /** Reads the posts again. */
  update() {
    this.posts = this.model.posts.filter((post) => this.filter.shows(post));
    this.spacer.style.height = `${this.posts.length * Log.rowHeight}px`;
    if (this.isFollowing) this.node.scrollTop = this.node.scrollHeight;
    this.draw();
  }

  reveal(post) {
    const at = this.posts.indexOf(post);
    if (at < 0) return;
    const top = at * Log.rowHeight;
    if (top < this.node.scrollTop || top > this.node.scrollTop + this.node.clientHeight - Log.rowHeight) {
      this.isFollowing = false;
      this.node.scrollTop = top - this.node.clientHeight / 2;
    }
    this.draw();
  }

  draw() {
    const first = Math.max(0, Math.floor(this.node.scrollTop / Log.rowHeight) - 2);
    const last = Math.min(this.posts.length, first + Math.ceil(this.node.clientHeight / Log.rowHeight) + 4);
    const rows = [this.spacer];
    for (let at = first; at < last; at += 1) rows.push(this.row(this.posts[at], at));
    if (!this.posts.length) {
      rows.push(element("p", { class: "empty row" }, this.model.posts.length ? "No post passes the filter." : ""));
    }
    this.node.replaceChildren(...rows);
  }

  row(post, at) {
    const strings = this.model.strings;
    const took = this.model.took(post);
    const kind = post.failed ? "bad" : post.slow ? "warn" : "";
    const row = element("div", {
      class: `row${this.chosen && this.chosen.post === post ? " chosen" : ""}`, onclick: () => this.onChoose(post, false),
    },
      element("time", {}, Format.time(post.t0)),
      element("span", { class: "event" },
        element("i", { class: "dot", color: this.model.color(post.name) }),
        element("b", {}, strings[post.name]), element("span", {}, Format.site(strings[post.site]))),
      element("span", { class: "heard" }, ...this.calls(post)),
      element("span", { class: `took ${kind}` }, post.calls.length ? Format.duration(took) : ""));
    row.style.top = `${at * Log.rowHeight}px`;
    row.children[1].style.paddingLeft = `${post.depth * 14}px`;
    return row;
  }

  calls(post) {
    const strings = this.model.strings;
    // What needs attention first.
    const weight = (call) => (call.state === "failed" ? 2 : call.t1 - call.t0 >= SLOW ? 1 : 0);
    const calls = [...post.calls].sort((left, right) => weight(right) - weight(left));
    const shown = calls.slice(0, 4).map((call) => {
      const kind = ["", "warn", "bad"][weight(call)];
      const time = call.state === "waiting" ? "waits" : Format.duration(call.t1 - call.t0);
      return element("span", { class: `call ${kind}`, title: strings[call.handler] },
        `${Format.site(strings[call.handler])} `, element("i", {}, call.state === "failed" ? "failed" : time));
    });
    if (calls.length > 4) shown.push(element("span", { class: "call" }, `+${calls.length - 4}`));
    if (!calls.length) shown.push(element("span", { class: "call none soft" }, "heard by nobody"));
    if (post.skips.length) {
      shown.push(element("span", { class: "call none soft" }, `${post.skips.length} skipped`));
    }
    return shown;
  }
}

/** Everything about one post. */
class Detail {
  constructor(model) {
    this.model = model;
    this.node = byId("detail");
    this.onChoose = () => {};
  }

  show(item) {
    this.node.hidden = !item;
    if (!item) return;
    const post = item.post;
    const model = this.model;
    const strings = model.strings;
    const link = (other) => element("button", { class: "link", onclick: () => this.onChoose(other, true) },
      `${strings[other.name]} #${other.number}`);
    const facts = [["posted at", strings[post.site]], ["on", model.laneNames[post.lane]],
      ["at", `${Format.time(post.t0)}, for ${Format.duration(post.t1 - post.t0)}`]];
    const cause = model.byNumber.get(post.outer);
    if (cause) facts.push(["caused by", link(cause)]);
    const parts = [
      element("h3", {}, element("i", { class: "dot", color: model.color(post.name) }), strings[post.name],
        element("span", { class: "soft" }, `#${post.number}`),
        element("button", { "aria-label": "Close", onclick: () => this.onChoose(undefined) }, "×")),
      element("dl", {}, ...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])),
    ];
    parts.push(element("h2", {}, post.calls.length ? "Heard by" : "Heard by nobody"));
    const end = post.t0 + Math.max(this.knownLength(post), 1);
    for (const call of post.calls) parts.push(this.fall(call, post.t0, end));
    if (post.payload !== undefined) parts.push(element("h2", {}, "Payload"), element("pre", {}, post.payload));
    if (post.skips.length) parts.push(element("h2", {}, "Skipped"));
    for (const skip of post.skips) {
      parts.push(element("div", { class: "fall" }, element("div", { class: "line" },
        element("span", {}, strings[skip.handler]), element("span", { class: "soft" }, model.meta.reasons[skip.reason]))));
    }
    if (post.children.length) parts.push(element("h2", {}, "Led to"));
    for (const child of post.children.slice(0, 50)) parts.push(element("div", {}, link(child)));
    this.node.replaceChildren(...parts);
  }

  knownLength(post) {
    const took = this.model.took(post);
    return isFinite(took) ? took : this.model.end - post.t0;
  }

  /** A delivery with its wait and its run on the scale of the post. */
  fall(call, begin, end) {
    const x = (time) => Math.min(Math.max(((Math.min(time, end) - begin) / (end - begin)) * 100, 0), 100);
    const isBad = call.state === "failed";
    const isSlow = call.t1 - call.t0 >= SLOW;
    const wait = call.queuedAt === undefined || !isFinite(call.t0) ? 0 : call.t0 - call.queuedAt;
    const color = isBad ? Colors.get("bad") : isSlow ? Colors.get("warn") : this.model.color(call.name);
    const svg = shape("svg", { viewBox: "0 0 100 9", preserveAspectRatio: "none" });
    if (call.queuedAt !== undefined) {
      const from = x(call.queuedAt);
      svg.append(shape("rect", { x: from, y: 3.5, width: x(call.t0) - from, height: 2, fill: Colors.get("soft") }));
    }
    if (isFinite(call.t0)) {
      const from = Math.min(x(call.t0), 99);
      svg.append(shape("rect", { x: from, y: 0, width: Math.max(x(call.t1) - from, 1), height: 9, fill: color }));
    }
    const time = call.state === "waiting" ? "waits" : Format.duration(call.t1 - call.t0);
    return element("div", { class: "fall" },
      element("div", { class: "line" },
        element("span", { title: this.model.strings[call.handler] }, this.model.strings[call.handler]),
        element("span", { class: isBad ? "bad" : isSlow ? "warn" : "" }, isBad ? `failed after ${time}` : time)),
      svg,
      element("div", { class: "soft" },
        `on ${this.model.laneNames[call.lane]}${wait > 0 ? `, after waiting ${Format.duration(wait)}` : ""}`),
      isBad && element("pre", { class: "bad" }, call.error));
  }
}
