import EventBus
import LaunchLoader
import TestSupport
import Testing

/// One kind of registration in one situation.
private struct Situation: Sendable, CustomTestStringConvertible {
  let row: EdgeRow
  let kind: EdgeKind

  static let all = EdgeRow.allCases.flatMap { row in
    row.applicable(EdgeKind.ofLaunchesAndServices).map { Situation(row: row, kind: $0) }
  }

  var testDescription: String { "\(kind), \(row)" }
}

@Suite("The table of edges, for launch work and services", .timeLimit(.minutes(5)))
struct LaunchEdgeTests {
  @Test(
    "Launch work and closures for the shutdown survive every situation of a registration",
    arguments: Situation.all
  )
  fileprivate func survives(_ situation: Situation) async {
    let findings = await situation.row.findings(situation.kind)
    #expect(findings == [])
  }

  @Test("Each kind is tried in most of its situations, and says why it leaves out the others")
  func reasons() {
    for kind in EdgeKind.ofLaunchesAndServices {
      let omitted = EdgeRow.allCases.compactMap { $0.reason(against: kind) }
      #expect(omitted.allSatisfy { $0.hasSuffix(".") })
      #expect(EdgeRow.allCases.count - omitted.count >= 15, "\(kind)")
    }
  }
}
