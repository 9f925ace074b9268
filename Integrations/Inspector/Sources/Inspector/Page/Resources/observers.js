"use strict";

/** The observers and the services. */
const Tables = {
  /** Shows the observers; returns how many rows grow. */
  observers(data) {
    const growing = data.rows.filter((row) => row.growing);
    const parts = [];
    for (const row of growing.slice(0, 3)) {
      parts.push(element("p", { class: "callout" },
        element("b", {}, `A leak? ${Format.count(row.count)} observers of ${row.name}`),
        ` were registered by one line, ${row.site}, and their number only grows`,
        ` (${Tables.pace(row.history)} a minute). Does their owner end, or is a token kept too long?`));
    }
    if (!growing.length && data.rows.length) {
      parts.push(element("p", { class: "callout calm" },
        element("b", {}, Format.plural(data.total, "observer")),
        ` from ${Format.plural(data.rows.length, "line")} of code. Their numbers are stable.`));
    }
    if (!data.rows.length) parts.push(element("p", { class: "callout calm" }, "Nothing observes this bus."));
    const most = Math.max(1, ...data.rows.map((row) => row.waiting));
    parts.push(element("table", {},
      element("thead", {}, Tables.row("th", ["Event", "Registered at", "Owner", "#Observers", "Last 30 s", "#Delivered", "#Waiting", "State"])),
      element("tbody", {}, ...data.rows.map((row) => Tables.row("td", [
        element("b", {}, row.name === "*" ? "every event" : row.name), Tables.site(row.site),
        row.owner || element("span", { class: "soft" }, "–"),
        ["n", element("b", { class: row.growing ? "warn" : "" }, Format.count(row.count))],
        Tables.spark(row.history, row.growing),
        ["n", Format.count(row.delivered)],
        ["n", row.waiting ? element("b", { class: row.waiting > 20 && row.waiting === most ? "warn" : "" }, Format.count(row.waiting)) : "0"],
        Tables.pills(row),
      ], row.growing ? "growing" : undefined)))));
    const notes = [];
    if (data.omitted) notes.push(`${Format.plural(data.omitted, "more line")} of code left out.`);
    if (data.lost) notes.push(`${Format.plural(data.lost, "event")} came too late for their owner.`);
    if (notes.length) parts.push(element("p", { class: "empty" }, notes.join(" ")));
    byId("observers").replaceChildren(...parts);
    return growing.length;
  },

  row(tag, cells, kind) {
    return element("tr", { class: kind }, ...cells.map((cell) => {
      if (Array.isArray(cell)) return element(tag, { class: cell[0] }, cell[1]);
      if (tag === "th") return element(tag, { class: cell[0] === "#" ? "n" : "" }, cell.replace("#", ""));
      return element(tag, {}, cell);
    }));
  },

  /** A source site; a narrow page leaves out the module. */
  site(site) {
    const slash = site.lastIndexOf("/") + 1;
    return element("code", { title: site }, element("span", { class: "module" }, site.slice(0, slash)), site.slice(slash));
  },

  pills(row) {
    const cell = element("span", {});
    const add = (kind, text) => cell.append(element("span", { class: `pill ${kind}` }, text), " ");
    if (row.growing) add("warn", "growing");
    if (row.paused) add("", row.paused === row.count ? "paused" : `${row.paused} paused`);
    if (row.alive < row.count) add("warn", `${row.count - row.alive} dead`);
    if (row.dropped) add("bad", `${Format.count(row.dropped)} dropped`);
    if (!cell.childNodes.length) add("good", "alive");
    return cell;
  },

  /** Samples are half a second apart. */
  pace(history) {
    const grown = history[history.length - 1] - history[0];
    return `+${Math.max(1, Math.round((grown / Math.max(1, history.length - 1)) * 120))}`;
  },

  spark(history, isGrowing) {
    const [low, high] = [Math.min(...history), Math.max(...history)];
    const points = history.map((value, at) => {
      const x = history.length < 2 ? 0 : (at / (history.length - 1)) * 88 + 1;
      const y = high === low ? 10 : 18 - ((value - low) / (high - low)) * 16;
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    });
    return shape("svg", { class: "spark", viewBox: "0 0 90 20" }, shape("polyline", {
      points: points.join(" "), fill: "none", stroke: Colors.get(isGrowing ? "warn" : "soft"), "stroke-width": 1.5,
    }));
  },

  kinds: { starting: "warn", ready: "good", stopping: "warn", cancelled: "bad", ended: "", abandoned: "bad" },

  /** Shows the services; returns how many have failed. */
  services(data, now) {
    const node = byId("services");
    if (!data.rows.length) {
      node.replaceChildren(element("p", { class: "callout calm" }, "No service has started yet."));
      return 0;
    }
    const failed = data.rows.filter((row) => row.error !== null);
    const awaited = data.rows.filter((row) => row.isWaitedFor);
    const parts = failed.map((row) => element("p", { class: "callout bad" },
      element("b", {}, `${row.name} failed: `), row.error));
    if (awaited.length) {
      parts.push(element("p", { class: "callout" }, "Waiting for ",
        ...awaited.flatMap((row, at) => [at ? ", " : "", element("b", {}, row.name),
          ` (${row.state} for ${Format.duration(Math.max(0, now - row.since))})`]), "."));
    } else if (!failed.length) {
      parts.push(element("p", { class: "callout calm" }, element("b", {}, Format.plural(data.rows.length, "service")),
        ". The program waits for none of them."));
    }
    const state = data.states[data.states.length - 1];
    parts.push(element("div", { class: "panel" },
      element("h2", {}, `Application: ${state ? state.state : "unknown"}`,
        element("span", { class: "key" }, Tables.key("warn", "starting or stopping"), Tables.key("good", "ready"),
          Tables.key("bad", "failed"))), Tables.lives(data, now, node.clientWidth)));
    parts.push(element("table", {},
      element("thead", {}, Tables.row("th", ["Service", "State", "#Since", "Was"])),
      element("tbody", {}, ...data.rows.map((row) => Tables.row("td", [
        element("b", {}, row.name),
        element("span", { class: `pill ${row.error === null ? Tables.kinds[row.state] : "bad"}` }, row.error === null ? row.state : "failed"),
        ["n", Format.duration(Math.max(0, now - row.since))],
        element("span", { class: "soft" }, row.history.slice(0, -1).map((each) => each.state).join(" → ") || "–"),
      ])))));
    node.replaceChildren(...parts);
    return failed.length;
  },

  key(color, text) {
    return element("span", {}, element("i", { class: "dot", color: Colors.get(color) }), ` ${text}`);
  },

  /** The states of the services over time. */
  lives(data, now, width) {
    const total = Math.max(420, width - 62);
    const label = 130;
    const begin = Math.min(...data.rows.flatMap((row) => row.history.map((each) => each.time)), now);
    const x = (time) => label + ((time - begin) / Math.max(now - begin, 1)) * (total - label - 8);
    const svg = shape("svg", { width: total, height: data.rows.length * 24 + 22 });
    data.rows.forEach((row, at) => {
      const y = at * 24;
      svg.append(shape("text", { x: 0, y: y + 15 }, row.name.length > 17 ? `${row.name.slice(0, 16)}…` : row.name));
      row.history.forEach((change, index) => {
        const end = index + 1 < row.history.length ? row.history[index + 1].time : now;
        const isOver = change.state === "ended" || change.state === "abandoned";
        const color = isOver ? (row.error === null ? "line" : "bad") : change.state === "ready" ? "good" : "warn";
        const left = x(change.time);
        svg.append(shape("rect", {
          x: left, y: y + 3, width: Math.max(x(end) - left, 2), height: isOver ? 3 : 15, rx: 2, fill: Colors.get(color),
        }, shape("title", {}, `${change.state}, ${Format.duration(end - change.time)}`)));
      });
    });
    const y = data.rows.length * 24 + 14;
    svg.append(shape("text", { x: label, y, class: "soft" }, Format.time(begin)),
      shape("text", { x: total - 8, y, class: "soft", "text-anchor": "end" }, Format.time(now)));
    return svg;
  },
};
