"""Swift files as text: their code without comments and strings, and the names that they declare and use.

Everything here goes by names. The compiler's index would know more, but needs a build.
"""

import glob
import os
import re
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

TYPES = {"class", "struct", "enum", "protocol", "actor"}
HIDDEN = {"private", "fileprivate"}
EXPORTED = {"public", "package", "open"}

DECLARATION = re.compile(
    r"(?P<indent>\s*)(?:@\w+(?:\([^)]*\))?\s+)*"
    r"(?P<modifiers>(?:(?:public|package|internal|private|fileprivate|open|final|indirect|static|class"
    r"|mutating|override|required|convenience|lazy|weak|unowned|borrowing|consuming|nonisolated)"
    r"(?:\(\w+\))?\s+)*)"
    r"(?P<kind>class|struct|enum|protocol|actor|typealias|func|let|var|init|subscript)\b"
    r"\s*`?(?P<name>[A-Za-z_]\w*)?"
)
# A type, unless it is a member of something: `Change` but not `.Change`.
TYPE = re.compile(r"(?<![\w.])[A-Z]\w*")
# A call of a function without an instance: `batch {` and `batch(`, but neither `.batch(` nor `func batch(`.
CALL = re.compile(r"(?<![\w.])(?<!func )[a-z]\w*(?=\s*[({])")
WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass
class Declaration:
    """A declaration: its name, if it has one, its kind, its line, and the modifiers before it."""

    name: str | None
    kind: str
    line: int
    modifiers: list
    is_top_level: bool

    @property
    def is_hidden(self):
        return bool(HIDDEN & set(self.modifiers))


@dataclass
class File:
    """A Swift file. `code` holds the number and the text of each line that has code."""

    path: str
    lines: list
    code: list = field(default_factory=list)

    @property
    def name(self):
        return os.path.basename(self.path)

    @property
    def stem(self):
        return self.name.removesuffix(".swift")

    @property
    def module(self):
        return self.path.split("/")[1]

    @cached_property
    def text(self):
        return "\n".join(text for _, text in self.code)

    @cached_property
    def words(self):
        return set(WORD.findall(self.text))

    @cached_property
    def declarations(self):
        found = ((number, DECLARATION.match(text)) for number, text in self.code)
        return [
            Declaration(match["name"], match["kind"], number, match["modifiers"].split(), not match["indent"])
            for number, match in found
            if match
        ]

    @cached_property
    def exported_signatures(self):
        """How often each word occurs in the signatures of exported declarations, whose types must be exported as well.

        A signature ends where a body or a value begins. The cases of any enumeration count.
        """
        words, signature, depth = Counter(), False, 0
        for _, text in self.code:
            if not signature:
                match = DECLARATION.match(text)
                is_exported = match and EXPORTED & set(match["modifiers"].split())
                signature = is_exported or re.match(r"\s*(indirect )?case \w+\(", text)
                depth = 0
            if not signature:
                continue
            depth += text.count("(") - text.count(")")
            head = text if depth > 0 else re.split(r"\{| = ", text)[0] if "typealias" not in text else text
            words.update(WORD.findall(head))
            signature = depth > 0 or not re.search(r"[{=]|\bcase\b", text) and text.rstrip().endswith((")", ",", ">"))
        return words

    @cached_property
    def top_level_names(self):
        """The names that other files of the module can use as they are. An extension declares none."""
        return {each.name for each in self.declarations if each.is_top_level and not each.is_hidden}

    @cached_property
    def exported_names(self):
        """Those that other modules can use."""
        return {each.name for each in self.declarations if each.is_top_level and EXPORTED & set(each.modifiers)}

    @cached_property
    def foreign_names(self):
        """The names in use that this file does not declare itself, as a member or otherwise."""
        own = {each.name for each in self.declarations}
        return {*TYPE.findall(self.text), *CALL.findall(self.text)} - own


def read(*folders, leaving_out="/.build/"):
    """Reads the Swift files in the given folders, except those whose path matches an expression."""
    paths = [path for folder in folders for path in glob.glob(f"{folder}/**/*.swift", recursive=True)]
    files = {path: File(path, lines_of(path)) for path in sorted(paths) if not re.search(leaving_out, path)}
    if not files:
        return []
    stripped = subprocess.run(
        ["awk", "-f", "Scripts/gates/strip-code.awk", *files],
        env={**os.environ, "LC_ALL": "C"},
        capture_output=True,
        check=True,
    )
    for row in stripped.stdout.decode(errors="replace").split("\n")[:-1]:
        path, number, text = row.split("\t", 2)
        files[path].code.append((int(number), text))
    return list(files.values())


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().removesuffix("\n").split("\n")
