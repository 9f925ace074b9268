"use strict";

/** The sentence, the four lists, and the names. */
class Overview {
  constructor(model, filter) {
    this.model = model;
    this.filter = filter;
    this.isOpen = false;
    this.onFilter = () => {};
    this.onChoose = () => {};
  }

  static factCount = 4;

  draw(now) {
    const names = [...this.model.names.values()].filter((sums) => sums.posts > 0);
    this.drawHeadline(names);
    this.drawCards(now);
    this.drawNames(names);
  }

  drawHeadline(names) {
    const model = this.model;
    const strong = (text, kind) => element("b", { class: kind }, text);
    if (!names.length) {
      if (!model.meta.start) return update(byId("headline"), "Waiting for the program…");
      const bus = model.meta.label ? ` “${Format.shortened(model.meta.label, 60)}”` : "";
      return update(byId("headline"), strong("Nothing has been posted yet."), ` An event that is posted on the bus${bus} appears here at once.`);
    }
    const slow = model.sums.slow;
    const worst = model.slowest;
    const parts = [
      strong(Format.plural(model.sums.posts, "post")), " of ", strong(Format.plural(names.length, "event")),
      ", heard by ", strong(model.handlers.size ? Format.plural(model.handlers.size, "handler") : "nobody"), ". ",
      model.failed ? strong(`${Format.plural(model.failed, "call")} failed`, "bad") : "Nothing failed",
      slow ? ", and " : ", and no call took longer than a frame.",
    ];
    if (slow) parts.push(strong(`${Format.plural(slow, "call")} took longer than a frame`, "warn"));
    if (slow && worst) {
      const site = Format.site(model.strings[worst.handler]);
      parts.push(": the slowest ", strong(Format.duration(worst.t1 - worst.t0)), ` in ${site}.`);
    }
    update(byId("headline"), ...parts);
  }

  drawCards(now) {
    const model = this.model;
    const strings = model.strings;
    const top = (values, key) => [...values].sort((left, right) => key(right) - key(left)).slice(0, Overview.factCount);
    const part = (list, key) => (each) => key(each) / Math.max(1, key(list[0]));

    const posters = top(model.sites.values(), (each) => each.posts);
    const ofPosts = part(posters, (each) => each.posts);
    this.list("posters", ["Event", "Posted at", "Posts"], "Nothing has been posted yet.", posters.map((each) => this.fact(
      model.color(each.name), [strings[each.name], strings[each.site]], ofPosts(each), Format.count(each.posts),
      () => this.choose(each.name))));

    const handlers = [...model.handlers.values()].filter((each) => each.calls > 0);
    const hearers = top(handlers, (each) => each.calls);
    const ofCalls = part(hearers, (each) => each.calls);
    this.list("hearers", ["Handler", "Event", "Calls"], "No handler has been called yet.", hearers.map((each) => this.fact(
      model.color(each.name), [strings[each.site], strings[each.name]], ofCalls(each), Format.count(each.calls),
      () => this.choose(each.name))));

    this.drawSlowest(now, handlers, top, part);

    const failures = top(handlers.filter((each) => each.failed), (each) => each.failed);
    const ofFailures = part(failures, (each) => each.failed);
    this.list("failures", ["Handler", "Event", "Failures"], "No handler has failed.", failures.map((each) => this.fact(
      Colors.get("bad"), [strings[each.site], strings[each.name]], ofFailures(each), Format.count(each.failed),
      () => (each.lastFailed ? this.onChoose(each.lastFailed, true) : this.choose(each.name)), "bad")));
  }

