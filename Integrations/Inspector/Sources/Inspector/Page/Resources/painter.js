"use strict";

/** Draws the lanes of a timeline on its canvas: only what is visible, and no two bars on one pixel. */
class Painter {
  constructor(timeline) {
    this.timeline = timeline;
    this.context = timeline.canvas.getContext("2d");
  }

  /** Draws the lanes in these places, scrolled to a position. */
  draw(places, height, scroll) {
    const { timeline, context } = this;
    this.height = height;
    this.scroll = scroll;
    this.resize();
    context.clearRect(0, 0, timeline.width, height);
    context.font = Text12.font;
    context.textBaseline = "middle";
    context.lineWidth = 1;
    const visible = places.filter((place) => place.bottom - scroll > Timeline.axisHeight && place.top - scroll < height);
    this.clipped(0, Timeline.axisHeight, timeline.width, height, () => {
      this.drawGrid();
      let count = 0;
      for (const place of visible) {
        this.drawLane(place);
        count += place.items.length;
      }
      const chosen = timeline.chosen && timeline.chosen.post;
      const items = count < 400 ? visible.flatMap((place) => place.items) : chosen ? [...chosen.calls, ...chosen.children] : [];
      this.drawLinks(items, new Map(places.map((place) => [place.lane.index, place])));
    });
    this.drawAxis();
    if (timeline.work.bars === 0) this.drawNothing(places.length > 0);
  }

  resize() {
    const { canvas, width } = this.timeline;
    const scale = devicePixelRatio || 1;
    const size = [Math.round(width * scale), Math.round(this.height * scale)];
    if (canvas.width === size[0] && canvas.height === size[1]) return;
    canvas.style.height = `${this.height}px`;
    [canvas.width, canvas.height] = size;
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
  }

  clipped(x, y, width, height, body) {
    const context = this.context;
    context.save();
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    body();
    context.restore();
  }

  /** The moments of the axis with their labels. */
  *ticks() {
    const { t0, t1, plot, isLive, chosen } = this.timeline;
    const step = roundStep((t1 - t0) / Math.max(2, plot / 130));
    // A short window counts from the chosen post, or from its own beginning.
    const isShort = !isLive && t1 - t0 < 1e9;
    const zero = !isShort ? 0 : chosen ? chosen.post.t0 : t0;
    for (let count = Math.ceil((t0 - zero) / step); zero + count * step < t1; count += 1) {
      const distance = count * step;
      if (isShort) yield [zero + distance, count ? `${count < 0 ? "−" : "+"}${Format.duration(Math.abs(distance))}` : "0"];
      else if (distance >= 0) yield [distance, Format.tick(distance, step)];
    }
  }

  drawGrid() {
    const { context, timeline } = this;
    context.strokeStyle = Colors.get("line");
    context.beginPath();
    for (const [time] of this.ticks()) {
      const x = Math.round(timeline.x(time)) + 0.5;
      if (x < timeline.gutter) continue;
      context.moveTo(x, Timeline.axisHeight);
      context.lineTo(x, this.height);
    }
    context.stroke();
  }

  drawAxis() {
    const { context, timeline } = this;
    context.fillStyle = Colors.get("soft");
    context.strokeStyle = Colors.get("line");
    context.beginPath();
    for (const [time, label] of this.ticks()) {
      const x = Math.round(timeline.x(time)) + 0.5;
      context.moveTo(x, Timeline.axisHeight - 4);
      context.lineTo(x, Timeline.axisHeight);
      if (x >= timeline.gutter && x + Text12.width(label) + 8 < timeline.width) context.fillText(label, x + 4, 11);
    }
    context.moveTo(0, Timeline.axisHeight - 0.5);
    context.lineTo(timeline.width, Timeline.axisHeight - 0.5);
    context.stroke();
    context.clearRect(0, 0, timeline.gutter, Timeline.axisHeight - 1);
    context.fillText(Text12.fitted("Actor or thread", timeline.gutter - 16), 12, 11);
  }

  drawNothing(hasLanes) {
    const { timeline } = this;
    const text = !timeline.model.posts.length ? "Bars appear here when an event is posted."
      : timeline.filter.isActive ? "Nothing in this window passes the filter."
        : timeline.isLive ? "Nothing was posted in this window." : "Nothing was posted in this window. “Show all” shows the whole recording.";
    this.context.fillStyle = Colors.get("soft");
    const y = hasLanes ? Timeline.axisHeight + Timeline.lanePad + Timeline.rowHeight / 2 : 56;
    this.context.fillText(Text12.fitted(text, timeline.plot - 24), timeline.gutter + 12, y);
  }

