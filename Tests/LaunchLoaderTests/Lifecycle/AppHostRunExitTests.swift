#if os(Linux) || os(macOS)
import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

extension AppHostRunTests {
  @Test("The third interrupt ends the process with the signal's number")
  func thirdInterrupt() async {
    await #expect(processExitsWith: .exitCode(130)) {
      let clock = TestClock()
      let configuration = AppHost.Configuration(clock: clock)
      let app = AppHost(bus: EventBus(), loader: LaunchLoader(), configuration: configuration)
      for number: Int32 in [15, 1, 2] {
        app.interrupt(number)
        clock.jump(by: .seconds(1))
      }
    }
  }
}
#endif
