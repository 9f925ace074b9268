"use strict";

/** The sentence, the four lists, and the names. */
class Overview {
  constructor(model, filter) {
    this.model = model;
    this.filter = filter;
    this.isOpen = false;
    /** The places of the names, by their indices. */
    this.ranks = new Map();
    this.onFilter = () => {};
    this.onChoose = () => {};
    this.onLeak = () => {};
    /** The lines of code whose observers only become more. */
    this.growing = [];
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
      return update(byId("headline"), strong("Nothing has been posted yet."), ` An event that is posted on the bus${bus} appears here at once.`, ...this.leak());
    }
    const slow = model.sums.slow;
    const worst = model.slowest;
    const parts = [
      strong(Format.plural(model.sums.posts, "post")), " of ", strong(Format.plural(names.length, "event")),
      ", received by ", strong(model.handlers.size ? Format.plural(model.handlers.size, "handler") : "no handler"), ". ",
      model.failed ? strong(`${Format.plural(model.failed, "call")} failed`, "bad") : "No handler failed",
      slow ? ", and " : ", and no call took longer than a frame.",
    ];
    if (slow) parts.push(strong(`${Format.plural(slow, "call")} took longer than a frame`, "warn"));
    if (slow && worst) {
      const site = Format.site(model.strings[worst.handler]);
      parts.push(": the slowest ", strong(Format.duration(worst.t1 - worst.t0)), ` in ${site}.`);
    }
    update(byId("headline"), ...parts, ...this.leak());
  }

  /** The line of code that keeps adding observers, which leads to their table. */
  leak() {
    const [first, ...others] = this.growing;
    if (!first) return [];
    return [" ", element("button", { class: "link", title: `${first.name}, ${first.site}`, onclick: () => this.onLeak() },
      Format.site(first.site), others.length ? ` and ${Format.plural(others.length, "other line")} keep adding observers: leaks?`
        : " keeps adding observers: a leak?")];
  }

  drawCards(now) {
    const model = this.model;
    const top = (values, key) => [...values].sort((left, right) => key(right) - key(left)).slice(0, Overview.factCount);
    const part = (list, key) => (each) => key(each) / Math.max(1, key(list[0]));

    const posters = top(model.sites.values(), (each) => each.posts);
    const ofPosts = part(posters, (each) => each.posts);
    this.list("posters", ["Event", "Posted at", "Posts"], "Nothing has been posted yet.", posters.map((each) => this.fact(
      model.color(each.name), [this.name(each.name), this.site(each.site)], ofPosts(each), Format.count(each.posts),
      () => this.choose(each.name))));

    const handlers = [...model.handlers.values()].filter((each) => each.calls > 0);
    const receivers = top(handlers, (each) => each.calls);
    const ofCalls = part(receivers, (each) => each.calls);
    this.list("receivers", ["Handler", "Event", "Calls"], "No handler has been called yet.", receivers.map((each) => this.fact(
      model.color(each.name), [this.site(each.site), this.name(each.name)], ofCalls(each), Format.count(each.calls),
      () => this.choose(each.name))));

    this.drawSlowest(now, handlers, top, part);

    const failures = top(handlers.filter((each) => each.failed), (each) => each.failed);
    const ofFailures = part(failures, (each) => each.failed);
    this.list("failures", ["Handler", "Event", "Failures"], "No handler has failed.", failures.map((each) => this.fact(
      Colors.get("bad"), [this.site(each.site), this.name(each.name)], ofFailures(each), Format.count(each.failed),
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
      return this.fact(Colors.get(kind === "warn" ? "slow" : kind), [this.site(each.site), this.name(each.name)], ofTime(each),
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

  /** The name of an event, which is shown whole: it may contain slashes. */
  name(index) {
    const text = this.model.strings[index];
    return { text: [text], whole: text };
  }

  /** A source site, which is shown without its module. */
  site(index) {
    const whole = this.model.strings[index];
    return { text: Format.siteParts(whole), whole };
  }

  fact(color, [what, detail], part, value, onclick, kind = "") {
    return element("button", { class: "fact", onclick, title: `${what.whole} · ${detail.whole}` },
      element("i", { class: "meter", style: `width: ${Math.max(1, part * 100)}%; background: ${color}` }),
      element("i", { class: "dot", style: `background: ${color}` }),
      element("span", { class: "what" }, ...what.text), element("span", { class: "where" }, ...detail.text),
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

  /** The names with the most posts first. None moves under the pointer, or while one of them has the focus. */
  drawNames(names) {
    const node = byId("names");
    if (!node.matches(":hover, :focus-within")) {
      const order = (sums) => (sums.order < 0 ? Infinity : sums.order);
      names.sort((left, right) => right.posts - left.posts || order(left) - order(right) || left.index - right.index);
      this.ranks = new Map(names.map((sums, at) => [sums.index, at]));
    }
    const rank = (sums) => this.ranks.get(sums.index) ?? Infinity;
    const shown = names.sort((left, right) => rank(left) - rank(right) || left.index - right.index).slice(0, 100);
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
