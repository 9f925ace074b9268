"use strict";

/** Parts of tables. */
const Tables = {
  /** A row of cells; `["n", cell]` is a number. */
  row(tag, cells, kind) {
    return element("tr", { class: kind }, ...cells.map((cell) => {
      const [type, content] = Array.isArray(cell) ? cell : ["", cell];
      return element(tag, { class: type || undefined, scope: tag === "th" ? "col" : undefined }, content);
    }));
  },

  /** A source site; a narrow page leaves out the module. */
  site(site) {
    const slash = site.lastIndexOf("/") + 1;
    return element("code", { title: site }, element("span", { class: "module" }, site.slice(0, slash)), site.slice(slash));
  },
};

/** The views that the program sends as a whole. */
const Views = {
  observers: "The observers of the bus appear here, with the lines of code that registered them.",
  launch: "The report of the launch appears here.",
  services: "The services of the application appear here.",
  themes: "Switches of themes appear here.",

  /** Says what will appear in a view that has not arrived yet. */
  wait(node) {
    if (node.querySelector(".awaited")) return;
    node.replaceChildren(element("p", { class: "callout calm awaited" }, element("b", {}, "Waiting for the program."), ` ${Views[node.id]}`));
  },

  /** Removes that sentence when the view arrives. */
  arrived(node) {
    if (node.querySelector(".awaited")) node.replaceChildren();
  },
};

/** More events than this that wait for one line of code are a backlog. */
const BACKLOG = 20;

