"use strict";

/** The window of time, the places of the lanes in it, and what the pointer does there. */
class Timeline {
  constructor(model, filter) {
    this.model = model;
    this.filter = filter;
    this.canvas = byId("canvas");
    this.lanes = byId("lanes");
    this.painter = new Painter(this);
    this.isLive = true;
    this.span = 10e9;
    this.t0 = 0;
    this.t1 = 10e9;
    this.now = 0;
    this.chosen = undefined;
    /** The bars that are drawn, as left, top, width, height and item. */
    this.hits = [];
    /** How much the last frame looked at and drew. */
    this.work = { visited: 0, bars: 0, labels: 0, links: 0 };
    this.leftOut = 0;
    this.onChoose = () => {};
    this.onMove = () => {};
    this.measure();
    this.listen();
  }

  static rowHeight = 18;
  static axisHeight = 22;
  static lanePad = 7;
  /** Beyond this number of lanes, those with nothing in the window are left out. */
  static laneLimit = 14;

  /** Reads the width, which costs too much to be read for every bar. */
  measure() {
    this.width = this.lanes.clientWidth;
    this.gutter = Timeline.gutter(this.width);
    this.plot = Math.max(1, this.width - this.gutter);
  }

  /** The width of the column for names. */
  static gutter(width) {
    return width < 560 ? 84 : width < 900 ? 122 : 150;
  }

  x(time) {
    return this.gutter + ((time - this.t0) / (this.t1 - this.t0)) * this.plot;
  }

  time(x) {
    return this.t0 + ((x - this.gutter) / this.plot) * (this.t1 - this.t0);
  }

  /** The time that is recorded. */
  get range() {
    const begin = this.model.begin;
    return [begin, Math.max(this.model.end, this.now, begin + 1e6)];
  }

  /** Shows a window of time, and stops following. The recording never gets out of sight. */
  show(t0, t1) {
    const [begin, end] = this.range;
    const span = Math.min(Math.max(t1 - t0, 2e3), Math.max((end - begin) * 2, 1e9));
    const middle = Math.min(Math.max((t0 + t1) / 2, begin), end);
    [this.t0, this.t1] = [middle - span / 2, middle + span / 2];
    this.span = span;
    this.isLive = false;
    this.onMove();
  }

  showAll() {
    const [begin, end] = this.range;
    this.show(begin - (end - begin) * 0.01, end + (end - begin) * 0.01);
  }

  /** Follows the newest posts. */
  follow() {
    this.isLive = true;
    this.span = Math.min(Math.max(this.span, 10e9), 60e9);
  }

  /** Puts the end of the window at this moment; in steps of a second where motion is unwanted. */
  advance(now) {
    this.now = now;
    if (!this.isLive) return;
    this.t1 = Timeline.calm.matches ? Math.ceil(now / 1e9) * 1e9 : now;
    this.t0 = this.t1 - this.span;
  }

  static calm = matchMedia("(prefers-reduced-motion: reduce)");

  zoom(factor, at) {
    if (this.isLive && (at === undefined || factor > 1)) {
      const [begin, end] = this.range;
      this.span = Math.min(Math.max(this.span * factor, 0.2e9), Math.max(end - begin, 10e9));
      return;
    }
    const middle = at === undefined ? (this.t0 + this.t1) / 2 : at;
    this.show(middle - (middle - this.t0) * factor, middle + (this.t1 - middle) * factor);
  }

  pan(part) {
    const by = (this.t1 - this.t0) * part;
    this.show(this.t0 + by, this.t1 + by);
  }

  /** Shows a post with all its deliveries. */
  showItem(item) {
    const took = Math.max(this.model.took(item.post), 1e3);
    const length = isFinite(took) ? took : Math.max(this.model.end - item.post.t0, 1e3);
    this.show(item.post.t0 - length * 0.15, item.post.t0 + length * 1.45);
  }

  /** Draws everything. */
  draw() {
    this.measure();
    this.hits = [];
    this.work = { visited: 0, bars: 0, labels: 0, links: 0 };
    const places = this.layOut();
    const height = places.length ? places.at(-1).bottom : 92;
    byId("tall").style.height = `${height}px`;
    this.overflows = height > this.lanes.clientHeight + 1;
    this.painter.draw(places, Math.min(height, this.lanes.clientHeight), this.lanes.scrollTop);
  }

