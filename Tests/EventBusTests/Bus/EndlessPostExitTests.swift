#if os(Linux) || os(macOS)
import EventBus
import TestSupport
import Testing

extension EndlessPostTests {
  @Test("Posts that nest on a thread with a small stack are reported before the stack is exhausted")
  func smallStack() async {
    await #expect(processExitsWith: .success) {
      onStack(of: 256 << 10) {
        let isReported = ManualLatch()
        let name = EventName<Int>("endless.small")
        let bus = EventBus(hooks: EventHooks(onMessage: { _ in isReported.open() }))
        let token = bus.observe(name) { [unowned bus] number in
          if !isReported.isOpen { bus.post(name, number + 1) }
        }
        bus.post(name, 1)
        withExtendedLifetime(token) {}
      }
    }
  }
}
#endif
