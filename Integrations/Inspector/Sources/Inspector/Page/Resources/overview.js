"use strict";

/** Which posts are shown: those whose name or sites contain a text, and whose name is not hidden. */
class Filter {
  constructor(model) {
    this.model = model;
    this.text = "";
    /** Grows with every change. */
    this.version = 0;
    this.matches = new Map();
  }

  set(text) {
    this.text = text.trim().toLowerCase();
    this.version += 1;
    this.matches.clear();
  }

  toggle(name) {
    const sums = this.model.name(name);
    sums.isHidden = !sums.isHidden;
    this.version += 1;
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
    if (this.model.name(post.name).isHidden) return false;
    if (!this.text) return true;
    if (this.contains(post.name) || this.contains(post.site)) return true;
    return post.calls.some((call) => this.contains(call.handler));
  }
}

/** The sentence, the three lists, the names, and the strip of the whole recording. */
class Overview {
  constructor(model, filter, timeline) {
    this.model = model;
    this.filter = filter;
    this.timeline = timeline;
    this.onFilter = () => {};
    this.onChoose = () => {};
    const strip = byId("strip");
    const jump = (event) => {
      if (!event.buttons && event.type !== "pointerdown") return;
      const [begin, end] = this.range;
      const middle = begin + (event.offsetX / strip.clientWidth) * (end - begin);
      this.timeline.show(middle - this.timeline.span / 2, middle + this.timeline.span / 2);
    };
    strip.addEventListener("pointerdown", jump);
    strip.addEventListener("pointermove", jump);
  }

  get range() {
    return [this.model.begin, Math.max(this.model.end, this.model.begin + 1e6)];
  }

  draw() {
    const names = [...this.model.names.values()].filter((sums) => sums.posts > 0);
    this.drawHeadline(names);
    this.drawCards();
    this.drawNames(names);
    this.drawStrip();
  }

  drawHeadline(names) {
    const model = this.model;
    if (!names.length) return;
    const posts = names.reduce((sum, each) => sum + each.posts, 0);
    const slow = [...model.handlers.values()].reduce((sum, each) => sum + each.slow, 0);
    const worst = model.slowest;
    const strong = (text, kind) => element("b", { class: kind }, text);
    const parts = [
      strong(Format.plural(posts, "post")), " of ", strong(Format.plural(names.length, "event")),
      ", heard by ", strong(Format.plural(model.handlers.size, "handler")), ". ",
      model.failed ? strong(`${Format.plural(model.failed, "call")} failed`, "bad") : "Nothing failed",
      slow ? ", and " : ", and no call took longer than a frame.",
    ];
    if (slow) parts.push(strong(`${Format.plural(slow, "call")} took longer than a frame`, "warn"));
    if (slow && worst) {
      const site = Format.site(model.strings[worst.handler]);
      parts.push(": the slowest ", strong(Format.duration(worst.t1 - worst.t0)), ` in ${site}.`);
    }
    byId("headline").replaceChildren(...parts);
  }

  drawCards() {
    const model = this.model;
    const top = (values, key) => [...values].sort((left, right) => key(right) - key(left)).slice(0, 4);
    const posters = top(model.sites.values(), (each) => each.posts);
    const most = posters.length ? posters[0].posts : 1;
    this.list("posters", "Nobody yet.", posters.map((each) => this.fact(
      model.color(each.name), model.strings[each.name], Format.site(model.strings[each.site]), each.posts / most,
      Format.count(each.posts), () => this.choose(each.name))));
    const hearers = top(model.handlers.values(), (each) => each.calls).filter((each) => each.calls > 0);
    const calls = hearers.length ? hearers[0].calls : 1;
    this.list("hearers", "Nobody yet.", hearers.map((each) => this.fact(
      model.color(each.name), Format.site(model.strings[each.site]), model.strings[each.name], each.calls / calls,
      Format.count(each.calls), () => this.choose(each.name))));
    const severity = (each) => (each.failed ? 1e15 + each.failed : each.longest);
    const slow = top(model.handlers.values(), severity).filter((each) => each.calls > 0);
    const longest = Math.max(1, ...slow.map((each) => each.longest));
    this.list("slowest", "Nothing yet.", slow.map((each) => {
      const kind = each.failed ? "bad" : each.longest >= SLOW ? "warn" : "soft";
      const value = each.failed ? `failed ${Format.count(each.failed)}×` : Format.duration(each.longest);
      return this.fact(
        Colors.get(kind), Format.site(model.strings[each.site]), model.strings[each.name], each.longest / longest, value,
        () => (each.worst ? this.onChoose(each.worst, true) : this.choose(each.name)), kind);
    }));
  }

