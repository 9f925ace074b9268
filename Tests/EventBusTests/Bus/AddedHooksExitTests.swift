#if os(Linux) || os(macOS)
import EventBus
import TestSupport
import Testing

extension AddedHooksTests {
  @Test("Errors are written to standard error only while no onError is installed")
  func defaultLine() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let bus = EventBus(hooks: EventHooks(onTrace: { _ in }))
      let token = bus.observe(.number) { _ in throw SampleError(number: 1) }
      let other = bus.observe(.text) { _ in throw SampleError(number: 2) }
      bus.post(.number, 1)
      let log = Log<String>()
      let hooks = bus.addHooks(EventHooks(onError: { log.append("\($0.error)") }))
      bus.post(.text, "hidden")
      precondition(log.entries == ["SampleError(number: 2)"])
      hooks.cancel()
      bus.post(.number, 1)
      withExtendedLifetime((token, other)) {}
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.split(separator: "\n").filter { $0.contains("number: 1") }.count == 2)
    #expect(!text.contains("number: 2"))
  }

  @Test("onMessage receives the lines that the bus would write to standard error")
  func messages() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let messages = Log<String>()
      let bus = EventBus()
      let hooks = bus.addHooks(EventHooks(onMessage: { messages.append($0) }))
      let failing = bus.observe(.text) { _ in throw SampleError() }
      bus.post(.text, "x")
      precondition(messages.take().first?.contains("SampleError") == true)
      let stream = bus.events(.nothing, buffering: .bufferingNewest(0))
      precondition(messages.take().first?.contains("A buffer of 0 events") == true)
      let asynchronous = bus.observe(.nothing, buffering: .bufferingOldest(0)) {
        await Task.yield()
      }
      precondition(messages.take().count == 1)
      withExtendedLifetime((hooks, failing, stream, asynchronous)) {}
    }
    let output = try #require(result).standardErrorContent
    #expect(output.isEmpty)
  }

  @Test("An error inside onMessage is written to standard error, and not reported again")
  func errorInsideMessage() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let (bus, calls) = (EventBus(), Counter())
      let failing = bus.observe(.text) { _ in throw SampleError() }
      let hooks = bus.addHooks(
        EventHooks(onMessage: { [unowned bus] _ in
          calls.add()
          bus.post(.text, "again")
        })
      )
      bus.post(.text, "x")
      precondition(calls.value == 1)
      withExtendedLifetime((failing, hooks)) {}
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("SampleError"))
  }
}
#endif
