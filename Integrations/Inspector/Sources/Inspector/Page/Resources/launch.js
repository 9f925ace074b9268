"use strict";

/** The launch: its report as a chart, its plan as a graph. */
const Launch = {
  /** How many workers have failed. */
  failed(data) {
    const entries = data && data.report ? data.report.entries : [];
    return entries.filter((entry) => entry.kind === "failed" || entry.kind === "timedOut").length;
  },

  show(data) {
    const node = byId("launch");
    if (!data) {
      return update(node, element("p", { class: "callout calm" }, element("b", {}, "There is no launch to show."),
        " Give the inspector the application before it runs, and its launch work appears here."));
    }
    const width = Math.max(560, node.clientWidth - 60);
    const parts = [];
    const failed = Launch.failed(data);
    const report = data.report;
    if (report && !report.entries.length) {
      parts.push(element("p", { class: "callout calm" }, element("b", {}, "The launch had no work to do."),
        " Work that is registered in the loader of the application appears here."));
    } else if (report) {
      const path = report.criticalPath;
      parts.push(element("p", { class: `callout ${failed ? "bad" : "calm"}` },
        element("b", {}, `Launched in ${Format.duration(report.total)}`),
        path.length ? `, determined by ${path.join(" → ")}.` : ".",
        failed ? ` ${Format.plural(failed, "worker")} failed.` : ""));
      for (const problem of report.problems) parts.push(element("p", { class: "callout bad" }, problem));
      parts.push(element("div", { class: "panel" }, element("h2", {}, "Report: what the launch did when",
        element("span", { class: "key" }, Launch.key("accent", "on the critical path"), Launch.key("other", "others"),
          Launch.key("bad", "failed"))), Launch.chart(report, width)));
    }
    if (data.problem !== null) parts.push(element("p", { class: "callout bad" }, data.problem));
    if (data.plan && data.plan.layers.length) {
      const critical = new Set(report ? report.criticalPath : []);
      parts.push(element("div", { class: "panel" }, element("h2", {}, "Plan: what waits for what",
        element("span", { class: "key" }, "→ required · ⇢ after it, if present")), Launch.graph(data.plan, critical, width)));
    }
    if (!parts.length) {
      parts.push(element("p", { class: "callout calm" }, element("b", {}, "The launch has not ended yet."),
        " Its report appears here when it has."));
    }
    update(node, ...parts);
  },

  key(color, text) {
    return element("span", {}, element("i", {
      class: `dot ${color}`, style: color === "other" ? undefined : `background: ${Colors.get(color)}` }), ` ${text}`);
  },

  chart(report, width) {
    const height = 25;
    const [label, value] = width > 900 ? [190, 290] : [140, 215];
    const bars = width - label - value;
    const total = Math.max(report.total, 1);
    const x = (time) => label + (time / total) * bars;
    const svg = shape("svg", { width, height: report.entries.length * height + 48, role: "img", "aria-label": "Chart of the launch" });
    const head = (x, text) => svg.append(shape("text", { x, y: 12, class: "head" }, text));
    head(0, "Worker");
    head(label, "Time since the launch began");
    head(width - value + 14, "Took");
    const top = 22;
    const bottom = top + report.entries.length * height;
    for (let quarter = 0; quarter <= 4; quarter += 1) {
      const at = Math.round(label + (bars * quarter) / 4) + 0.5;
      svg.append(shape("line", { x1: at, y1: top, x2: at, y2: bottom + 4, stroke: Colors.get("line") }),
        shape("text", { x: at, y: bottom + 19, class: "soft", "text-anchor": quarter ? "middle" : "start" },
          Format.duration((report.total * quarter) / 4)));
    }
    report.entries.forEach((entry, at) => {
      const y = top + at * height;
      const didRun = entry.kind !== "skipped";
      const kind = { failed: "bad", timedOut: "warn", skipped: "soft" }[entry.kind];
      svg.append(shape("text", { x: 0, y: y + 17, "font-weight": entry.isCritical ? 700 : 400 },
        shape("title", {}, `${entry.id}, registered at ${entry.site}`), Text12.fitted(entry.id, label - 12)));
      if (didRun) {
        const from = x(entry.start);
        svg.append(shape("rect", {
          x: from, y: y + 5, width: Math.max(x(entry.start + entry.duration) - from, 3), height: height - 10, rx: 3,
          fill: Colors.get(kind || "accent"), opacity: entry.isCritical || kind ? 1 : 0.45,
        }, shape("title", {}, `${entry.site}: ${entry.outcome}`)));
      }
      const outcome = didRun ? Format.duration(entry.duration) : entry.outcome;
      const extra = kind && didRun ? ` · ${entry.kind === "failed" ? "failed" : "timed out"}` : entry.isCritical ? " · critical" : "";
      svg.append(shape("text", { x: width - value + 14, y: y + 17, class: kind || (entry.isCritical ? "" : "soft") },
        shape("title", {}, entry.outcome), Text12.fitted(`${outcome}${extra}`, value - 14)));
    });
    return svg;
  },

  graph(plan, critical, room) {
    const [height, gapX, gapY] = [30, room < 900 ? 26 : 54, 14];
    const width = Math.min(164, Math.max(100, Math.floor((room - 4 + gapX) / plan.layers.length - gapX)));
    const places = new Map();
    let most = 0;
    plan.layers.forEach((layer, column) => {
      most = Math.max(most, layer.length);
      layer.forEach((id, row) => places.set(id, [column * (width + gapX) + 2, row * (height + gapY) + 2]));
    });
    const svg = shape("svg", {
      width: plan.layers.length * (width + gapX) - gapX + 4, height: most * (height + gapY) - gapY + 4,
      role: "img", "aria-label": "Graph of the plan",
    });
    for (const edge of plan.edges) {
      const [from, to] = [places.get(edge.from), places.get(edge.to)];
      if (!from || !to) continue;
      const [x0, y0, x1, y1] = [from[0] + width, from[1] + height / 2, to[0], to[1] + height / 2];
      const isCritical = critical.has(edge.from) && critical.has(edge.to);
      svg.append(shape("path", {
        d: `M ${x0} ${y0} C ${x0 + gapX / 2} ${y0} ${x1 - gapX / 2} ${y1} ${x1 - 6} ${y1} m -5 -4 l 6 4 l -6 4`,
        fill: "none", stroke: Colors.get(isCritical ? "accent" : "soft"), "stroke-width": isCritical ? 2 : 1,
        "stroke-dasharray": edge.isHard ? null : "4 3",
      }));
    }
    for (const [id, [x, y]] of places) {
      const isCritical = critical.has(id);
      svg.append(shape("rect", {
        x, y, width, height, rx: 6, fill: Colors.get(isCritical ? "accent-ground" : "raised"),
        stroke: Colors.get(isCritical ? "accent" : "line"), "stroke-width": isCritical ? 1.5 : 1,
      }), shape("text", { x: x + 8, y: y + 19 }, shape("title", {}, id), Text12.fitted(id, width - 14)));
    }
    return svg;
  },
};
