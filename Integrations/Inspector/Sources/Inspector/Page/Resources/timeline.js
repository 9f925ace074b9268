"use strict";

/** Draws the lanes on a canvas: only what is visible, and no two spans on one pixel. */
class Timeline {
  constructor(model, filter) {
    this.model = model;
    this.filter = filter;
    this.canvas = byId("canvas");
    this.context = this.canvas.getContext("2d");
    this.isLive = true;
    this.span = 10e9;
    this.t0 = 0;
    this.t1 = 10e9;
    this.chosen = undefined;
    this.hits = [];
    this.onChoose = () => {};
    this.onMove = () => {};
    this.measure();
    this.listen();
  }

  static rowHeight = 17;
  static axisHeight = 22;
  static lanePad = 7;

  /** Reads the width, which costs too much to be read for every bar. */
  measure() {
    this.outerWidth = this.canvas.clientWidth;
    this.gutter = this.outerWidth < 900 ? 112 : 150;
    this.plot = Math.max(1, this.outerWidth - this.gutter);
  }

  x(time) {
    return this.gutter + ((time - this.t0) / (this.t1 - this.t0)) * this.plot;
  }

  time(x) {
    return this.t0 + ((x - this.gutter) / this.plot) * (this.t1 - this.t0);
  }

  /** Shows a window of time, and stops following. */
  show(t0, t1) {
    const span = Math.max(t1 - t0, 2e3);
    const middle = (t0 + t1) / 2;
    [this.t0, this.t1] = [middle - span / 2, middle + span / 2];
    this.span = span;
    this.isLive = false;
    this.onMove();
  }

  follow(now) {
    if (!this.isLive) return;
    this.t1 = now;
    this.t0 = now - this.span;
  }

  zoom(factor, at) {
    if (this.isLive) {
      this.span = Math.min(Math.max(this.span * factor, 1e5), 3600e9);
      this.onMove();
      return;
    }
    const middle = at === undefined ? (this.t0 + this.t1) / 2 : at;
    this.show(middle - (middle - this.t0) * factor, middle + (this.t1 - middle) * factor);
  }

  pan(part) {
    const by = (this.t1 - this.t0) * part;
    this.show(this.t0 + by, this.t1 + by);
  }

  /** Draws everything. `now` is the end of what still runs. */
  draw(now) {
    this.measure();
    const lanes = [...this.model.lanes.values()].filter((lane) => lane.items.length > 0);
    const isThread = (lane) => this.model.laneNames[lane.index].startsWith("thread ");
    lanes.sort((left, right) => this.laneOrder(left) - this.laneOrder(right));
    this.follow(now);
    const tops = new Map();
    let y = Timeline.axisHeight;
    const drawn = [];
    for (const lane of lanes) {
      const items = [];
      const used = new Set();
      lane.visit(this.t0, this.t1, (item) => {
        if (!this.filter.shows(item.post)) return;
        items.push(item);
        used.add(item.row);
      });
      // Threads come and go; an actor keeps its place.
      if (!items.length && isThread(lane)) continue;
      // Rows that have nothing in the window take no space: they belong to what encloses it in time.
      lane.shown = new Map([...used].sort((left, right) => left - right).map((row, at) => [row, Math.min(at, 9)]));
      const rows = Math.max(1, Math.min(used.size, 10));
      tops.set(lane.index, y);
      drawn.push([lane, items, rows, y]);
      y += rows * Timeline.rowHeight + Timeline.lanePad * 2;
    }
    this.resize(Math.max(y, 86));
    const context = this.context;
    const width = this.outerWidth;
    context.clearRect(0, 0, width, this.height);
    context.font = '12px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
    context.textBaseline = "middle";
    this.hits = [];
    this.drawAxis(context, width);
    let count = 0;
    for (const [lane, items, rows, top] of drawn) {
      this.drawLane(context, lane, items, rows, top, width, now);
      count += items.length;
    }
    if (count < 400) for (const [, items] of drawn) this.drawLinks(context, items, tops);
    else if (this.chosen) this.drawLinks(context, [...this.chosen.post.calls, ...this.chosen.post.children], tops);
    if (!lanes.length) {
      context.fillStyle = Colors.get("soft");
      context.fillText("Bars appear here when an event is posted.", this.gutter + 12, 52);
    }
  }

  /** The main actor first, then actors, then threads. */
  laneOrder(lane) {
    const name = this.model.laneNames[lane.index];
    return (name === "MainActor" ? 0 : name.startsWith("thread ") ? 1e6 : 1e3) + lane.index;
  }