  list(id, nothing, rows) {
    byId(id).replaceChildren(...(rows.length ? rows : [element("li", { class: "empty" }, nothing)]));
  }

  fact(color, what, detail, part, value, onclick, kind) {
    return element("li", {}, element("button", { class: "fact", onclick, title: `${what} · ${detail}` },
      element("i", { class: "dot", color }),
      element("span", { class: "what" }, what, " ", element("span", {}, detail)),
      element("span", { class: "meter" }, element("i", { "width%": Math.max(2, part * 100), color })),
      element("span", { class: `value ${kind || ""}` }, value)));
  }

  /** Filters by a name; again, by nothing. */
  choose(name) {
    const text = this.model.strings[name];
    const input = byId("filter");
    input.value = input.value === text ? "" : text;
    this.filter.set(input.value);
    this.onFilter();
  }

  drawNames(names) {
    const shown = names.sort((left, right) => right.posts - left.posts).slice(0, 20);
    byId("names").replaceChildren(...shown.map((sums) => element("button", {
      class: "name", "aria-pressed": String(!sums.isHidden), title: "Show or hide this event",
      onclick: () => {
        this.filter.toggle(sums.index);
        this.onFilter();
      },
    }, element("i", { class: "dot", color: this.model.color(sums.index) }), this.model.strings[sums.index],
      element("span", {}, Format.count(sums.posts)))));
  }

  /** Draws the number of posts over the whole recording, with the window of the timeline. */
  drawStrip() {
    const canvas = byId("strip");
    const scale = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, 34];
    if (!width) return;
    canvas.width = width * scale;
    canvas.height = height * scale;
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    const [begin, end] = this.range;
    const size = 4;
    const columns = Math.ceil(width / size);
    const [counts, bad] = [new Uint32Array(columns), new Uint32Array(columns)];
    for (const post of this.model.posts) {
      if (!this.filter.shows(post)) continue;
      const at = Math.min(columns - 1, Math.floor(((post.t0 - begin) / (end - begin)) * columns));
      counts[at] += 1;
      if (post.failed) bad[at] += 1;
    }
    const most = counts.reduce((left, right) => Math.max(left, right), 1);
    for (let at = 0; at < columns; at += 1) {
      if (!counts[at]) continue;
      const tall = Math.max(2, Math.sqrt(counts[at] / most) * (height - 8));
      context.fillStyle = Colors.get(bad[at] ? "bad" : "accent");
      context.globalAlpha = bad[at] ? 1 : 0.55;
      context.fillRect(at * size, height - 2 - tall, size - 1, tall);
    }
    context.globalAlpha = 1;
    const x = (time) => Math.min(Math.max(((time - begin) / (end - begin)) * width, 0), width);
    const [left, right] = [x(this.timeline.t0), Math.max(x(this.timeline.t1), x(this.timeline.t0) + 3)];
    context.fillStyle = Colors.get("ink");
    context.globalAlpha = 0.08;
    context.fillRect(left, 0, right - left, height);
    context.globalAlpha = 0.5;
    context.fillRect(left, 0, 1.5, height);
    context.fillRect(right - 1.5, 0, 1.5, height);
    context.globalAlpha = 1;
  }
}
