"use strict";

/** The launch: its report as a chart, its plan as a graph. */
const Launch = {
  /** Shows the launch; returns how much of it has failed. */
  show(data) {
    const node = byId("launch");
    if (!data) {
      node.replaceChildren(element("p", { class: "callout calm" },
        "There is no launch to show. Give the inspector the application before it runs."));
      return 0;
    }
    const width = Math.max(560, node.clientWidth - 60);
    const parts = [];
    let failed = 0;
    const report = data.report;
    if (report) {
      failed = report.entries.filter((entry) => entry.kind === "failed" || entry.kind === "timedOut").length;
      const path = report.criticalPath;
      parts.push(element("p", { class: `callout ${failed ? "bad" : "calm"}` },
        element("b", {}, `Launched in ${Format.duration(report.total)}`),
        path.length ? `, determined by ${path.join(" → ")}.` : ".",
        failed ? ` ${Format.plural(failed, "worker")} failed.` : ""));
      for (const problem of report.problems) parts.push(element("p", { class: "callout bad" }, problem));
      parts.push(element("section", { class: "panel" }, element("h2", {}, "Report"), Launch.chart(report, width)));
    }
    if (data.problem !== null) parts.push(element("p", { class: "callout bad" }, data.problem));
    if (data.plan && data.plan.layers.length) {
      const critical = new Set(report ? report.criticalPath : []);
      parts.push(element("section", { class: "panel" }, element("h2", {}, "Plan"), Launch.graph(data.plan, critical, width)));
    }
    node.replaceChildren(...parts);
    return failed;
  },

  chart(report, width) {
    const height = 25;
    const [label, value] = [190, 210];
    const bars = width - label - value;
    const total = Math.max(report.total, 1);
    const x = (time) => label + (time / total) * bars;
    const svg = shape("svg", { width, height: report.entries.length * height + 26 });
    for (let quarter = 0; quarter <= 4; quarter += 1) {
      const at = Math.round(label + (bars * quarter) / 4) + 0.5;
      const bottom = report.entries.length * height + 4;
      svg.append(shape("line", { x1: at, y1: 0, x2: at, y2: bottom, stroke: Colors.get("line") }),
        shape("text", { x: at, y: bottom + 15, class: "soft", "text-anchor": quarter ? "middle" : "start" },
          Format.duration((report.total * quarter) / 4)));
    }
    report.entries.forEach((entry, at) => {
      const y = at * height;
      const didRun = entry.kind !== "skipped";
      const kind = { failed: "bad", timedOut: "warn", skipped: "soft" }[entry.kind];
      const id = entry.id.length > 25 ? `${entry.id.slice(0, 24)}…` : entry.id;
      svg.append(shape("text", { x: 0, y: y + 17, "font-weight": entry.isCritical ? 700 : 400 }, id));
      if (didRun) {
        const from = x(entry.start);
        svg.append(shape("rect", {
          x: from, y: y + 5, width: Math.max(x(entry.start + entry.duration) - from, 3), height: height - 10, rx: 3,
          fill: Colors.get(kind || "accent"), opacity: entry.isCritical || kind ? 1 : 0.45,
        }, shape("title", {}, `${entry.site}: ${entry.outcome}`)));
      }
      const text = didRun ? Format.duration(entry.duration) : entry.outcome;
      const extra = kind && didRun ? ` · ${entry.kind === "failed" ? "failed" : "timed out"}` : entry.isCritical ? " · critical" : "";
      svg.append(shape("text", { x: width - value + 14, y: y + 17, class: kind || (entry.isCritical ? "" : "soft") },
        shape("title", {}, text), text.length > 30 ? `${text.slice(0, 29)}…` : `${text}${extra}`));
    });
    return svg;
  },

  graph(plan, critical, room) {
    const [height, gapX, gapY] = [30, room < 900 ? 34 : 54, 14];
    const width = Math.min(164, Math.max(100, Math.floor((room - 4 + gapX) / plan.layers.length - gapX)));
    const letters = Math.floor((width - 18) / 7);
    const places = new Map();
    let most = 0;
    plan.layers.forEach((layer, column) => {
      most = Math.max(most, layer.length);
      layer.forEach((id, row) => places.set(id, [column * (width + gapX) + 2, row * (height + gapY) + 2]));
    });
    const svg = shape("svg", {
      width: plan.layers.length * (width + gapX) - gapX + 4, height: most * (height + gapY) - gapY + 4,
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
      }), shape("text", { x: x + 10, y: y + 19 }, id.length > letters ? `${id.slice(0, letters - 1)}…` : id, shape("title", {}, id)));
    }
    return svg;
  },
};