  resize(height) {
    const scale = devicePixelRatio || 1;
    const width = this.outerWidth;
    if (this.height !== height || this.width !== width || this.scale !== scale) {
      this.canvas.style.height = `${height}px`;
      this.canvas.width = Math.round(width * scale);
      this.canvas.height = Math.round(height * scale);
      this.context.setTransform(scale, 0, 0, scale, 0, 0);
      [this.height, this.width, this.scale] = [height, width, scale];
    }
  }

  drawAxis(context, width) {
    const wanted = (this.t1 - this.t0) / Math.max(2, this.plot / 130);
    const power = 10 ** Math.floor(Math.log10(wanted));
    const step = [1, 2, 5, 10].map((value) => value * power).find((value) => value >= wanted);
    context.strokeStyle = Colors.get("line");
    context.fillStyle = Colors.get("soft");
    context.lineWidth = 1;
    context.beginPath();
    // A short window counts from the chosen post.
    const isShort = !this.isLive && this.t1 - this.t0 < 1e9;
    const zero = isShort ? (this.chosen ? this.chosen.post.t0 : this.t0) : 0;
    for (let time = zero + Math.ceil((this.t0 - zero) / step) * step; time < this.t1; time += step) {
      const x = Math.round(this.x(time)) + 0.5;
      context.moveTo(x, Timeline.axisHeight - 4);
      context.lineTo(x, this.height);
      const label = isShort ? this.distance(Math.round(time - zero)) : this.axisLabel(time, step);
      if (time >= 0 && x + 60 < width) context.fillText(label, x + 4, 11);
    }
    context.stroke();
  }

  distance(time) {
    return time < 0 ? `−${Format.duration(-time)}` : time > 0 ? `+${Format.duration(time)}` : "0";
  }

  axisLabel(time, step) {
    const text = Format.time(time);
    return step >= 1e9 ? text.slice(0, -4) : text;
  }

  drawLane(context, lane, items, rows, top, width, now) {
    const height = rows * Timeline.rowHeight + Timeline.lanePad * 2;
    context.save();
    context.beginPath();
    context.rect(this.gutter, top, this.plot, height);
    context.clip();
    const edges = new Array(rows).fill(-1);
    for (const item of items) {
      const row = lane.shown.get(item.row);
      const left = Math.max(this.x(item.t0), this.gutter - 4);
      const right = Math.min(this.x(Math.min(item.t1, now)), width + 4);
      const isBad = item.state === "failed";
      // What ends on a pixel that is already drawn adds nothing, unless it failed.
      if (right <= edges[row] && !isBad && item !== this.chosen) continue;
      const span = Math.max(right - left, 3);
      edges[row] = left + span;
      this.drawItem(context, item, left, top + Timeline.lanePad + row * Timeline.rowHeight, span, isBad);
    }
    context.restore();
    context.fillStyle = Colors.get("surface");
    context.fillRect(0, top, this.gutter, height);
    context.fillStyle = Colors.get("ink");
    let name = this.model.laneNames[lane.index];
    while (name.length > 4 && context.measureText(name).width > this.gutter - 22) name = name.slice(0, -2) + "…";
    context.fillText(name, 12, top + Timeline.lanePad + Timeline.rowHeight / 2);
    context.strokeStyle = Colors.get("line");
    context.beginPath();
    context.moveTo(0, top + 0.5);
    context.lineTo(width, top + 0.5);
    context.moveTo(this.gutter - 0.5, top);
    context.lineTo(this.gutter - 0.5, top + height);
    context.stroke();
  }

  drawItem(context, item, x, y, width, isBad) {
    const height = Timeline.rowHeight - 2;
    const color = isBad ? Colors.get("bad") : this.model.color(item.name);
    const isSlow = !item.isPost && item.t1 - item.t0 >= SLOW;
    context.globalAlpha = item.isPost ? 1 : isBad ? 0.9 : 0.4;
    context.fillStyle = color;
    context.beginPath();
    context.roundRect(x, y, width, height, Math.min(3, width / 2));
    context.fill();
    context.globalAlpha = 1;
    if (isSlow && !isBad) {
      context.fillStyle = Colors.get("warn");
      context.fillRect(x, y + height - 3, width, 3);
    }
    if (this.chosen && this.chosen.post === item.post) {
      context.strokeStyle = Colors.get("ink");
      context.lineWidth = item === this.chosen ? 2 : 1;
      context.stroke();
    }
    if (width > 34) this.drawLabel(context, item, x, y, width, height, isBad);
    this.hits.push([x - 2, y, width + 4, height, item]);
  }

