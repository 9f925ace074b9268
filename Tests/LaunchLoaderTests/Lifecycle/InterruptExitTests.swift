#if os(Linux) || os(macOS)
import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

extension ProcessSignalTests.InterruptTests {
  @Test("Interrupts count as one as long as each follows the last within half a second")
  func chain() async {
    await #expect(processExitsWith: .exitCode(3)) {
      let clock = TestClock()
      let configuration = AppHost.Configuration(clock: clock)
      let app = AppHost(bus: EventBus(), loader: LaunchLoader(), configuration: configuration)
      for number: Int32 in [15, 2, 15, 15, 2] {
        app.interrupt(number)
        clock.jump(by: .milliseconds(400))
      }
      exit(3)
    }
  }

  @Test("A second interrupt that arrives twice does not end the process")
  func secondInterruptTwice() async {
    await #expect(processExitsWith: .exitCode(3)) {
      let clock = TestClock()
      let configuration = AppHost.Configuration(clock: clock)
      let app = AppHost(bus: EventBus(), loader: LaunchLoader(), configuration: configuration)
      app.interrupt(15)
      clock.jump(by: .seconds(1))
      app.interrupt(2)
      app.interrupt(15)
      exit(3)
    }
  }
}
#endif
