"use strict";

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
