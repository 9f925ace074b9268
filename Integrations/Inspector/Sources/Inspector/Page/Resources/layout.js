"use strict";

/** The spans of one actor or thread, in rows: what overlaps in time never shares one. */
class Lane {
  constructor(index) {
    this.index = index;
    this.items = [];
    this.rows = [];
    /** The latest end of each block of items, to find those that reach into a window. */
    this.blocks = [];
  }

  /** Adds a span that begins now. */
  add(item) {
    let row = 0;
    while (this.rows[row] && this.rows[row].t1 > item.t0) row += 1;
    this.rows[row] = item;
    item.row = row;
    this.items.push(item);
    // Steps of several threads may arrive a little out of order.
    for (let at = this.items.length - 1; at > 0 && this.items[at - 1].t0 > item.t0; at -= 1) {
      this.items[at] = this.items[at - 1];
      this.items[at - 1] = item;
      this.blocks.length = Math.min(this.blocks.length, Math.floor((at - 1) / 256));
    }
  }

  remove(posts) {
    this.items = this.items.filter((item) => !posts.has(item.post));
    // What is forgotten while it runs occupies no row.
    this.rows = this.rows.map((item) => (item && posts.has(item.post) ? undefined : item));
    this.blocks = [];
  }

  /** Calls a function with each span that overlaps a window; returns how many it looked at. */
  visit(t0, t1, body) {
    const size = 256;
    const items = this.items;
    let count = 0;
    for (let block = 0; block * size < items.length; block += 1) {
      const first = block * size;
      if (items[first].t0 > t1) return count;
      const last = Math.min(first + size, items.length);
      let end = this.blocks[block];
      if (end === undefined) {
        end = -Infinity;
        for (let at = first; at < last; at += 1) end = Math.max(end, items[at].t1);
        // A block is complete when it is full and nothing in it runs.
        if (last - first === size && isFinite(end)) this.blocks[block] = end;
      }
      if (end < t0) continue;
      for (let at = first; at < last; at += 1) {
        const item = items[at];
        count += 1;
        if (item.t0 > t1) return count;
        if (item.t1 >= t0) body(item);
      }
    }
    return count;
  }
}
