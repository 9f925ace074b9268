#!/usr/bin/env python3
"""Counts the instructions of benchmarks with valgrind's callgrind: the same on a busy machine as on a quiet one.

    Benchmarks/instructions.py --title "post, 1 observer"            a table: instructions of every subject
    Benchmarks/instructions.py --functions --title "post, 1 observer"  the functions that execute most of them
    Benchmarks/instructions.py --draw > Benchmarks/profile.svg       a picture of a post, a registration and a launch

    --program NAME     EventBusBenchmarks unless named
    --title TEXT       a line of the benchmarks; may be repeated
    --subject TEXT     only columns whose name contains TEXT
    --iterations N     1,000

Work of other threads counts as well, but callgrind ends some programs that wait for them: such lines are missing.
"""
import argparse
import collections
import glob
import os
import re
import subprocess
import sys
import tempfile
from xml.sax.saxutils import escape

FOLDER = os.path.dirname(os.path.abspath(__file__))
# The bars of the picture: a title of the benchmarks, and its caption.
BARS = [
    ("post, 1 observer", "A post to 1 handler"),
    ("home: post, 1 owner", "A post to 1 object of the main actor"),
    ("home: post, 1 owner, with a sender", "The same, with a sender"),
    ("register + cancel, alone", "Register a handler, cancel it"),
    ("home: register + cancel, 1 owner", "Register an object, cancel it"),
    ("register and launch an empty worker, of 10,000, named", "Register and launch a worker"),
]
# Who executes a function: the first pattern that its name contains.
KINDS = [
    ("allocation", "#c2410c", r"malloc|calloc|realloc|free|slowAlloc|slowDealloc|allocObject|deallocClassInstance|_int_|tcache|posix_memalign|memalign|deallocObject|deallocPartial|checked_request|sysmalloc|given|usable_size"),
    ("reference counts", "#b45309", r"swift_(retain|release|weak|bridgeObject|unknownObject|isUniquely|setDeallocating|unowned|dealloc|_swift_release|tryRetain)|RefCount|swift_arrayDestroy|SideTable|_swift_retain|_swift_release|HeapObject"),
    ("copies, metadata and casts", "#6b7280", r"memcpy|memmove|memset|swift_get|swift_dynamicCast|swift_initStack|Metadata|swift_once|swift_project|swift_copy|value_witness|outlined|objectdestroy|swift_assign|swift_init|swift_conform|swift_begin|swift_end|witness"),
    ("hashing and dictionaries", "#0f766e", r"Hasher|SipHash|Dictionary|NativeSet|Hash|_NativeDictionary|\bSet\b"),
    ("locks and threads", "#7c3aed", r"pthread|\block\(|\bunlock\(|Mutex|futex|__tls_get_addr|swift_task|_lock|ThreadLocal|clock_gettime|voucher|executor"),
    ("the library", "#0a66c2", r""),
]


def run(program, titles, subjects, iterations):
    """Returns {title: {subject: (units, {function: instructions})}}, in the order in which they ran."""
    subprocess.run(["swift", "build", "-c", "release", "--package-path", FOLDER, "--product", program],
                   check=True, stdout=sys.stderr)
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        # Valgrind cannot read the debug information.
        binary = os.path.join(folder, program)
        subprocess.run(["strip", "-g", "-o", binary, f"{FOLDER}/.build/release/{program}"], check=True)
        for title in dict.fromkeys(titles):
            arguments = ["--once", "--iterations", str(iterations), "--title", title]
            for subject in subjects:
                arguments += ["--subject", subject]
            # One program for each title: one that callgrind ends does not end the others.
            out = os.path.join(folder, "out")
            ended = subprocess.run(["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={out}",
                                    binary, *arguments], stderr=subprocess.PIPE, text=True)
            if ended.returncode != 0:
                print(f"{title}: not counted: {ended.stderr.strip().splitlines()[:1]}", file=sys.stderr)
            for path in sorted(glob.glob(out + ".*"), key=lambda path: int(path.rpartition(".")[2])):
                read(path, counts)
                os.remove(path)
    return counts


