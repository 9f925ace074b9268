#if os(Linux) || os(macOS)
import EventBus
import TestSupport
import Testing

extension ThrowingTests {
  @Test("An error thrown while the hook runs does not reach the hook again")
  func errorInsideTheHook() async {
    await #expect(processExitsWith: .success) {
      let told = Counter()
      let bus = Holder<EventBus>()
      var hooks = EventHooks()
      hooks.onError = { _ in
        told.add()
        bus.value?.post(.number, 2)
      }
      bus.hold(EventBus(hooks: hooks))
      let token = bus.value?.observe(.number) { _ in throw SampleError() }
      bus.value?.post(.number, 1)
      precondition(told.value == 1)
      withExtendedLifetime(token) {}
    }
  }

  @Test("Without a hook an error is reported on one line of standard error with event and error")
  func defaultPrintsOneLine() async throws {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      let bus = EventBus()
      let token = bus.observe(.number) { _ in throw SampleError(number: 7) }
      bus.post(.number, 1)
      withExtendedLifetime(token) {}
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let lines = text.split(separator: "\n").filter { $0.contains("SampleError") }
    #expect(lines.count == 1)
    #expect(lines.first?.contains("sample.number") == true)
    #expect(lines.first?.contains("ThrowingExitTests.swift") == true)
  }
}
#endif
