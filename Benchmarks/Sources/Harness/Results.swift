/// Every line measured so far.
public struct Results: Sendable {
  /// In the order they were measured.
  internal private(set) var lines: [Line] = []

  internal func line(titled title: String) -> Line? {
    lines.first { $0.figure.title == title }
  }

  internal mutating func append(_ line: Line) {
    lines.append(line)
  }

  /// The goals of all lines, each with the number it is about.
  internal var verdicts: [Verdict] {
    lines.flatMap { line in
      line.figure.goals.map { Verdict(goal: $0, value: $0.measure(line, self)) }
    }
  }

  /// Whether nothing was measured.
  public var isEmpty: Bool { lines.isEmpty }

  /// Whether a count that must be exact is not.
  public var isBroken: Bool {
    verdicts.contains { $0.goal.isExact && $0.isMet == false }
  }
}

/// One line's figures.
internal struct Line: Sendable {
  internal let figure: Figure
  /// The project's own column.
  internal let ours: Subject
  internal var samples: [Subject: Samples]

  internal var own: Double? {
    samples[ours]?.median
  }

  /// The ratio of another subject's figure to that of the project.
  internal func multiple(of other: Subject) -> Double? {
    guard let own, let peer = samples[other]?.median, own > 0 else { return nil }
    return peer / own
  }
}

/// A goal and the number it is about.
internal struct Verdict: Sendable {
  internal let goal: Goal
  internal let value: Double?

  /// Whether the goal is met, or `nil` if that was not measured.
  internal var isMet: Bool? {
    value.map(goal.isMet)
  }
}
