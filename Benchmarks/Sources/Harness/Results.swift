/// Every line measured so far.
public struct Results: Sendable {
  /// In the order they were measured.
  internal private(set) var lines: [Line] = []

  internal mutating func append(_ line: Line) {
    lines.append(line)
  }

  /// Whether nothing was measured.
  public var isEmpty: Bool { lines.isEmpty }

  /// Whether a count that must be 0 is not.
  public var isBroken: Bool {
    lines.contains { $0.figure.mustBeZero && $0.own != 0 }
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
