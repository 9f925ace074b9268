"use strict";

const Kind = { began: 0, ended: 1, queued: 2, started: 3, finished: 4, failed: 5, skipped: 6 };

/** A frame of a screen: handlers that take longer are called slow. */
const SLOW = 16.7e6;

/** Returns whether a call of a handler took, or takes, longer than a frame. */
const isSlow = (item) => !item.isPost && isFinite(item.t1) && item.t1 - item.t0 >= SLOW;

/** The recording: posts, their deliveries, and sums of them. */
class Model {
  constructor() {
    /** Grows with every change. */
    this.version = 0;
    this.reset();
  }

  /** Forgets everything. */
  reset() {
    this.strings = [];
    this.laneNames = [];
    this.lanes = new Map();
    this.posts = [];
    this.byNumber = new Map();
    this.open = new Map();
    this.names = new Map();
    this.sites = new Map();
    this.handlers = new Map();
    this.meta = { capacity: 100000, reasons: [], start: 0 };
    this.entryCount = 0;
    this.nextEntry = 0;
    this.failed = 0;
    this.slowest = null;
    this.end = 0;
    this.nameCount = 0;
    this.sums = { posts: 0, slow: 0 };
    this.laneCounts = new Map();
    this.version += 1;
  }

  /** The first moment that is kept. */
  get begin() {
    return this.posts.length ? this.posts[0].t0 : 0;
  }

  addTrace(batch) {
    batch.strings.forEach((text, index) => (this.strings[batch.stringsFrom + index] = text));
    batch.lanes.forEach((text, index) => this.nameLane(batch.lanesFrom + index, text));
    // The program has overwritten steps that this page never received, among them ends of what runs here.
    if (batch.first > this.nextEntry) this.closeAll();
    this.nextEntry = batch.first + batch.entries.length / 10;
    const list = batch.entries;
    for (let at = 0, number = batch.first; at < list.length; at += 10, number += 1) {
      this.addEntry(
        list[at], list[at + 1], list[at + 2], list[at + 3], list[at + 4], list[at + 5], list[at + 6],
        list[at + 7], list[at + 8], list[at + 9], batch.texts[number]);
    }
    this.trim();
    this.version += 1;
  }

  addEntry(kind, number, outer, time, name, site, registration, handler, lane, reason, text) {
    if (time > this.end) this.end = time;
    if (kind === Kind.began) return this.addPost(number, outer, time, name, site, lane);
    const post = this.byNumber.get(number);
    if (!post) return;
    // Steps of posts that are gone, or were never seen, are not kept.
    post.entries += 1;
    this.entryCount += 1;
    if (kind === Kind.ended) {
      post.t1 = time;
      return;
    }
    const key = number * 65536 + (registration & 65535);
    if (kind === Kind.queued) {
      // A start that is reported before its queueing is joined to it.
      const known = post.calls.find((call) => call.registration === registration);
      if (known) [known.queuedAt, known.queuedOn] = [Math.min(time, known.t0), lane];
      else if (!post.skips.some((skip) => skip.registration === registration)) {
        this.open.set(key, this.newCall(post, registration, handler, lane, time));
      }
    } else if (kind === Kind.started) {
      const call = this.open.get(key) || this.newCall(post, registration, handler, lane, undefined);
      call.t0 = time;
      call.lane = lane;
      call.state = "running";
      this.open.set(key, call);
      if (text !== undefined) post.payload = text;
      this.lane(lane).add(call);
    } else if (kind === Kind.skipped) {
      const waiting = this.open.get(key);
      this.open.delete(key);
      if (waiting) {
        post.calls.splice(post.calls.indexOf(waiting), 1);
        if (waiting.state === "running") waiting.t1 = time;
      }
      post.skips.push({ registration, handler, reason, time, lane });
      this.handler(name, handler).skips += 1;
    } else {
      const call = this.open.get(key);
      this.open.delete(key);
      if (call) this.finish(call, time, kind === Kind.failed ? text || "error" : undefined);
    }
  }

  /** Actors of one type get numbers. */
  nameLane(index, text) {
    const count = (this.laneCounts.get(text) || 0) + 1;
    this.laneCounts.set(text, count);
    this.laneNames[index] = count > 1 ? `${text} ${count}` : text;
  }

  /** Ends what runs, because its end is not known. */
  closeAll() {
    for (const call of this.open.values()) if (call.state === "running") call.t1 = Math.max(call.t0, this.end);
    for (const post of this.posts) if (!isFinite(post.t1)) post.t1 = this.end;
    this.open.clear();
  }