/** The live table of the observers. */
const Observers = {
  /** The column by which rows are sorted, and the direction. */
  sorted: { column: undefined, isDown: false },
  filter: "",
  data: undefined,
  rows: new Map(),

  /** The rows that only grow. */
  growing(data) {
    return data.rows.filter((row) => row.growing);
  },

  columns: [
    ["Event", (row) => row.name], ["Registered at", (row) => row.site], ["Owner", (row) => row.owner || ""],
    ["Observers", (row) => row.count, "n"], ["Observers, last 30 s", (row) => row.count - row.history[0]],
    ["Waiting", (row) => row.waiting, "n"], ["State", (row) => Observers.rank(row)],
  ],

  /** What the headings mean. */
  meanings: {
    "Owner": "The object whose end ends the observer", "Observers": "How many observers the line of code has registered that still observe",
    "Observers, last 30 s": "How the number of observers changed",
    "Waiting": `Events that wait for the handlers; amber above ${BACKLOG}`, "State": "Empty where all observers are at work",
  },

  /** Rows with a remark come first. */
  rank(row) {
    return row.growing ? 0 : row.dropped ? 1 : row.alive < row.count ? 2 : row.paused ? 3 : 4;
  },

  show(data) {
    Observers.data = data;
    const node = byId("observers");
    Views.arrived(node);
    if (!node.firstChild) Observers.build(node);
    update(node.children[0], ...Observers.notes(data));
    const isEmpty = data.rows.length === 0;
    node.children[1].hidden = data.rows.length < 12 && !Observers.filter;
    node.children[2].hidden = isEmpty;
    if (isEmpty) return Observers.rows.clear();
    const [head, body] = node.querySelector("table").children;
    update(head, element("tr", {}, ...Observers.columns.map(Observers.head)));
    const shown = Observers.arranged(data.rows);
    place(body, shown.map(Observers.row));
    update(node.querySelector(".shown"), shown.length < data.rows.length
      ? `${Format.count(shown.length)} of ${Format.plural(data.rows.length, "line")} of code` : Format.plural(data.rows.length, "line") + " of code");
    const keys = new Set(data.rows.map(Observers.key));
    for (const key of Observers.rows.keys()) if (!keys.has(key)) Observers.rows.delete(key);
  },

  build(node) {
    const input = element("input", { type: "search", class: "search", placeholder: "Filter: event, file or owner", "aria-label": "Filter the observers" });
    input.addEventListener("input", () => {
      Observers.filter = input.value.trim().toLowerCase();
      Observers.show(Observers.data);
    });
    node.append(element("div", {}), element("div", { class: "tools" }, input, element("span", { class: "shown soft" })),
      element("table", {}, element("thead", {}), element("tbody", {})));
  },

  notes(data) {
    const growing = Observers.growing(data);
    const parts = growing.slice(0, 3).map((row) => element("p", { class: "callout" },
      element("b", {}, `A leak? ${Format.count(row.count)} observers of ${row.name}`),
      ` were registered by one line, ${row.site}, and their number only grows`,
      ` (${Observers.pace(row.history)} a minute). Does their owner end, or is a token kept too long?`));
    if (!data.rows.length) {
      parts.push(element("p", { class: "callout calm" }, element("b", {}, "Nothing observes this bus."),
        " Each line of code that registers an observer gets a row here, with a mark if their number only grows."));
    } else if (!growing.length) {
      parts.push(element("p", { class: "callout calm" },
        element("b", {}, Format.plural(data.total, "observer")),
        ` from ${Format.plural(data.rows.length, "line")} of code. No line keeps adding observers: no sign of a leak.`,
        ...Observers.behind(data).map((part, at) => (at ? part : ` ${part}`))));
    }
    if (growing.length && Observers.behind(data).length) parts.push(element("p", { class: "callout calm" }, ...Observers.behind(data)));
    if (data.omitted) parts.push(element("p", { class: "empty" }, `${Format.plural(data.omitted, "more line")} of code left out.`));
    if (data.lost) parts.push(element("p", { class: "empty" }, `${Format.plural(data.lost, "event")} came too late for their owner.`));
    return parts;
  },

  /** The largest backlog in words. */
  behind(data) {
    const row = data.rows.reduce((most, each) => (each.waiting > most.waiting ? each : most), { waiting: BACKLOG });
    if (row.waiting <= BACKLOG) return [];
    return ["The largest backlog: ", element("b", { class: "warn" }, Format.plural(row.waiting, "event")), ` of ${row.name} wait for ${Format.site(row.site)} (amber: more than ${BACKLOG}).`];
  },

  head([title, , kind = ""], at) {
    const { column, isDown } = Observers.sorted;
    const isSorted = column === at;
    const button = element("button", {
      title: `${Observers.meanings[title] ? `${Observers.meanings[title]}. ` : ""}Click to sort.`,
      onclick: () => {
        // Numbers begin with the largest; a third click restores the order of the program.
        const first = kind === "n" || at === 4;
        if (!isSorted) Observers.sorted = { column: at, isDown: first };
        else if (isDown === first) Observers.sorted = { column: at, isDown: !first };
        else Observers.sorted = { column: undefined, isDown: false };
        Observers.show(Observers.data);
      },
    }, title, isSorted && (isDown ? " ↓" : " ↑"));
    return element("th", { class: kind, scope: "col", "aria-sort": !isSorted ? "none" : isDown ? "descending" : "ascending" }, button);
  },

  arranged(rows) {
    const { column, isDown } = Observers.sorted;
    const shown = rows.filter((row) => !Observers.filter
      || [row.name, row.site, row.owner || ""].some((text) => text.toLowerCase().includes(Observers.filter)));
    if (column === undefined) return shown;
    const key = Observers.columns[column][1];
    const compare = (left, right) => (left < right ? -1 : left > right ? 1 : 0);
    return shown.sort((left, right) => compare(key(left), key(right)) * (isDown ? -1 : 1));
  },

  key(row) {
    return JSON.stringify([row.name, row.site, row.owner]);
  },

  /** The element of a row: the same one until something in it changes. */
  row(row) {
    const key = Observers.key(row);
    const isFlat = row.history.every((count) => count === row.count);
    const text = JSON.stringify({ ...row, history: isFlat ? 0 : row.history }) + Colors.isDark.matches;
    const known = Observers.rows.get(key);
    if (known && known.text === text) return known.node;
    const node = Tables.row("td", [
      element("b", {}, row.name === "*" ? "every event" : row.name), Tables.site(row.site),
      row.owner || element("span", { class: "soft hinted", title: "Lives until its token is released" }, "none"),
      ["n", element("b", { class: row.growing ? "warn" : "" }, Format.count(row.count))],
      Observers.spark(row.history, row.growing),
      ["n", row.waiting ? element("b", { class: row.waiting > BACKLOG ? "warn" : "" }, Format.count(row.waiting)) : "0"],
      Observers.pills(row),
    ], row.growing ? "growing" : undefined);
    Observers.rows.set(key, { text, node });
    return node;
  },

  pills(row) {
    const cell = element("span", {});
    const add = (kind, text) => cell.append(element("span", { class: `pill ${kind}` }, text), " ");
    if (row.growing) add("warn", "growing");
    if (row.paused) add("", row.paused === row.count ? "paused" : `${Format.count(row.paused)} paused`);
    if (row.alive < row.count) add("warn", row.alive ? `${Format.count(row.count - row.alive)} without owner` : "owner gone");
    if (row.dropped) add("bad", `${Format.count(row.dropped)} dropped`);
    if (!cell.childNodes.length) cell.append(element("span", { class: "soft" }, "–"));
    return cell;
  },

  /** Samples are half a second apart. */
  pace(history) {
    const grown = history[history.length - 1] - history[0];
    return `+${Format.count(Math.max(1, Math.round((grown / Math.max(1, history.length - 1)) * 120)))}`;
  },

  spark(history, isGrowing) {
    const [low, high] = [Math.min(...history), Math.max(...history)];
    const points = history.map((value, at) => {
      const x = history.length < 2 ? 0 : (at / (history.length - 1)) * 88 + 1;
      const y = high === low ? 10 : 18 - ((value - low) / (high - low)) * 16;
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    });
    const label = high === low ? `${Format.count(high)} throughout` : `from ${Format.count(history[0])} to ${Format.count(history.at(-1))}`;
    return shape("svg", { class: "spark", viewBox: "0 0 90 20", role: "img", "aria-label": label }, shape("title", {}, label),
      shape("polyline", { points: points.join(" "), fill: "none", stroke: Colors.get(isGrowing ? "warn" : "soft"), "stroke-width": 1.5 }));
  },
};
