"use strict";

/** The services with their states, and which ones the program waits for. */
const Services = {
  kinds: {
    waiting: "", starting: "warn", ready: "good", unready: "warn", pausing: "warn", stopping: "warn", cancelled: "bad",
    ended: "", abandoned: "bad",
  },

  /** Whether a service has ended with an error: one that starts again has not failed. */
  hasFailed(row) {
    return row.error !== null && row.state === "ended";
  },

  /** How many services have failed. */
  failed(data) {
    return data.rows.filter(Services.hasFailed).length;
  },

  show(data, now) {
    const node = byId("services");
    if (!data.rows.length) {
      return update(node, element("p", { class: "callout calm" }, element("b", {}, "No service has started yet."),
        " Give the inspector the application, ", element("code", {}, "Inspector(.default, app: app)"),
        ", and its services appear here when it runs."));
    }
    const failed = data.rows.filter(Services.hasFailed);
    const pausing = data.rows.filter((row) => row.state === "pausing");
    const awaited = data.rows.filter((row) => row.isWaitedFor);
    const parts = failed.map((row) => element("p", { class: "callout bad" },
      element("b", {}, `${row.name} failed: `), row.error));
    parts.push(...pausing.map((row) => element("p", { class: "callout" },
      element("b", {}, `${row.name} starts again: `), row.error)));
    if (awaited.length) {
      parts.push(element("p", { class: "callout" }, "Waiting for ",
        ...awaited.flatMap((row, at) => [at ? ", " : "", element("b", {}, row.name),
          ` (${Services.word(row)} for ${Format.duration(Math.max(0, now - row.since))})`]), "."));
    } else if (!failed.length && !pausing.length) {
      parts.push(element("p", { class: "callout calm" }, element("b", {}, Format.plural(data.rows.length, "service")),
        ". Nothing is being waited for now."));
    }
    const state = data.states[data.states.length - 1];
    parts.push(element("div", { class: "panel" },
      element("h2", {}, `States over time; the application is ${state ? state.state : "unknown"}`,
        element("span", { class: "key" }, Services.key("slow", "not ready"), Services.key("good", "ready"),
          Services.key("bad", "failed"))), Services.lives(data, now, node.clientWidth)));
    parts.push(element("table", {},
      element("thead", {}, Tables.row("th", ["Service", "State", ["n", "For"], "Starts after", ["n", "Started in"],
        ["n", "Restarts"], "Error"])),
      element("tbody", {}, ...data.rows.map((row) => Services.row(row, now)))));
    update(node, ...parts);
  },

  /** The state in words. */
  word(row) {
    return row.state === "waiting" ? "not started" : row.state;
  },

  /** How long a service was starting; `undefined` unless it became ready. */
  start(row) {
    const at = row.history.findIndex((each) => each.state === "ready");
    return at > 0 && row.history[at - 1].state === "starting" ? row.history[at].time - row.history[at - 1].time : undefined;
  },

  row(row, now) {
    const hasFailed = Services.hasFailed(row);
    const none = () => element("span", { class: "soft" }, "–");
    const start = Services.start(row);
    return Tables.row("td", [
      element("b", {}, row.name),
      element("span", { class: `pill ${hasFailed ? "bad" : Services.kinds[row.state]}` }, hasFailed ? "failed" : Services.word(row)),
      ["n", Format.duration(Math.max(0, now - row.since))],
      (row.after || []).join(", ") || none(),
      ["n", start === undefined ? none() : Format.duration(start)],
      ["n", row.attempt > 1 ? Format.count(row.attempt - 1) : none()],
      row.error === null ? none() : element("span", { class: hasFailed ? "bad" : "warn" }, Format.shortened(row.error, 200)),
    ]);
  },

  key(color, text) {
    return element("span", {}, element("i", { class: "dot", style: `background: ${Colors.get(color)}` }), ` ${text}`);
  },

  /** The states of the services over time. */
  lives(data, now, width) {
    const total = Math.max(420, width - 62);
    const [label, height] = [150, 24];
    let first = now;
    for (const row of data.rows) for (const each of row.history) first = Math.min(first, each.time);
    const step = roundStep(Math.max(now - first, 1e6) / Math.max(2, (total - label) / 130));
    // The axis begins with a tick.
    const begin = Math.floor(first / step) * step;
    const x = (time) => label + ((time - begin) / Math.max(now - begin, 1)) * (total - label - 8);
    const bottom = data.rows.length * height;
    const svg = shape("svg", { width: total, height: bottom + 24, role: "img", "aria-label": "States of the services over time" });
    for (let time = begin; time <= now; time += step) {
      const at = Math.round(x(time)) + 0.5;
      svg.append(shape("line", { x1: at, y1: 0, x2: at, y2: bottom + 4, stroke: Colors.get("line") }));
      if (at + 50 < total) svg.append(shape("text", { x: at + 3, y: bottom + 17, class: "soft" }, Format.tick(time, step)));
    }
    data.rows.forEach((row, at) => {
      const y = at * height;
      svg.append(shape("text", { x: 0, y: y + 15 }, shape("title", {}, row.name), Text12.fitted(row.name, label - 10)));
      row.history.forEach((change, index) => {
        const end = index + 1 < row.history.length ? row.history[index + 1].time : now;
        const isOver = change.state === "ended" || change.state === "abandoned";
        const color = isOver ? (Services.hasFailed(row) ? "bad" : "line") : change.state === "ready" ? "good" : "slow";
        const left = x(change.time);
        svg.append(shape("rect", {
          x: left, y: y + 3, width: Math.max(x(end) - left, 2), height: isOver ? 3 : 15, rx: 2,
          fill: Colors.get(color), opacity: color === "good" ? 0.7 : 1,
        }, shape("title", {}, `${change.state}, ${Format.duration(end - change.time)}`)));
      });
    });
    return svg;
  },
};
