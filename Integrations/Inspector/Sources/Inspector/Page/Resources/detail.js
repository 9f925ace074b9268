"use strict";

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
      ["at", Format.time(post.t0)], ["took", this.spans(post)]];
    const cause = model.byNumber.get(post.outer);
    if (cause) facts.push(["caused by", link(cause)]);
    if (post.skips.length) facts.push(["skipped", this.skipped(post.skips)]);
    const parts = [
      element("h3", {}, element("i", { class: "dot", style: `background: ${model.color(post.name)}` }),
        element("span", {}, strings[post.name]), element("span", { class: "soft" }, `#${post.number}`),
        element("button", { "aria-label": "Close", title: "Close (Escape)", onclick: () => this.onChoose(undefined) }, "×")),
      post.isGone && element("p", { class: "soft" }, "By now this post is older than what the recording keeps."),
      element("dl", {}, ...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])),
    ];
    parts.push(element("h2", {}, post.calls.length ? "Received by" : "No handler"));
    const end = post.t0 + Math.max(this.knownLength(post), 1);
    for (const call of post.calls.slice(0, 100)) parts.push(this.fall(call, post.t0, end));
    this.more(parts, post.calls, 100);
    if (post.skips.length > Detail.skipCount) {
      parts.push(element("h2", {}, "Skipped, and why"));
      for (const skip of post.skips.slice(0, 50)) parts.push(this.skip(skip));
      this.more(parts, post.skips, 50);
    }
    if (post.payload !== undefined) parts.push(element("h2", {}, "Payload"), element("pre", { tabindex: 0 }, post.payload));
    if (post.children.length) parts.push(element("h2", {}, "Led to"));
    for (const child of post.children.slice(0, 50)) parts.push(element("div", {}, link(child)));
    this.more(parts, post.children, 50);
    update(this.node, ...parts);
  }

  /** Beyond this number, those that were skipped have a section of their own. */
  static skipCount = 3;

  skipped(skips) {
    if (skips.length > Detail.skipCount) return `${Format.plural(skips.length, "handler")}, see below`;
    return element("div", {}, ...skips.map((skip) => this.skip(skip)));
  }

  skip(skip) {
    const site = this.model.strings[skip.handler];
    return element("div", { title: site }, Format.site(site), element("span", { class: "soft" }, `: ${Format.skip(this.model.meta.reasons[skip.reason])}`));
  }

  /** The time of the list, and that of the posting, which does not wait for handlers on other actors. */
  spans(post) {
    const [all, posting] = [this.model.took(post), post.t1 - post.t0];
    if (!post.calls.length) return Format.duration(posting);
    if (all === posting) return `${Format.duration(all)}, handlers included`;
    return `${isFinite(all) ? `${Format.duration(all)} until the last handler ended` : "a handler still runs or waits"}; the posting itself ${Format.duration(posting)}`;
  }

  more(parts, list, limit) {
    if (list.length > limit) parts.push(element("p", { class: "soft" }, `and ${Format.count(list.length - limit)} more`));
  }

  knownLength(post) {
    const took = this.model.took(post);
    return isFinite(took) ? took : this.model.end - post.t0;
  }

  /** A delivery with its wait and its run on the scale of the post. */
  fall(call, begin, end) {
    const x = (time) => Math.min(Math.max(((Math.min(time, end) - begin) / (end - begin)) * 100, 0), 100);
    const weight = Painter.weight(call);
    const wait = call.queuedAt === undefined || !isFinite(call.t0) ? 0 : call.t0 - call.queuedAt;
    const color = weight ? Colors.get(weight === 2 ? "bad" : "slow") : this.model.color(call.name);
    const svg = shape("svg", { viewBox: "0 0 100 9", preserveAspectRatio: "none", "aria-hidden": "true" });
    if (call.queuedAt !== undefined) {
      const from = x(call.queuedAt);
      svg.append(shape("rect", { x: from, y: 3.5, width: Math.max(x(call.t0) - from, 0), height: 2, fill: Colors.get("soft") }));
    }
    if (isFinite(call.t0)) {
      const from = Math.min(x(call.t0), 99);
      svg.append(shape("rect", { x: from, y: 0, width: Math.max(x(call.t1) - from, 1), height: 9, fill: color }));
    }
    const handler = this.model.strings[call.handler];
    const time = call.state === "waiting" ? "waits" : Format.duration(call.t1 - call.t0);
    return element("div", { class: "fall" },
      element("div", { class: "line" }, element("span", { title: handler }, ...Format.siteParts(handler)),
        element("span", { class: ["", "warn", "bad"][weight] }, weight === 2 ? `failed after ${time}` : time)),
      svg,
      element("div", { class: "soft" },
        `on ${this.model.laneNames[call.lane]}${wait > 0 ? `, after waiting ${Format.duration(wait)}` : ""}`),
      weight === 2 && element("pre", { class: "bad", tabindex: 0 }, call.error));
  }
}
