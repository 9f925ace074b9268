#if os(Linux) || os(macOS)
import EventBus
import LaunchLoader
import TestSupport
import Testing

extension AppHostRunTests {
  @Test("The third interrupt ends the process with the signal's number")
  func thirdInterrupt() async {
    await #expect(processExitsWith: .exitCode(130)) {
      let app = AppHost(bus: EventBus(), loader: LaunchLoader())
      for number: Int32 in [15, 1, 2] { app.interrupt(number) }
    }
  }
}
#endif
