"""Pairs of places that share six or more lines of code."""

import re
from collections import defaultdict

RUN = 6
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
WORD = re.compile(r"[A-Za-z_]\w*")
# Blank lines, comments, imports, directives, and lines of punctuation only.
NO_CODE = re.compile(r"\s*(//|#|([a-z]+ )?import |[\W_]*$)")
# A case of an enumeration.
CASE = re.compile(r"\s*(indirect )?case (?!let\b|var\b)\w")
KEYWORDS = set(
    "as async await break case catch class continue default defer do else enum extension false final for func guard"
    " if in init inout internal is isolated let mutating nil package private protocol public repeat return self"
    " some any static struct subscript super switch throw throws true try var where while".split()
)


def shape(line):
    """The line with placeholders for names, strings and numbers."""
    line = STRING.sub("0", line)
    line = WORD.sub(lambda match: match[0] if match[0] in KEYWORDS else "x", line)
    return re.sub(r"\d+", "0", line)


def rows(file):
    """The lines that count: (number, text, shape, whether it is a case of an enumeration)."""
    lines = ((number, line) for number, line in enumerate(file.lines, 1) if not NO_CODE.match(line))
    return [
        (number, "".join(line.split()), "".join(shape(line).split()), bool(CASE.match(line)))
        for number, line in lines
    ]


def runs(files):
    """Every run of six lines: (key, (path, position, number of its first line)).

    Runs are equal if their lines are, or if the lines are equal but for names, strings and numbers and most
    of them are no cases: lists of different cases are alike in form, and have nothing to share.
    """
    for file in files:
        lines = rows(file)
        for start in range(len(lines) - RUN + 1):
            part = lines[start : start + RUN]
            place = (file.path, start, part[0][0])
            yield ("text", *(row[1] for row in part)), place
            if sum(row[3] for row in part) < RUN / 2:
                yield ("shape", *(row[2] for row in part)), place


def pairs(files):
    """The pairs of files, each with its number of shared runs, and the lines where the first one begins.

    A file forms a pair with itself if it has a run twice.
    """
    places = defaultdict(list)
    for key, place in runs(files):
        places[key].append(place)
    found = defaultdict(set)
    for equal in places.values():
        for index, (path, start, line) in enumerate(equal):
            for other, other_start, other_line in equal[index + 1 :]:
                if path != other or other_start - start >= RUN:
                    found[path, other].add((line, other_line))
    return sorted(((len(shared), *pair, min(shared)) for pair, shared in found.items()), reverse=True)
