#if os(Linux) || os(macOS)
import EventBus
import TestSupport
import Testing

extension PlatformDefectsTests {
  @Test("A buffer size of zero does not trap")
  func zeroSizeBuffer() async {
    await #expect(processExitsWith: .success) {
      let bus = EventBus()
      let (heard, inbox) = (bus.events(.number, buffering: .bufferingOldest(0)), Inbox<Int>())
      let token = bus.observe(.number, buffering: .bufferingNewest(0)) { value in
        await Task.yield()
        inbox.append(value)
      }
      bus.post(.number, 1)
      var events = heard.makeAsyncIterator()
      let first = await events.next()
      precondition(first == 1)
      let handled = await inbox.first(1)
      precondition(handled == [1])
      withExtendedLifetime(token) {}
    }
  }
}
#endif
