"use strict";

/** Receives messages from the program, or from the file, and draws at most once a frame. */
class App {
  constructor() {
    this.model = new Model();
    this.filter = new Filter(this.model);
    this.timeline = new Timeline(this.model, this.filter);
    this.overview = new Overview(this.model, this.filter);
    this.strip = new Strip(this.model, this.filter, this.timeline);
    this.log = new Log(this.model, this.filter);
    this.detail = new Detail(this.model);
    this.connection = undefined;
    /** The number of the post to choose when it arrives. */
    this.wanted = undefined;
    this.data = {};
    this.clock = { now: 0, at: performance.now(), count: 0 };
    this.drawn = {};
    this.lastOverview = -Infinity;
    this.listen();
    this.keyboard = new Keyboard(this);
  }

  /** The time of the program; it stands still when the program is not heard. */
  get now() {
    if (!this.connection) return Math.max(this.model.end, this.clock.now);
    return this.clock.now + Math.min(performance.now() - this.clock.at, 1000) * 1e6;
  }

  get isLost() {
    return this.connection !== undefined && this.connection.isLost;
  }

  receive(name, data) {
    if (name === "meta") {
      this.begin(data);
    } else if (name === "trace") {
      if (!this.model.sums.posts) this.showSummaryAtOnce();
      this.model.addTrace(data);
      this.restore();
    } else if (name === "clock") {
      this.clock = { now: data.now, at: performance.now(), count: data.count };
    } else {
      this.data[name] = data;
      this.drawn[name] = false;
    }
  }

  /** Draws the summary with the next frame: until then it says that the page waits, or that nothing was posted. */
  showSummaryAtOnce() {
    this.lastOverview = -Infinity;
  }

  /** Begins to read a recording, whose parts are all yet to come. */
  begin(meta) {
    const old = this.model.meta;
    const isSame = old.process === meta.process && old.start === meta.start;
    const chosen = this.timeline.chosen;
    // A stream may end again before the chosen post has arrived.
    const number = !isSame ? undefined : chosen ? chosen.post.number : this.wanted;
    if (chosen) this.choose(undefined);
    this.wanted = number;
    this.model.reset();
    this.model.meta = meta;
    this.showSummaryAtOnce();
    this.filter.forget();
    if (this.connection && !isSame) this.timeline.follow();
    const title = meta.label ? `${meta.program || "Inspector"} · ${meta.label}` : meta.program || "Inspector";
    byId("program").textContent = title;
    byId("program").title = title;
    document.title = `${title} – Inspector`;
  }

  /** Chooses again what was chosen before the connection was lost. */
  restore() {
    const post = this.wanted !== undefined && this.model.byNumber.get(this.wanted);
    if (post) this.choose(post);
  }

