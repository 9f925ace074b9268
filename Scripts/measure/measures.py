"""The measures: what each counts, and its target."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import circles
import pairs
import reading
import swift
import tuples

# The targets of the package beside its libraries, which can use their package declarations.
CLIENTS = [
    "Tests",
    "Examples",
    "Integrations/Testing",
    "Integrations/Pictures",
    "Integrations/Foundation",
    "Integrations/Observation",
    "Integrations/Locks",
]

# The lists of *Where to read* whose files are counted: measure, title, number of parts, target.
# 11 and 14 files were planned for a post, 10 for a switch, 7 for a property and 8 for a timer, before superclasses
# counted, and before rooms that do not know one another got files of their own. Shorter lists need larger files.
PATHS = [
    ("read-post-home", "A post to an owner on an actor", 1, 16),
    ("read-post-elsewhere", "A post to an owner on an actor", 2, 22),
    ("read-register", "Registering before `main`, to the report", 1, 16),
    ("read-register-planned", "Registering before `main`, to the report", 2, None),
    ("read-stop", "SIGTERM, until the services have stopped", 1, 14),
    ("read-stop-late", "SIGTERM, until the services have stopped", 2, None),
    ("read-theme-apply", "Setting a theme", 1, 7),
    ("read-theme-switch", "Setting a theme", 2, 11),
    ("read-observed", "Setting an `Observed` property, to its observer", 1, 10),
    ("read-every", "`every`, to a tick", 1, 10),
]


@dataclass
class Measure:
    """A figure that may fall and not grow. Not every measure has a target."""

    name: str
    value: int
    target: int | None
    title: str


class Tree:
    """The files, and what is found in them, computed when it is first needed."""

    @cached_property
    def sources(self):
        return swift.read("Sources")

    @cached_property
    def integrations(self):
        """The sources of Integrations/, without tests, examples, benchmarks and manifests."""
        leaving_out = r"/\.build/|/(Tests|Examples|Benchmarks)/|/Package\.swift$"
        return swift.read("Integrations", leaving_out=leaving_out)

    @cached_property
    def circles(self):
        return circles.circles(self.sources)

    @cached_property
    def pairs(self):
        return pairs.pairs(self.sources)

    @cached_property
    def names(self):
        return circles.misplaced(self.sources)

    @cached_property
    def aliases(self):
        return [(file.path, *row) for file in self.sources for row in tuples.aliases(file)]

    @cached_property
    def nameless(self):
        return [(file.path, *row) for file in self.sources for row in tuples.nameless(file)]

    @cached_property
    def long_files(self):
        """Comments and blank lines included."""
        files = self.sources + self.integrations
        return [(file.path, len(file.lines)) for file in files if len(file.lines) > 400]

    @cached_property
    def package(self):
        return package_without_user(self.sources, swift.read(*CLIENTS))


def measures(tree):
    """The figures of the tree, in the order of the table."""
    sizes = [len(circle) for circle in tree.circles]
    across = sum(len(circles.rooms(circle)) > 1 for circle in tree.circles)
    return [
        # 18,000 were planned. The cuts of the plan have been made; structs in the place of tuples, a file for each
        # name, states with a case for each stage, and checks of invariants took back what they saved.
        Measure("code-lines", code_lines(tree.sources), 19_730, "code lines of Sources/"),
        Measure("code-lines-beside", code_lines(tree.integrations), None, "code lines of Integrations/"),
        # 255 were planned, before tuples of three fields became structs and states got cases with values.
        Measure("types", top_level_types(tree.sources), 310, "top-level types"),
        Measure("largest-circle", max(sizes, default=0), 6, "files in the largest circle"),
        Measure("in-circles", sum(sizes), None, f"files in all circles: {sizes}"),
        Measure("circles-across", across, 0, "circles across two rooms"),
        # 20 were planned. What is left are public overloads, whose parameters must be written out, and their
        # documentation: a parameter pack does not keep the isolation of a closure (Documentation/Decisions.md).
        Measure("pairs", len(tree.pairs), 37, "pairs of places that share six lines"),
        Measure("register", register_overloads(tree.sources), 21, "overloads of register"),
        Measure("tuple-aliases", len(tree.aliases), 0, "tuple aliases, three and more fields"),
        Measure("tuples-nameless", len(tree.nameless), None, "the same without a name"),
        Measure("misplaced-names", len(tree.names), 15, "names of three and more files, misplaced"),
        Measure("long-files", len(tree.long_files), 0, "files past 400 lines"),
        # Five are subclasses of classes that must be package, and the compiler rejects internal ones; one is the type
        # of a property that has no annotation.
        Measure("package", len(tree.package), 6, "package without a user outside"),
        *path_measures(),
    ]


def path_measures():
    """The number of files in each list of *Where to read*: all that a reader opens, superclasses included."""
    lists = {path.title: path for path in reading.paths()}
    missing = [title for _, title, _, _ in PATHS if title not in lists]
    if missing:
        raise SystemExit(f"FAILED: {reading.PAGE} has no list **{missing[0]}**; adapt PATHS in {__file__}")
    return [
        Measure(name, len(lists[title].files(parts)), target, "files to read")
        for name, title, parts, target in PATHS
    ]


def code_lines(files):
    """Lines that are neither blank nor only a comment that begins with two slashes."""
    return sum(not re.match(r"\s*(//|$)", line) for file in files for line in file.lines)


def top_level_types(files):
    """Declarations of types that begin a line; also inside `#if`, where they have no indentation either."""
    return sum(each.is_top_level and each.kind in swift.TYPES for file in files for each in file.declarations)


def register_overloads(files):
    """Public functions `register` of LaunchLoader, and `callAsFunction` of the value `register`.

    Those that are unavailable, which only catch mistakes, are not among them: nobody can choose them.
    """
    return sum(
        each.name in ("register", "callAsFunction")
        and each.kind == "func"
        and "public" in each.modifiers
        and not is_unavailable(file, each)
        for file in files
        if file.module == "LaunchLoader"
        for each in file.declarations
    )


def is_unavailable(file, declaration):
    """Whether the declaration, or the extension in which it is, is unavailable."""
    before = file.lines[: declaration.line - 1]
    extension = next((n for n in reversed(range(len(before))) if re.match(r"(\w+ )*extension\b", before[n])), 0)
    attributes = before[max(extension - 1, 0) : extension]
    while before and re.match(r"\s*@", before[-1]):
        attributes.append(before.pop())
    return any("@available(*, unavailable" in line for line in attributes)


def package_without_user(files, clients):
    """(path, line, kind, name) of each `package` declaration that nothing outside its module needs.

    Outside are the other libraries, the tests, the examples and the products beside the libraries. Any equal
    word there is a use, so this finds too few. A type is also needed where the signature of an exported
    declaration names it, as a superclass for instance: the compiler demands that it is exported, too. So is a
    function or property of an exported type that overrides or implements another; a second declaration of the
    name is taken for that one.
    Initializers and subscripts have no name and do not count.
    """
    outside = set().union(*(file.words for file in clients))
    modules = {file.module: set() for file in files}
    signatures = {file.module: Counter() for file in files}
    declarations = {file.module: Counter() for file in files}
    for file in files:
        modules[file.module] |= file.words
        signatures[file.module].update(file.exported_signatures)
        declarations[file.module].update(each.name for each in file.declarations)
    found = []
    for file in files:
        named = outside.union(*(words for module, words in modules.items() if module != file.module))
        demanded, declared = signatures[file.module], declarations[file.module]
        found += [
            (file.path, each.line, each.kind, each.name)
            for each in file.declarations
            if "package" in each.modifiers
            and each.kind not in ("init", "subscript")
            and each.name
            and each.name not in named
            and not (each.kind in {*swift.TYPES, "typealias"} and demanded[each.name] > 1)
            and not (each.kind in {"func", "var"} and declared[each.name] > 1)
        ]
    return found
