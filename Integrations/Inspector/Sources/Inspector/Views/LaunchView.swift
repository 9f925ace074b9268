internal import LaunchLoader

/// The plan and the report of the launch, for the page.
struct LaunchView: Sendable {
  /// A dependency between two pieces of launch work.
  struct Edge: Equatable, Sendable {
    var source: String
    var target: String
    var isHard: Bool
  }

  /// The plan as it was just before the launch.
  var plan: LaunchPlan?
  /// The reason there is no plan.
  var problem: String?
  var report: LaunchReport?

  /// The launch for the page; null before there is anything.
  var json: JSON {
    if plan == nil, problem == nil, report == nil { return .null }
    return [
      "problem": JSON(problem), "plan": plan.map(Self.json) ?? .null,
      "report": report.map(Self.json) ?? .null,
    ]
  }

  private static func json(_ plan: LaunchPlan) -> JSON {
    [
      "layers": .array(plan.layers.map { JSON($0.map(\.rawValue)) }),
      "edges": .array(
        edges(inDot: plan.dot).map {
          [
            "from": .string($0.target), "to": .string($0.source), "isHard": .bool($0.isHard),
          ]
        }
      ),
    ]
  }

  private static func json(_ report: LaunchReport) -> JSON {
    let path = Set(report.criticalPath.map(\.rawValue))
    return [
      "total": JSON(report.total),
      "problems": JSON(report.problems.map(\.description)),
      "criticalPath": JSON(report.criticalPath.map(\.rawValue)),
      "entries": .array(
        report.entries.map { entry in
          [
            "id": .string(entry.id.rawValue), "site": .string("\(entry.site)"),
            "phase": .string("\(entry.phase)"), "start": JSON(entry.start),
            "duration": JSON(entry.duration), "outcome": .string("\(entry.outcome)"),
            "kind": .string(kind(of: entry.outcome)),
            "isCritical": .bool(path.contains(entry.id.rawValue)),
          ]
        }
      ),
    ]
  }

  private static func kind(of outcome: LaunchOutcome) -> String {
    switch outcome {
    case .finished: "finished"
    case .failed: "failed"
    case .timedOut: "timedOut"
    case .skipped, .undone, .duplicate, .refused: "skipped"
    }
  }

  /// Reads the dependencies from a plan in the language of Graphviz.
  ///
  /// A plan has no list of its dependencies, but its graph is one: a line for each, with both names in quotation
  /// marks.
  static func edges(inDot dot: String) -> [Edge] {
    dot.split(separator: "\n").compactMap { line in
      guard line.hasPrefix("  \"") else { return nil }
      var rest = line.dropFirst(2)
      guard let source = name(in: &rest), rest.hasPrefix(" -> ") else { return nil }
      rest = rest.dropFirst(4)
      guard let target = name(in: &rest) else { return nil }
      return Edge(source: source, target: target, isHard: !rest.contains("dashed"))
    }
  }

  private static func name(in rest: inout Substring) -> String? {
    guard rest.popFirst() == "\"" else { return nil }
    var name = ""
    while let character = rest.popFirst() {
      switch character {
      case "\"": return name
      case "\\":
        guard let next = rest.popFirst() else { return nil }
        name.append(next == "n" ? "\n" : next)
      default: name.append(character)
      }
    }
    return nil
  }
}
