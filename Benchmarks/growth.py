#!/usr/bin/env python3
"""Draws how costs grow, from tables that the benchmarks printed.

    for program in EventBusBenchmarks ThemingBenchmarks; do
      swift run -c release --package-path Benchmarks $program --filter growth:
    done | python3 Benchmarks/growth.py > Benchmarks/growth.svg

Both axes are logarithmic: a flat line is a cost that does not grow.
"""
import math
import re
import sys
from xml.sax.saxutils import escape

# The panels: a pattern of the titles, with the number on the x axis, and two captions.
PANELS = [
    (r"growth: per delivery to (\d+) observers", "A delivery", "observers of the event"),
    (r"growth: post of 1 of (\d+) names, .*", "A post to one observer", "names that are observed"),
    (r"growth: switch (\d+) views .*", "A rule of a switch of themes", "views that follow"),
]
OURS = {"EventBus", "Theming"}
NAMES = {"NC, no payload": "NotificationCenter", "NotificationCenter": "NotificationCenter",
         "closure loop": "loop over closures"}
COLORS = {"this project": "#0a66c2", "NotificationCenter": "#c2410c", "loop over closures": "#6b7280"}
WIDTH, HEIGHT, LEFT, TOP, GAP = 300, 220, 62, 74, 84


def read(lines):
    """Returns the figures in nanoseconds: {panel: {name: [(x, y)]}}; stops at a table without such rows."""
    panels = [{} for _ in PANELS]
    columns = []
    for line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if cells[0] == "work":
            columns = ["this project" if cell in OURS else NAMES.get(cell) for cell in cells[1:]]
            continue
        for panel, (pattern, _, _) in zip(panels, PANELS):
            match = re.fullmatch(pattern + ", ns", cells[0])
            if not match:
                continue
            for name, cell in zip(columns, cells[1:]):
                figure = re.match(r"[\d,.]+", cell)
                if name and figure:
                    value = float(figure.group().replace(",", ""))
                    panel.setdefault(name, []).append((int(match.group(1)), value))
    for panel, (pattern, _, _) in zip(panels, PANELS):
        if not panel.get("this project"):
            sys.exit(f"growth.py: found no row like “{pattern}”; choose them with --filter growth:")
    return panels


def digits(value):
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def short(value):
    return f"{value // 1_000_000} M" if value >= 1_000_000 else f"{value // 1_000} k" if value >= 10_000 else f"{value:,}"


def draw(panels):
    total = LEFT + len(panels) * (WIDTH + GAP)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} {TOP + HEIGHT + 56}" role="img" '
        'font-family="system-ui, sans-serif" font-size="12" fill="#1f2937">',
        "<title>Costs in nanoseconds, by the number of observers, names and views</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    x = LEFT
    for name, color in COLORS.items():
        out.append(f'<rect x="{x}" y="14" width="14" height="4" fill="{color}"/>')
        out.append(f'<text x="{x + 20}" y="20">{escape(name)}</text>')
        x += 44 + 7 * len(name)
    for index, (panel, (_, title, axis)) in enumerate(zip(panels, PANELS)):
        points = [point for line in panel.values() for point in line]
        (low, high) = (math.floor(math.log10(min(y for _, y in points))), math.ceil(math.log10(max(y for _, y in points))))
        (first, last) = (min(math.log10(x) for x, _ in points), max(math.log10(x) for x, _ in points))
        left = LEFT + index * (WIDTH + GAP)

        def place(x, y):
            return (
                left + WIDTH * (math.log10(x) - first) / (last - first),
                TOP + HEIGHT * (high - math.log10(y)) / (high - low),
            )

        out.append(f'<text x="{left}" y="{TOP - 18}" font-weight="600" font-size="14">{title}</text>')
        for power in range(low, high + 1):
            _, y = place(10**first, 10.0**power)
            out.append(f'<path d="M{left} {y:.1f}h{WIDTH}" stroke="#e5e7eb"/>')
            out.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{digits(10.0**power)} ns</text>')
        for power in range(math.ceil(first), math.floor(last) + 1):
            x, _ = place(10**power, 10.0**low)
            out.append(f'<text x="{x:.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{short(10**power)}</text>')
        out.append(f'<text x="{left + WIDTH / 2}" y="{TOP + HEIGHT + 40}" text-anchor="middle">{axis}</text>')
        for name, line in panel.items():
            places = [place(x, y) for x, y in sorted(line)]
            path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
            out.append(f'<path d="{path}" fill="none" stroke="{COLORS[name]}" stroke-width="2"/>')
            out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{COLORS[name]}"/>' for x, y in places]
    out.append("</svg>")
    return "\n".join(out)


print(draw(read(sys.stdin)))