def read(path, counts):
    """Adds the costs that one file of callgrind attributes to each function itself."""
    names, functions, label, current, isCall = {}, collections.Counter(), None, None, False
    with open(path) as file:
        for line in file:
            if line.startswith("desc: Trigger: Client Request: "):
                label = line.split("Request: ", 1)[1].strip()
            elif line.startswith("fn="):
                match = re.match(r"fn=\((\d+)\)(?: (.*))?", line)
                if match.group(2):
                    names[match.group(1)] = match.group(2).strip()
                current = match.group(1)
            elif line.startswith("cfn="):
                match = re.match(r"cfn=\((\d+)\) (.*)", line)
                if match:
                    names[match.group(1)] = match.group(2).strip()
            elif line.startswith("calls="):
                isCall = True
            elif line[:1].isdigit() or line[:1] in "+-*":
                # The cost behind a call is that of the called function.
                if not isCall:
                    functions[current] += int(line.split()[1])
                isCall = False
    if not label:
        return
    title, subject, units = label.rsplit("|", 2)
    # A recursion level of callgrind is not another function.
    costs = collections.Counter()
    for identifier, cost in functions.items():
        costs[re.sub(r"'\d+$", "", names[identifier])] += cost
    counts.setdefault(title, {})[subject] = (int(units), costs)


def demangled(names):
    names = list(names)
    result = subprocess.run(["swift", "demangle", "--simplified", "--compact"], input="\n".join(names), text=True,
                            capture_output=True, check=True)
    return dict(zip(names, result.stdout.splitlines()))


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def table(counts):
    """The same form as the tables of the benchmarks: ratios to the first column in brackets."""
    columns = []
    for subjects in counts.values():
        columns += [subject for subject in subjects if subject not in columns]
    print("| work |", " | ".join(columns), "|")
    print("| --- |", " | ".join("---:" for _ in columns), "|")
    for title, subjects in counts.items():
        cells, first = [], None
        for column in columns:
            if column not in subjects:
                cells.append("–")
                continue
            units, costs = subjects[column]
            value = sum(costs.values()) / units
            cells.append(number(value) if first is None else f"{number(value)} ({value / first:.3g}×)")
            first = first or value
        print(f"| {title}, instructions |", " | ".join(cells), "|")


def functions(counts):
    for title, subjects in counts.items():
        for subject, (units, costs) in subjects.items():
            print(f"\n{title}: {subject}, {number(sum(costs.values()) / units)} instructions")
            names = demangled(costs)
            for name, cost in costs.most_common(25):
                print(f"{cost / units:10.1f}  {names[name][:150]}")


def draw(counts):
    width, left, top, bar, step = 900, 270, 64, 22, 40
    rows = []
    for title, caption in BARS:
        units, costs = next(iter(counts[title].values()))
        names = demangled(costs)
        kinds = collections.Counter()
        for name, cost in costs.items():
            plain = names[name]
            kinds[next(kind for kind, _, pattern in KINDS if re.search(pattern, plain))] += cost / units
        rows.append((caption, kinds))
    height = top + step * len(rows) + 10
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
          f'font-size="13" role="img">')
    print("<title>Instructions of a post, a registration and a launch, by what executes them</title>")
    print(f'<rect width="{width}" height="{height}" fill="#ffffff"/>')
    x = 16
    for kind, color, _ in reversed(KINDS):
        print(f'<rect x="{x}" y="18" width="12" height="12" fill="{color}"/>'
              f'<text x="{x + 17}" y="29" fill="#111827">{escape(kind)}</text>')
        x += 27 + 6.7 * len(kind)
    for index, (caption, kinds) in enumerate(rows):
        y, x, total = top + index * step, left, sum(kinds.values())
        print(f'<text x="{left - 10}" y="{y + 16}" text-anchor="end" fill="#111827">{escape(caption)}</text>')
        for kind, color, _ in reversed(KINDS):
            part = kinds[kind] / total * (width - left - 80)
            print(f'<rect x="{x:.1f}" y="{y}" width="{part:.1f}" height="{bar}" fill="{color}"/>')
            if part > 34:
                print(f'<text x="{x + part / 2:.1f}" y="{y + 16}" text-anchor="middle" fill="#ffffff">'
                      f'{number(kinds[kind])}</text>')
            x += part
        print(f'<text x="{x + 8:.1f}" y="{y + 16}" fill="#111827">{number(total)}</text>')
    print("</svg>")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="EventBusBenchmarks")
    parser.add_argument("--title", action="append", default=[])
    parser.add_argument("--subject", action="append", default=[])
    parser.add_argument("--iterations", type=int, default=1_000)
    parser.add_argument("--functions", action="store_true")
    parser.add_argument("--draw", action="store_true")
    options = parser.parse_args()
    if options.draw:
        draw(run("EventBusBenchmarks", [title for title, _ in BARS], ["EventBus"], options.iterations))
        return
    if not options.title:
        parser.error("name a line with --title")
    counts = run(options.program, options.title, options.subject, options.iterations)
    if options.functions:
        functions(counts)
    else:
        table(counts)


main()