  addPost(number, outer, time, name, site, lane) {
    const post = {
      number, outer, name, site, lane, t0: time, t1: Infinity, row: 0, calls: [], skips: [], children: [],
      payload: undefined, entries: 1, depth: 0, isPost: true, failed: 0, slow: 0, isGone: false,
    };
    post.post = post;
    this.entryCount += 1;
    const cause = this.byNumber.get(outer);
    if (cause) {
      post.depth = Math.min(cause.depth + 1, 6);
      cause.children.push(post);
      // The handler that runs here, or, for an event that was enqueued, the last one that ran here.
      post.parent = cause.calls.findLast((call) => call.t0 <= time && call.t1 >= time && call.lane === lane)
        || cause.calls.findLast((call) => call.t0 <= time && call.lane === lane) || cause;
    }
    this.posts.push(post);
    this.byNumber.set(number, post);
    this.sums.posts += 1;
    this.name(name).posts += 1;
    const from = `${name} ${site}`;
    let poster = this.sites.get(from);
    if (!poster) this.sites.set(from, (poster = { name, site, posts: 0 }));
    poster.posts += 1;
    this.lane(lane).add(post);
  }

  newCall(post, registration, handler, lane, queuedAt) {
    const call = {
      post, registration, handler, name: post.name, lane, queuedAt, queuedOn: lane, t0: Infinity, t1: Infinity, row: 0,
      state: "waiting", error: undefined, isPost: false,
    };
    post.calls.push(call);
    return call;
  }

  finish(call, time, error) {
    call.t1 = time;
    call.state = error === undefined ? "done" : "failed";
    call.error = error;
    const took = time - call.t0;
    const sums = this.handler(call.name, call.handler);
    sums.calls += 1;
    sums.time += took;
    if (took > sums.longest) {
      sums.longest = took;
      sums.worst = call;
    }
    if (!this.slowest || took > this.slowest.t1 - this.slowest.t0) this.slowest = call;
    if (took >= SLOW) {
      sums.slow += 1;
      this.sums.slow += 1;
      call.post.slow += 1;
    }
    if (error === undefined) return;
    this.failed += 1;
    sums.failed += 1;
    sums.lastFailed = call;
    call.post.failed += 1;
    this.name(call.name).failed += 1;
  }

  name(index) {
    let sums = this.names.get(index);
    if (!sums) {
      // The program's own announcements are the background of the others.
      const isLifecycle = this.strings[index].startsWith("application.");
      const order = isLifecycle ? -1 : this.nameCount++;
      this.names.set(index, (sums = { index, order, posts: 0, failed: 0 }));
    }
    return sums;
  }

  handler(name, site) {
    const key = `${name} ${site}`;
    let sums = this.handlers.get(key);
    if (!sums) {
      sums = { name, site, calls: 0, time: 0, longest: 0, slow: 0, failed: 0, skips: 0, worst: undefined, lastFailed: undefined };
      this.handlers.set(key, sums);
    }
    return sums;
  }

  lane(index) {
    let lane = this.lanes.get(index);
    if (!lane) this.lanes.set(index, (lane = new Lane(index)));
    return lane;
  }

  color(name) {
    return Colors.of(this.name(name).order);
  }

  /** The time a post took with its last delivery. */
  took(post) {
    let end = post.t1;
    for (const call of post.calls) if (call.t1 > end) end = call.t1;
    return end - post.t0;
  }

  /** Forgets the oldest posts when there are more entries than the program keeps. */
  trim() {
    if (this.entryCount <= this.meta.capacity * 1.1) return;
    let dropped = 0;
    let count = 0;
    while (count < this.posts.length && this.entryCount - dropped > this.meta.capacity) {
      dropped += this.posts[count].entries;
      count += 1;
    }
    const gone = new Set(this.posts.splice(0, count));
    this.entryCount -= dropped;
    for (const post of gone) {
      this.byNumber.delete(post.number);
      post.isGone = true;
      // A post that is still shown must not keep all that followed it, nor the first kept one all that led to it.
      post.parent = undefined;
      post.children = [];
    }
    for (const [key, call] of this.open) if (gone.has(call.post)) this.open.delete(key);
    for (const lane of this.lanes.values()) lane.remove(gone);
    // Sums remain, but nothing that refers to what is gone.
    for (const sums of this.handlers.values()) {
      if (sums.worst && gone.has(sums.worst.post)) sums.worst = undefined;
      if (sums.lastFailed && gone.has(sums.lastFailed.post)) sums.lastFailed = undefined;
    }
  }
}
