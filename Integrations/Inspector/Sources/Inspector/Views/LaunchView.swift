internal import LaunchLoader

/// The plan and the report of the launch, for the page.
struct LaunchView: Sendable {
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
        plan.edges.map { edge in
          [
            "from": .string(edge.from.rawValue), "to": .string(edge.to.rawValue),
            "isHard": .bool(edge.isRequired),
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
}
