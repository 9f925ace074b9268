import EventBus
import EventBusNATS
import Testing

@Suite("Reports as text", .timeLimit(.minutes(5)))
struct ReportTextTests {
  private static let forged = "x\nEventBusNATS: all is well\u{1B}[2J\r\u{2028}\u{85}\u{7F}"

  private func isOneLine(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
  }

  @Test("Text of a forged sender or an error stays on the line of the report, without escapes")
  func forged() async throws {
    struct Problem: Error, CustomStringConvertible {
      var description: String { ReportTextTests.forged }
    }
    let server = ScriptedServer(seed: 0)
    let link = ScriptedLink(server)
    let a = Party("a", link: ScriptedLink(server)) {
      $0.retry = EventBridge.RetryPolicy(attempts: 1)
    }
    a.bridge.carry(.text, .incoming)
    a.bridge.carry(.number, delivery: .durable(stream: "S", consumer: "c"))
    let token = a.bus.observe(.number) { _ in throw Problem() }
    try await a.bridge.waitUntilPrepared()
    func send(_ sequence: UInt64, _ type: String, _ payload: String) throws {
      let header = WireHeader(
        node: Self.forged,
        incarnation: 9,
        sequence: sequence,
        version: 1,
        contentType: type
      )
      try link.send(
        OutgoingMessage(
          subject: "events.test.text",
          header: header.bytes,
          payload: Array(payload.utf8)
        )
      )
    }
    try send(1, "json", "\"a\"")
    try send(3, "json", "\"b\"")
    try send(3, "json", "\"b\"")
    try send(4, Self.forged, "\"c\"")
    try send(5, "json", "c\n\u{1B}")
    try await a.bridge.post(.number, 1)
    for kind in [
      BridgeReport.Kind.gap, .past, .unknownVersion, .unreadablePayload, .failed, .deadLetter,
    ] {
      await eventually("\(kind) is reported") { a.reports.values.contains { $0.kind == kind } }
    }
    for report in a.reports.values {
      #expect(isOneLine("\(report)"), "\(report.kind)")
      for (name, value) in report.fields { #expect(isOneLine(value), "\(report.kind): \(name)") }
    }
    // The properties have what was sent.
    #expect(a.reports.values.contains { $0.node == Self.forged })
    withExtendedLifetime(token) {}
  }
}
