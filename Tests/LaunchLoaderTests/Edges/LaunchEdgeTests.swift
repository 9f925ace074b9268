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

@Suite("Edge table of launch work and services", .timeLimit(.minutes(5)))
struct LaunchEdgeTests {
  @Test(
    "Launch work and shutdown closures pass every applicable situation of a registration",
    arguments: Situation.all
  )
  fileprivate func survives(_ situation: Situation) async {
    let findings = await situation.row.findings(situation.kind)
    #expect(findings == [])
  }

  @Test("Each kind covers most situations and gives a reason for each one left out")
  func reasons() {
    #expect(EdgeKind.ofLaunchesAndServices.count == 3)
    for kind in EdgeKind.ofLaunchesAndServices {
      let omitted = EdgeRow.allCases.compactMap { $0.reason(against: kind) }
      #expect(omitted.allSatisfy { $0.hasSuffix(".") }, "\(kind)")
      #expect(EdgeRow.allCases.count - omitted.count >= 15, "\(kind)")
    }
  }
}
