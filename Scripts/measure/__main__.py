"""The command: prints the table and the lists that were asked for, checks the figures, or writes them."""

import sys

import ledger
import measures
import reading


def table(found, limits):
    """The measures beside their targets and the figures that they may not exceed."""
    yield f"{'now':>7} {'limit':>7} {'target':>7}"
    for each in found:
        limit = limits[each.name][-1][0] if each.name in limits else "-"
        target = "-" if each.target is None else each.target
        yield f"{each.value:>7} {limit:>7} {target:>7}   {each.name:<20} {each.title}"


def listings(tree):
    """What each option lists."""
    return {
        "--pairs": (f"{a}:{line} ~ {b}:{other} ({count} runs)" for count, a, b, (line, other) in tree.pairs),
        "--circles": (f"{len(circle)}: {' '.join(circle)}" for circle in tree.circles),
        "--names": (f"{users} files use {name}, declared in {' '.join(homes)}" for users, name, homes in tree.names),
        "--tuples": (f"{path}:{line}: {text}" for path, line, text in tree.aliases + tree.nameless),
        "--package": (f"{path}:{line}: {kind} {name}" for path, line, kind, name in tree.package),
        "--long": (f"{path}: {count} lines" for path, count in tree.long_files),
    }


def check(found, limits, tree):
    """Prints what is wrong, and what may be written; exits with 1 if something is wrong."""
    wrong = ledger.problems(limits, found) + reading.problems(tree.sources)
    for line in wrong:
        print(f"FAILED: {line}", file=sys.stderr)
    fallen = [each.name for each in found if each.name in limits and each.value < limits[each.name][-1][0]]
    if fallen:
        print(f"Fallen: {', '.join(fallen)}. Run Scripts/measure.sh --write to keep the gain.")
    sys.exit(1 if wrong else 0)


def main(options):
    tree = measures.Tree()
    lists = listings(tree)
    unknown = set(options) - lists.keys() - {"--check", "--write"}
    if unknown:
        sys.exit(f"Unknown option {' '.join(sorted(unknown))}; Scripts/measure.sh --help prints the options.")
    found = measures.measures(tree)
    limits = ledger.read()
    if "--write" in options:
        ledger.write(limits, found)
        limits = ledger.read()
    print("\n".join(table(found, limits)))
    for option in options:
        for line in lists.get(option, ()):
            print(f"  {line}")
    if "--check" in options:
        check(found, limits, tree)


main(sys.argv[1:])