  drawLabel(context, item, x, y, width, height, isBad) {
    const name = this.model.strings[item.name];
    const start = Math.max(x, this.gutter) + 6;
    const text = item.isPost ? name : Format.site(this.model.strings[item.handler]);
    context.fillStyle = item.isPost || isBad ? Colors.get("surface") : Colors.get("ink");
    context.save();
    context.beginPath();
    context.rect(x, y, width - 4, height);
    context.clip();
    context.fillText(text, start, y + height / 2 + 0.5);
    context.restore();
  }

  /** Joins queued deliveries to their post, and posts on other lanes to what caused them. */
  drawLinks(context, items, tops) {
    const rowMiddle = (item, lane) =>
      tops.get(lane) + Timeline.lanePad + (this.model.lanes.get(lane).shown.get(item.row) || 0) * Timeline.rowHeight
      + Timeline.rowHeight / 2;
    context.strokeStyle = Colors.get("soft");
    context.lineWidth = 1;
    context.globalAlpha = 0.75;
    context.save();
    context.beginPath();
    context.rect(this.gutter, 0, this.plot, this.height);
    context.clip();
    for (const item of items) {
      let from;
      if (!item.isPost && item.queuedAt !== undefined && isFinite(item.t0)) {
        from = [this.x(item.queuedAt), rowMiddle(item.post, item.post.lane), item.post.lane];
      } else if (item.isPost && item.parent && (item.parent.lane !== item.lane || item.parent.t1 < item.t0)) {
        from = [this.x(Math.min(item.parent.t1, item.t0)), rowMiddle(item.parent, item.parent.lane), item.parent.lane];
      }
      if (!from || !tops.has(from[2]) || !tops.has(item.lane)) continue;
      const [x0, y0, x1, y1] = [from[0], from[1], this.x(item.t0), rowMiddle(item, item.lane)];
      const bend = Math.max(10, Math.min(60, (x1 - x0) / 2));
      context.beginPath();
      context.moveTo(x0, y0);
      context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 3, y1);
      context.moveTo(x1 - 7, y1 - 3);
      context.lineTo(x1 - 2, y1);
      context.lineTo(x1 - 7, y1 + 3);
      context.stroke();
    }
    context.restore();
    context.globalAlpha = 1;
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
      event.preventDefault();
      if (isPan) this.pan((event.deltaX || event.deltaY) / this.plot);
      else this.zoom(Math.exp(event.deltaY / 400), this.time(event.offsetX));
    }, { passive: false });
    let drag;
    canvas.addEventListener("pointerdown", (event) => {
      drag = { x: event.clientX, t0: this.t0, t1: this.t1, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      this.hover(event, drag);
      if (!drag) return;
      const by = event.clientX - drag.x;
      if (Math.abs(by) > 3) drag.moved = true;
      const shift = (by / this.plot) * (drag.t1 - drag.t0);
      if (drag.moved) this.show(drag.t0 - shift, drag.t1 - shift);
    });
    canvas.addEventListener("pointerup", (event) => {
      if (drag && !drag.moved) this.onChoose(this.hit(event));
      drag = undefined;
    });
    canvas.addEventListener("pointerleave", () => (byId("hint").hidden = true));
    canvas.addEventListener("dblclick", (event) => {
      const item = this.hit(event);
      if (item) this.showItem(item);
    });
  }

  /** Shows a post with all its deliveries. */
  showItem(item) {
    const took = Math.max(this.model.took(item.post), 1e3);
    const length = isFinite(took) ? took : this.model.end - item.post.t0;
    this.show(item.post.t0 - length * 0.15, item.post.t0 + length * 1.15);
  }

  hover(event, drag) {
    const hint = byId("hint");
    const item = drag && drag.moved ? undefined : this.hit(event);
    hint.hidden = !item;
    this.canvas.style.cursor = item ? "pointer" : "grab";
    if (!item) return;
    const strings = this.model.strings;
    hint.replaceChildren(
      element("b", {}, strings[item.name]),
      item.isPost
        ? `posted at ${strings[item.site]} · ${Format.plural(item.calls.length, "delivery").replace("deliverys", "deliveries")} · ${Format.duration(item.t1 - item.t0)}`
        : `handled at ${strings[item.handler]} · ${Format.duration(item.t1 - item.t0)}${item.error === undefined ? "" : ` · failed: ${item.error}`}`);
    const box = byId("chart").getBoundingClientRect();
    const x = Math.min(event.clientX - box.left + 12, box.width - hint.offsetWidth - 8);
    const y = Math.min(event.clientY - box.top + 14, box.height - hint.offsetHeight - 6);
    hint.style.left = `${Math.max(4, x)}px`;
    hint.style.top = `${Math.max(4, y)}px`;
  }
}