  /** The longest calls, those that still run included. */
  drawSlowest(now, handlers, top, part) {
    const { model } = this;
    const running = new Map();
    for (const call of model.open.values()) {
      if (call.state !== "running" || now - call.t0 < 1e9) continue;
      const sums = model.handler(call.name, call.handler);
      const known = running.get(sums);
      if (!known || call.t0 < known.t0) running.set(sums, call);
    }
    const time = (each) => (running.has(each) ? Math.max(now - running.get(each).t0, each.longest) : each.longest);
    const slow = top(new Set([...handlers, ...running.keys()]), time);
    const ofTime = part(slow, time);
    this.list("slowest", ["Handler", "Event", "Longest"], "No handler has run yet.", slow.map((each) => {
      const call = running.get(each);
      const kind = time(each) >= SLOW ? "warn" : "soft";
      return this.fact(Colors.get(kind === "warn" ? "slow" : kind), [model.strings[each.site], model.strings[each.name]], ofTime(each),
        call ? `runs ${Format.duration(now - call.t0)}` : Format.duration(each.longest), () => {
          const worst = call || each.worst;
          if (worst) this.onChoose(worst, true);
          else this.choose(each.name);
        }, kind);
    }));
  }

  list(id, heads, nothing, rows) {
    const head = element("div", { class: "heads" }, element("span", {}, heads[0]), element("span", {}, heads[1]),
      element("span", { class: "value" }, heads[2]));
    update(byId(id), ...(rows.length ? [head, ...rows] : [element("p", { class: "empty" }, nothing)]));
  }

  fact(color, [what, detail], part, value, onclick, kind = "") {
    return element("button", { class: "fact", onclick, title: `${what} · ${detail}` },
      element("i", { class: "meter", style: `width: ${Math.max(1, part * 100)}%; background: ${color}` }),
      element("i", { class: "dot", style: `background: ${color}` }),
      element("span", { class: "what" }, Format.site(what)), element("span", { class: "where" }, Format.site(detail)),
      element("span", { class: `value ${kind}` }, value));
  }

  /** Filters by a name; again, by nothing. */
  choose(name) {
    const text = this.model.strings[name];
    const input = byId("filter");
    input.value = input.value === text ? "" : text;
    this.filter.set(input.value);
    this.onFilter();
  }

  /** The names in the order in which they occurred, so that none moves under the pointer. */
  drawNames(names) {
    const node = byId("names");
    const rank = (sums) => (sums.order < 0 ? Infinity : sums.order);
    const shown = names.sort((left, right) => rank(left) - rank(right)).slice(0, 100);
    const open = this.isOpen;
    byId("bar").classList.toggle("open", open);
    const fit = open ? shown.length : this.fitting(shown, node.clientWidth);
    const rest = fit < shown.length ? `+${shown.length - fit} more` : open ? "Show fewer" : "";
    update(node, ...shown.slice(0, fit).map((sums) => this.chip(sums)), rest && element("button", {
      class: "name more", "aria-expanded": String(open),
      onclick: () => {
        this.isOpen = !this.isOpen;
        this.drawNames(names);
      },
    }, rest));
  }

  chip(sums) {
    const text = this.model.strings[sums.index];
    return element("button", {
      class: "name", "aria-pressed": String(!this.filter.hides(sums.index)), title: `Show or hide ${text}`,
      onclick: () => {
        this.filter.toggle(sums.index);
        this.onFilter();
      },
    }, element("i", { class: "dot", style: `background: ${this.model.color(sums.index)}` }),
      element("b", {}, text), element("span", {}, Format.count(sums.posts)));
  }

  /** How many chips have room in one line, next to the button for the others. */
  fitting(names, room) {
    let end = 0;
    const width = (sums) => (Text12.width(this.model.strings[sums.index]) + Text12.width(Format.count(sums.posts))) * (13 / 12);
    for (const [at, sums] of names.entries()) {
      end += Math.min(260, width(sums) + 43) + 5;
      if (end > room - (at + 1 < names.length ? 80 : 0)) return Math.max(1, at);
    }
    return names.length;
  }
}