  drawLane({ lane, items, rows, top, bottom, name }) {
    const { context, timeline } = this;
    [top, bottom] = [top - this.scroll, bottom - this.scroll];
    this.clipped(timeline.gutter, top, timeline.plot, bottom - top, () => {
      /** For each row: the ends of what is drawn, by weight, and the last bar, which has no label yet. */
      const edges = new Array(10).fill(undefined).map(() => [-1, -1, -1]);
      const last = [];
      for (const item of items) {
        const row = rows.get(item.row);
        const left = Math.max(timeline.x(item.t0), timeline.gutter - 4);
        const right = Math.min(timeline.x(Math.min(item.t1, timeline.now)), timeline.width + 4);
        const weight = Painter.weight(item);
        // What ends on a pixel that is already drawn adds nothing, unless it weighs more.
        if (edges[row].some((edge, at) => at >= weight && right <= edge) && item !== timeline.chosen) continue;
        const bar = { item, weight, x: left, y: top + Timeline.lanePad + row * Timeline.rowHeight, width: Math.max(right - left, 3) };
        edges[row][weight] = bar.x + bar.width;
        if (last[row]) this.drawLabel(last[row], left);
        last[row] = bar;
        this.drawBar(bar);
      }
      for (const bar of last) if (bar) this.drawLabel(bar, timeline.width);
    });
    const isThread = name.startsWith("thread ");
    context.clearRect(0, top, timeline.gutter, bottom - top);
    context.fillStyle = Colors.get(isThread ? "soft" : "ink");
    context.fillText(Text12.fitted(name, timeline.gutter - 20), 12, top + Timeline.lanePad + Timeline.rowHeight / 2);
    context.strokeStyle = Colors.get("line");
    context.beginPath();
    context.moveTo(0, bottom - 0.5);
    context.lineTo(timeline.width, bottom - 0.5);
    context.moveTo(timeline.gutter - 0.5, top);
    context.lineTo(timeline.gutter - 0.5, bottom);
    context.stroke();
  }

  /** How much an item matters: failed, slow, or neither. */
  static weight(item) {
    return item.state === "failed" ? 2 : isSlow(item) ? 1 : 0;
  }

  drawBar({ item, weight, x, y, width }) {
    const { context, timeline } = this;
    const height = Timeline.rowHeight - 3;
    context.globalAlpha = item.isPost || weight ? 1 : 0.4;
    context.fillStyle = weight ? Colors.get(weight === 2 ? "bad" : "slow") : timeline.model.color(item.name);
    if (width < 5) {
      context.fillRect(x, y, width, height);
    } else {
      context.beginPath();
      context.roundRect(x, y, width, height, 3);
      context.fill();
    }
    context.globalAlpha = 1;
    if (timeline.chosen && timeline.chosen.post === item.post) {
      context.strokeStyle = Colors.get("ink");
      context.lineWidth = item === timeline.chosen ? 2 : 1;
      context.strokeRect(x, y, width, height);
      context.lineWidth = 1;
    }
    timeline.hits.push([x - 2, y, width + 4, height, item]);
    timeline.work.bars += 1;
  }

  /** Writes the name of a bar into it, or beside it if there is room before the next one. */
  drawLabel({ item, weight, x, y, width }, next) {
    const { context, timeline } = this;
    const strings = timeline.model.strings;
    const room = Math.max(width, next - x - 4);
    if (room < 30) return;
    const start = Math.max(x, timeline.gutter);
    const inside = x + width - start - 10;
    const text = (weight === 2 ? "✕ " : "") + (item.isPost ? strings[item.name] : Format.site(strings[item.handler]));
    const beside = next - (x + width) - 12;
    const full = Text12.width(text);
    const middle = y + (Timeline.rowHeight - 3) / 2 + 0.5;
    timeline.work.labels += 1;
    if (full <= inside || (inside > 44 && beside < full)) {
      context.fillStyle = Colors.get(weight === 1 ? "on-slow" : item.isPost || weight ? "surface" : "ink");
      context.fillText(Text12.fitted(text, inside), start + 5, middle);
    } else if (beside >= (weight === 2 ? Math.min(full, 44) : full)) {
      context.fillStyle = Colors.get(weight ? (weight === 2 ? "bad" : "warn") : item.isPost ? "ink" : "soft");
      context.fillText(Text12.fitted(text, beside), x + width + 4, middle);
    }
  }

  /** Joins queued deliveries to their post, and posts on other lanes to what caused them. */
  drawLinks(items, places) {
    const { context, timeline } = this;
    const middle = (item, lane) => {
      const place = places.get(lane);
      const row = place.rows.get(item.row) || 0;
      return place.top - this.scroll + Timeline.lanePad + row * Timeline.rowHeight + (Timeline.rowHeight - 3) / 2;
    };
    this.clipped(timeline.gutter, 0, timeline.plot, this.height, () => {
      context.strokeStyle = Colors.get("soft");
      context.globalAlpha = 0.75;
      for (const item of items) {
        let from;
        if (!item.isPost && item.queuedAt !== undefined && isFinite(item.t0)) {
          from = [item.queuedAt, item.post, item.post.lane];
        } else if (item.isPost && item.parent && (item.parent.lane !== item.lane || item.parent.t1 < item.t0)) {
          from = [Math.min(item.parent.t1, item.t0), item.parent, item.parent.lane];
        }
        if (!from || !places.has(from[2]) || !places.has(item.lane)) continue;
        const [x0, y0, x1, y1] = [timeline.x(from[0]), middle(from[1], from[2]), timeline.x(item.t0), middle(item, item.lane)];
        // Among many, an arrow without a length is only a line through all lanes.
        if (items.length > 60 && Math.abs(x1 - x0) < 3 && item.post !== (timeline.chosen && timeline.chosen.post)) continue;
        const bend = Math.max(10, Math.min(60, (x1 - x0) / 2));
        context.beginPath();
        context.moveTo(x0, y0);
        context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 3, y1);
        context.moveTo(x1 - 7, y1 - 3);
        context.lineTo(x1 - 2, y1);
        context.lineTo(x1 - 7, y1 + 3);
        context.stroke();
        timeline.work.links += 1;
      }
    });
  }
}
