"""Scripts/measures.txt: the figure that each measure may not exceed.

A line is `name value # reason`. A figure that grows needs a further line of its name with a reason; the last
line holds. A figure that falls is written back with `Scripts/measure.sh --write`, which removes the lines of
growth that it undoes.
"""

import re
import subprocess

PATH = "Scripts/measures.txt"
LINE = re.compile(r"(?P<name>[\w-]+) +(?P<value>\d+)(?: *# *(?P<reason>.*\S))?\s*$")


def read():
    """The lines of each measure, in order, as [value, reason]."""
    return parse(lines())


def lines():
    with open(PATH, encoding="utf-8") as file:
        return file.read().splitlines()


def parse(text):
    found = {}
    for line in text:
        if not line.strip() or line.startswith("#"):
            continue
        match = LINE.match(line)
        if not match:
            raise SystemExit(f"FAILED: {PATH}: a line is `name value # reason`, not: {line}")
        found.setdefault(match["name"], []).append([int(match["value"]), match["reason"]])
    return found


def problems(ledger, measures):
    """What is wrong: growth without a reason, figures past their line, and lines that measure nothing."""
    unknown = ledger.keys() - {each.name for each in measures}
    return [
        *(f"{PATH} names {name}, which is no measure" for name in sorted(unknown)),
        *growth_without_reason(ledger),
        *raised_in_place(ledger, "HEAD"),
        *raised_in_place(ledger, "HEAD^"),
        *excess(ledger, measures),
    ]


def growth_without_reason(ledger):
    for name, history in ledger.items():
        for (before, _), (after, reason) in zip(history, history[1:]):
            if after <= before:
                yield f"{PATH}: {name} {after} comes after {name} {before}, but a later line is for growth"
            elif not reason:
                yield f"{PATH}: {name} grew from {before} to {after}; give the reason: {name} {after} # reason"


def raised_in_place(ledger, revision):
    """Figures that are higher than in a revision although their line has no other reason."""
    shown = subprocess.run(["git", "show", f"{revision}:{PATH}"], capture_output=True, text=True)
    former = parse(shown.stdout.splitlines()) if shown.returncode == 0 else {}
    for name in sorted(ledger.keys() & former.keys()):
        if any(
            value > former_value and reason == former_reason
            for (value, reason), (former_value, former_reason) in zip(ledger[name], former[name])
        ):
            yield f"{PATH}: {name} was raised in its line; leave that line, and add one with a reason"


def excess(ledger, measures):
    for each in measures:
        if each.name not in ledger:
            yield f"{PATH} has no line for {each.name}; Scripts/measure.sh --write adds it"
        elif each.value > ledger[each.name][-1][0]:
            yield (
                f"{each.name} grew from {ledger[each.name][-1][0]} to {each.value}. Reduce it, or add to {PATH}:"
                f" {each.name} {each.value} # reason"
            )


def write(ledger, measures):
    """Lowers the figures that fell, and adds those of new measures. Raises none."""
    kept = [line for line in lines() if line.startswith("#")]
    for each in measures:
        history = ledger.get(each.name, [[each.value, None]])
        while len(history) > 1 and history[-2][0] >= each.value:
            history.pop()
        history[-1][0] = min(history[-1][0], each.value)
        kept += [f"{each.name} {value}" + (f" # {reason}" if reason else "") for value, reason in history]
    with open(PATH, "w", encoding="utf-8") as file:
        file.write("\n".join(kept) + "\n")