  /** Gives each lane that is shown its place: what it has in the window, and in how many rows. */
  layOut() {
    const names = this.model.laneNames;
    const lanes = [...this.model.lanes.values()].filter((lane) => lane.items.length > 0);
    const order = (lane) => (names[lane.index] === "MainActor" ? 0 : names[lane.index].startsWith("thread ") ? 1e6 : 1e3) + lane.index;
    lanes.sort((left, right) => order(left) - order(right));
    const isCrowded = lanes.length > Timeline.laneLimit;
    this.leftOut = 0;
    let top = Timeline.axisHeight;
    const places = [];
    for (const lane of lanes) {
      const items = [];
      const used = new Set();
      this.work.visited += lane.visit(this.t0, this.t1, (item) => {
        if (!this.filter.shows(item.post)) return;
        items.push(item);
        used.add(item.row);
      });
      // Threads come and go; an actor keeps its place while there are few.
      if (!items.length && (isCrowded || names[lane.index].startsWith("thread "))) {
        if (isCrowded) this.leftOut += 1;
        continue;
      }
      // Rows that have nothing in the window take no space: they belong to what encloses it in time.
      const rows = new Map([...used].sort((left, right) => left - right).map((row, at) => [row, Math.min(at, 9)]));
      const bottom = top + Math.max(1, Math.min(used.size, 10)) * Timeline.rowHeight + Timeline.lanePad * 2;
      places.push({ lane, items, rows, top, bottom, name: names[lane.index] });
      top = bottom;
    }
    return places;
  }

  hit(event) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const found = this.hits.findLast(([left, top, width, height]) =>
      x >= left && x <= left + width && y >= top && y <= top + height);
    return found && found[4];
  }

  listen() {
    const canvas = this.canvas;
    canvas.addEventListener("wheel", (event) => {
      const isPan = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      const isZoom = event.ctrlKey || event.metaKey;
      // More lanes than there is room for are scrolled by the browser.
      if (this.overflows && !isPan && !isZoom) return;
      event.preventDefault();
      if (isPan) this.pan((event.deltaX || event.deltaY) / this.plot);
      else this.zoom(Math.exp(event.deltaY / 400), this.time(event.offsetX));
    }, { passive: false });
    let drag;
    canvas.addEventListener("pointerdown", (event) => {
      drag = { x: event.clientX, y: event.clientY, t0: this.t0, t1: this.t1, top: this.lanes.scrollTop, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      this.hover(event, drag);
      if (!drag) return;
      const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
      if (Math.hypot(x, y) > 3) drag.moved = true;
      if (!drag.moved) return;
      this.lanes.scrollTop = drag.top - y;
      const shift = (x / this.plot) * (drag.t1 - drag.t0);
      if (x) this.show(drag.t0 - shift, drag.t1 - shift);
    });
    canvas.addEventListener("pointerup", (event) => {
      if (drag && !drag.moved) this.onChoose(this.hit(event));
      drag = undefined;
    });
    canvas.addEventListener("pointercancel", () => (drag = undefined));
    canvas.addEventListener("pointerleave", () => (byId("hint").hidden = true));
    canvas.addEventListener("dblclick", (event) => {
      const item = this.hit(event);
      if (item) this.showItem(item);
    });
  }

  hover(event, drag) {
    const hint = byId("hint");
    const item = drag && drag.moved ? undefined : this.hit(event);
    hint.hidden = !item;
    this.canvas.style.cursor = item ? "pointer" : "grab";
    if (!item) return;
    const strings = this.model.strings;
    const time = Format.duration(item.t1 - item.t0);
    update(hint, element("b", {}, strings[item.name]), item.isPost
      ? `posted at ${strings[item.site]} · ${Format.plural(item.calls.length, "handler")} · ${time}`
      : `handled at ${strings[item.handler]} · ${time}${item.error === undefined ? "" : ` · failed: ${Format.shortened(item.error, 200)}`}`);
    const box = byId("chart").getBoundingClientRect();
    const x = Math.min(event.clientX - box.left + 12, box.width - hint.offsetWidth - 8);
    const y = Math.min(event.clientY - box.top + 14, box.height - hint.offsetHeight - 6);
    hint.style.left = `${Math.max(4, x)}px`;
    hint.style.top = `${Math.max(4, y)}px`;
  }
}