  choose(item, zooms) {
    this.wanted = undefined;
    this.timeline.chosen = item;
    this.log.chosen = item;
    this.drawContent();
    byId("timeline").classList.toggle("chosen", item !== undefined);
    this.detail.show(item);
    if (item && zooms) this.timeline.showItem(item);
    else if (item && this.timeline.isLive) this.timeline.show(this.timeline.t0, this.timeline.t1);
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
      const isSelected = button.dataset.tab === tab;
      button.setAttribute("aria-selected", String(isSelected));
      button.tabIndex = isSelected ? 0 : -1;
    }
    history.replaceState(null, "", `#${tab}`);
    this.drawn = {};
  }

  badge(tab, text, isBad) {
    const node = byId(`tab-${tab}`).querySelector("b");
    node.textContent = text;
    node.className = text ? (isBad ? "shown bad" : "shown") : "";
  }

  draw() {
    this.drawStatus();
    this.drawTables();
    if (this.tab !== "timeline") return;
    const timeline = this.timeline;
    timeline.advance(this.now);
    const { t0, t1, isLive, lanes } = timeline;
    const state = [this.model.version, this.filter.version, t0, t1, isLive, this.isLost, lanes.scrollTop, lanes.clientHeight].join();
    if (this.drawn.timeline !== state) {
      this.drawn.timeline = state;
      timeline.draw();
      this.drawFrame();
      this.drawn.overview = false;
    }
    this.drawContent();
    if (this.log.wanted !== undefined) this.log.draw();
    const time = performance.now();
    if (!this.drawn.overview && time - this.lastOverview > 200) {
      this.lastOverview = time;
      this.drawn.overview = true;
      this.overview.draw(this.now);
      this.strip.draw();
    }
  }

  /** Shows in the list what has changed. */
  drawContent() {
    const content = `${this.model.version} ${this.filter.version}`;
    if (this.drawn.content === content) return;
    this.drawn.content = content;
    this.log.update();
    if (this.timeline.chosen) this.detail.show(this.timeline.chosen);
  }

  /** Says which time is shown, and how to show another. */
  drawFrame() {
    const { t0, t1, isLive, leftOut, overflows } = this.timeline;
    const isSaved = !this.connection;
    const length = Format.duration(t1 - t0);
    const short = t1 - t0 < 1e7;
    const window = short ? `${length} from ${Format.time(t0)}` : `${length}, ${Format.time(t0)} to ${Format.time(t1)}`;
    const [kind, word, rest] = isLive
      ? this.isLost ? ["ended", "Ended", `the last ${length}, to ${Format.time(t1)}`] : ["live", "Live", `the last ${length}`]
      : isSaved ? ["saved", "Saved", window] : ["paused", "Paused", window];
    update(byId("span"), element("b", { class: kind }, word), element("span", {}, rest),
      leftOut > 0 && element("span", { class: "soft wide" }, `· ${Format.plural(leftOut, "idle lane")} hidden`));
    const live = byId("live");
    live.hidden = isSaved || (isLive && this.isLost);
    update(live, isLive ? "Pause" : this.isLost ? "Go to the end" : "Back to live");
    live.className = isLive ? "" : "primary";
    update(byId("wheel"), overflows ? "Scroll for more lanes, Ctrl + scroll to zoom, drag to move, click for more"
      : "Scroll to zoom, drag to move, click for more");
  }

  drawTables() {
    const { observers, launch, services, themes } = this.data;
    if (this.data[this.tab] === undefined && Views[this.tab]) Views.wait(byId(this.tab));
    const isDue = (name, data) => data !== undefined && !this.drawn[name];
    if (isDue("observers", observers)) {
      this.badge("observers", Observers.growing(observers).length ? "leak?" : "", false);
      this.overview.growing = Observers.growing(observers);
      this.drawn.overview = false;
      if (this.tab === "observers") Observers.show(observers);
      this.drawn.observers = true;
    }
    if (isDue("launch", launch)) {
      this.badge("launch", String(Launch.failed(launch) || ""), true);
      if (this.tab === "launch") Launch.show(launch);
      this.drawn.launch = true;
    }
    const second = Math.floor(this.now / 5e8);
    if (isDue("services", services) || (services && this.tab === "services" && this.drawn.second !== second)) {
      this.badge("services", String(Services.failed(services) || ""), true);
      if (this.tab === "services") Services.show(services, this.now);
      [this.drawn.services, this.drawn.second] = [true, second];
    }
    if (isDue("themes", themes)) {
      if (this.tab === "themes") Themes.show(themes);
      this.drawn.themes = true;
    }
  }

  drawStatus() {
    const { capacity } = this.model.meta;
    const { count, now } = this.clock;
    const steps = `${count > capacity ? `the last ${Format.plural(capacity, "step")}` : Format.plural(count, "step")} recorded`;
    const hasMeta = this.model.meta.start !== 0;
    const [kind, word] = !this.connection ? ["", "Saved file"]
      : !this.isLost ? ["live", "Running"] : ["lost", hasMeta ? "Not connected" : "Connecting…"];
    const node = byId("status");
    node.className = kind;
    update(node, element("i", {}), element("span", {}, word), kind !== "lost" && element("span", { class: "wide" }, `· ${steps}`));
    const notice = byId("notice");
    const isSilent = this.isLost && (hasMeta || performance.now() > Connection.silence);
    if (notice.hidden !== !isSilent) {
      notice.hidden = !isSilent;
      this.drawn = {};
    }
    if (!isSilent) return;
    update(notice, element("b", {}, "The program has gone, or a debugger holds it. "), hasMeta
      ? `What it did until ${Format.time(now)} stays here; the page connects again when it answers.`
      : "It has ended, or too many of its pages are open. The page connects when it answers.");
  }

  listen() {
    const timeline = this.timeline;
    byId("tabs").addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) this.select(button.dataset.tab);
    });
    const filter = byId("filter");
    filter.addEventListener("input", () => this.filter.set(filter.value));
    const choose = (item, zooms) => this.choose(item, zooms);
    [timeline.onChoose, this.overview.onChoose, this.log.onChoose, this.detail.onChoose] = [choose, choose, choose, choose];
    this.overview.onLeak = () => this.select("observers");
    this.overview.onFilter = () => (this.lastOverview = -Infinity);
    this.log.onClear = () => {
      filter.value = "";
      this.filter.clear();
    };
    this.log.canFollow = () => timeline.isLive;
    // The list shows what the window shows.
    timeline.onMove = () => this.log.revealTime(timeline.t0);
    byId("zoom-in").addEventListener("click", () => timeline.zoom(0.5));
    byId("zoom-out").addEventListener("click", () => timeline.zoom(2));
    byId("fit").addEventListener("click", () => timeline.showAll());
    byId("live").addEventListener("click", () => this.toggleLive());
    const redraw = () => {
      this.drawn = {};
      this.lastOverview = -Infinity;
    };
    Colors.isDark.addEventListener("change", redraw);
    addEventListener("resize", redraw);
  }

  toggleLive() {
    const timeline = this.timeline;
    if (!this.connection) return;
    if (timeline.isLive) return timeline.show(timeline.t0, timeline.t1);
    this.choose(undefined);
    timeline.follow();
    this.log.isFollowing = true;
    this.log.update();
  }

  start() {
    const saved = byId("data");
    if (saved) {
      for (const message of JSON.parse(saved.textContent)) this.receive(message.name, message.data);
      this.timeline.showAll();
    } else {
      this.connection = new Connection((name, data) => this.receive(name, data));
      this.connection.open();
    }
    const frame = () => {
      // First, so that an error in one frame is not the end of all.
      requestAnimationFrame(frame);
      this.draw();
    };
    const tab = location.hash.slice(1);
    this.select(document.querySelector(`#tabs [data-tab="${CSS.escape(tab)}"]`) ? tab : "timeline");
    frame();
  }
}

window.inspector = new App();
window.inspector.start();
