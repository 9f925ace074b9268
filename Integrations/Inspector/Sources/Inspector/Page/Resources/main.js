"use strict";

/** Receives messages from the program, or from the file, and draws at most once a frame. */
class App {
  constructor() {
    this.model = new Model();
    this.filter = new Filter(this.model);
    this.timeline = new Timeline(this.model, this.filter);
    this.overview = new Overview(this.model, this.filter, this.timeline);
    this.log = new Log(this.model, this.filter);
    this.detail = new Detail(this.model);
    this.data = {};
    this.clock = { now: 0, at: performance.now(), count: 0 };
    this.drawn = {};
    this.isLive = false;
    this.lastOverview = -Infinity;
    this.listen();
  }

  /** The time of the program. */
  get now() {
    if (!this.isLive) return Math.max(this.model.end, this.clock.now);
    return this.clock.now + (performance.now() - this.clock.at) * 1e6;
  }

  receive(name, data) {
    if (name === "meta") {
      this.model.meta = data;
      const title = data.label ? `${data.program || "Inspector"} · ${data.label}` : data.program || "Inspector";
      byId("program").textContent = title;
      document.title = `${title} – Inspector`;
    } else if (name === "trace") {
      this.model.addTrace(data);
    } else if (name === "clock") {
      this.clock = { now: data.now, at: performance.now(), count: data.count };
    } else {
      this.data[name] = data;
      this.drawn[name] = false;
    }
  }

  choose(item, zooms) {
    this.timeline.chosen = item;
    this.log.chosen = item;
    this.detail.show(item);
    if (item && zooms) this.timeline.showItem(item);
    if (item) this.log.reveal(item.post);
    this.drawn.timeline = undefined;
    this.log.draw();
  }

  get tab() {
    return document.body.dataset.tab;
  }

  select(tab) {
    document.body.dataset.tab = tab;
    for (const button of byId("tabs").children) {
      button.setAttribute("aria-selected", String(button.dataset.tab === tab));
    }
    this.drawn = {};
  }

  badge(tab, text, isBad) {
    const node = byId("tabs").querySelector(`[data-tab=${tab}] b`);
    node.textContent = text;
    node.className = text ? (isBad ? "shown bad" : "shown") : "";
  }

  draw() {
    this.drawStatus();
    this.drawTables();
    if (this.tab !== "timeline") return;
    const timeline = this.timeline;
    const state = `${this.model.version} ${this.filter.version} ${timeline.t0} ${timeline.t1} ${timeline.isLive}`;
    const isNew = this.drawn.timeline !== state;
    if (isNew || timeline.isLive) timeline.draw(this.now);
    byId("live").setAttribute("aria-pressed", String(timeline.isLive));
    const content = `${this.model.version} ${this.filter.version}`;
    if (this.drawn.content !== content) {
      this.drawn.content = content;
      this.log.update();
      if (timeline.chosen && !this.detail.node.matches(":hover")) this.detail.show(timeline.chosen);
    }
    const time = performance.now();
    if (isNew && time - this.lastOverview > 200) {
      this.lastOverview = time;
      this.overview.draw();
      this.drawn.timeline = state;
    }
  }

  drawTables() {
    const { observers, launch, services, themes } = this.data;
    if (observers && !this.drawn.observers) {
      const growing = Tables.observers(observers);
      this.badge("observers", growing ? "leak?" : "", false);
      this.drawn.observers = true;
    }
    if (launch !== undefined && !this.drawn.launch) {
      const failed = Launch.show(launch);
      this.badge("launch", failed ? String(failed) : "", true);
      this.drawn.launch = true;
    }
    const second = Math.floor(this.now / 5e8);
    if (services && (!this.drawn.services || (this.tab === "services" && this.drawn.second !== second))) {
      const failed = Tables.services(services, this.now);
      this.badge("services", failed ? String(failed) : "", true);
      [this.drawn.services, this.drawn.second] = [true, second];
    }
    if (themes && !this.drawn.themes) {
      Themes.show(themes);
      this.drawn.themes = true;
    }
  }

  drawStatus() {
    const kept = Math.min(this.clock.count, this.model.meta.capacity);
    const steps = `${Format.plural(kept, "step")}${this.clock.count > kept ? " (the last)" : ""}`;
    const isLost = this.isLive && performance.now() - this.clock.at > 3000;
    const [kind, text] = !this.isLive ? ["", `Saved · ${steps}`]
      : isLost ? ["lost", "The program has gone"] : ["live", `Live · ${steps}`];
    const node = byId("status");
    if (node.className !== kind) node.className = kind;
    if (node.lastElementChild.textContent !== text) node.lastElementChild.textContent = text;
  }

  listen() {
    byId("tabs").addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) this.select(button.dataset.tab);
    });
    byId("filter").addEventListener("input", (event) => this.filter.set(event.target.value));
    this.log.onChoose = this.detail.onChoose = this.overview.onChoose = (item, zooms) => this.choose(item, zooms);
    this.timeline.onChoose = (item) => this.choose(item, false);
    const timeline = this.timeline;
    const all = () => timeline.show(...this.overview.range);
    const live = () => {
      timeline.isLive = this.isLive;
      if (!this.isLive) return all();
      timeline.span = Math.max(timeline.span, 10e9);
      this.log.isFollowing = true;
    };
    byId("zoom-in").addEventListener("click", () => timeline.zoom(0.5));
    byId("zoom-out").addEventListener("click", () => timeline.zoom(2));
    byId("fit").addEventListener("click", all);
    byId("live").addEventListener("click", live);
    document.addEventListener("keydown", (event) => {
      if (event.target.closest("input") || event.ctrlKey || event.metaKey || event.altKey) return;
      const action = {
        "+": () => timeline.zoom(0.5), "-": () => timeline.zoom(2), f: all, l: live,
        ArrowLeft: () => timeline.pan(-0.1), ArrowRight: () => timeline.pan(0.1), Escape: () => this.choose(undefined),
      }[event.key];
      if (action) action();
    });
    const redraw = () => {
      Colors.cache = {};
      this.drawn = {};
    };
    Colors.isDark.addEventListener("change", redraw);
    addEventListener("resize", redraw);
  }

  start() {
    const saved = byId("data");
    if (saved) {
      for (const message of JSON.parse(saved.textContent)) this.receive(message.name, message.data);
      byId("live").hidden = true;
      if (this.model.posts.length) this.timeline.show(...this.overview.range);
    } else {
      this.isLive = true;
      const stream = new EventSource("stream");
      for (const name of ["meta", "trace", "observers", "launch", "services", "themes", "clock"]) {
        stream.addEventListener(name, (event) => this.receive(name, JSON.parse(event.data)));
      }
      // The program sends everything again to a stream that was lost: a new page would be needed for that.
      stream.addEventListener("error", () => stream.close());
    }
    const frame = () => {
      this.draw();
      requestAnimationFrame(frame);
    };
    this.select("timeline");
    frame();
  }
}

window.inspector = new App();
window.inspector.start();