/** The strip of the whole recording, with the window of the timeline. */
class Strip {
  constructor(model, filter, timeline) {
    this.model = model;
    this.filter = filter;
    this.timeline = timeline;
    this.canvas = byId("strip");
    const jump = (event) => {
      if (!event.buttons && event.type !== "pointerdown") return;
      const [begin, end] = this.timeline.range;
      const gutter = Timeline.gutter(this.canvas.clientWidth);
      const middle = begin + ((event.offsetX - gutter) / (this.canvas.clientWidth - gutter)) * (end - begin);
      const span = Math.min(this.timeline.span, (end - begin) / 4);
      this.timeline.show(middle - span / 2, middle + span / 2);
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      jump(event);
    });
    this.canvas.addEventListener("pointermove", jump);
  }

  static height = 52;
  static axisHeight = 17;
  static column = 4;

  draw() {
    const canvas = this.canvas;
    const width = canvas.clientWidth;
    if (!width) return;
    const scale = devicePixelRatio || 1;
    const size = [Math.round(width * scale), Math.round(Strip.height * scale)];
    if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
    const context = canvas.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, Strip.height);
    context.font = Text12.font;
    context.textBaseline = "middle";
    const gutter = Timeline.gutter(width);
    const range = this.timeline.range;
    const x = (time) => gutter + ((time - range[0]) / (range[1] - range[0])) * (width - gutter);
    this.drawWindow(context, x, gutter, width);
    this.drawBars(context, range, gutter, width);
    this.drawAxis(context, range, x, gutter, width);
  }

  drawBars(context, [begin, end], gutter, width) {
    const count = Math.ceil((width - gutter) / Strip.column);
    const [counts, bad, slow] = [new Uint32Array(count), new Uint32Array(count), new Uint32Array(count)];
    for (const post of this.model.posts) {
      if (!this.filter.shows(post)) continue;
      const at = Math.min(count - 1, Math.floor(((post.t0 - begin) / (end - begin)) * count));
      counts[at] += 1;
      if (post.failed) bad[at] += 1;
      if (post.slow) slow[at] += 1;
    }
    const most = counts.reduce((left, right) => Math.max(left, right), 1);
    const floor = Strip.height - Strip.axisHeight;
    for (let at = 0; at < count; at += 1) {
      if (!counts[at]) continue;
      const tall = Math.max(2, Math.sqrt(counts[at] / most) * (floor - 7));
      context.fillStyle = Colors.get(bad[at] ? "bad" : slow[at] ? "slow" : "accent");
      context.globalAlpha = bad[at] || slow[at] ? 1 : 0.55;
      context.fillRect(gutter + at * Strip.column, floor - 1 - tall, Strip.column - 1, tall);
    }
    context.globalAlpha = 1;
  }

  drawAxis(context, [begin, end], x, gutter, width) {
    const floor = Strip.height - Strip.axisHeight;
    context.strokeStyle = Colors.get("line");
    context.fillStyle = Colors.get("soft");
    context.beginPath();
    context.moveTo(gutter, floor - 0.5);
    context.lineTo(width, floor - 0.5);
    context.moveTo(gutter - 0.5, 0);
    context.lineTo(gutter - 0.5, Strip.height);
    const step = roundStep((end - begin) / Math.max(2, (width - gutter) / 120));
    // Times have milliseconds; a shorter recording counts from its beginning.
    const isShort = step < 1e6;
    for (let time = isShort ? begin : Math.ceil(begin / step) * step; time <= end; time += step) {
      const at = Math.round(x(time)) + 0.5;
      context.moveTo(at, floor);
      context.lineTo(at, floor + 4);
      const label = isShort ? `+${Format.duration(Math.round(time - begin))}` : Format.tick(time, step);
      if (at + context.measureText(label).width + 8 < width) context.fillText(label, at + 4, floor + 9);
    }
    context.stroke();
    context.fillText("Recording", 12, 14);
    if (this.model.posts.length) context.fillText(Format.duration(end - begin), 12, 31);
  }

  drawWindow(context, x, gutter, width) {
    const inside = (value) => Math.min(Math.max(value, gutter), width);
    const { t0, t1 } = this.timeline;
    let [left, right] = [inside(x(t0)), inside(x(t1))];
    if (right - left < 4) [left, right] = [Math.max(gutter, left - 2), Math.max(gutter, left - 2) + 4];
    const floor = Strip.height - Strip.axisHeight;
    context.fillStyle = Colors.get("accent-ground");
    context.fillRect(left, 0, right - left, floor);
    context.fillStyle = Colors.get("accent");
    context.fillRect(left, 0, 1.5, floor);
    context.fillRect(right - 1.5, 0, 1.5, floor);
    context.fillRect(left, 0, right - left, 2);
  }
}
