import EventBus
import EventBusNATS
import Testing

@Suite("Misuse of bridges", .timeLimit(.minutes(5)))
struct MisuseExitTests {
  /// Expects a message that names the caller's line, the problem and the remedy.
  private func expect(_ message: String, _ result: ExitTest.Result?) throws {
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("EventBusNATSTests/MisuseExitTests.swift:"))
    #expect(text.contains("EventBusNATS: \(message)"), "\(text)")
  }

  @Test("Carrying one string with two payload types stops the program with the name of the event")
  func twoTypes() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let link = ScriptedLink(ScriptedServer(seed: 0))
      let bridge = EventBridge(EventBus(), link: link, node: "a", .quick())
      bridge.carry(EventName<Int>("same"), .outgoing)
      bridge.carry(EventName<String>("same"), .incoming)
    }
    try expect("The event \"same\" is carried with two payload types", result)
  }

  @Test("An empty node, an empty prefix and a stream limit that is not positive stop the program")
  func options() async throws {
    try expect(
      "The name of the node is empty. Give it a name that no other process has.",
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let link = ScriptedLink(ScriptedServer(seed: 0))
        _ = EventBridge(EventBus(), link: link, node: "", .quick())
      }
    )
    try expect(
      "The subject prefix of the node \"a\" is empty.",
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let link = ScriptedLink(ScriptedServer(seed: 0))
        _ = EventBridge(EventBus(), link: link, node: "a", .quick { $0.prefix = "" })
      }
    )
    let limit = "A stream limit of the node \"a\" is not positive. Pass a positive value, or nil."
    try expect(
      limit,
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let link = ScriptedLink(ScriptedServer(seed: 0))
        let limits = StreamLimits(age: .zero)
        _ = EventBridge(EventBus(), link: link, node: "a", .quick { $0.streamLimits = limits })
      }
    )
    try expect(
      limit,
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let link = ScriptedLink(ScriptedServer(seed: 0))
        let limits = StreamLimits(size: 0)
        _ = EventBridge(EventBus(), link: link, node: "a", .quick { $0.streamLimits = limits })
      }
    )
  }
}
