import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Reports of delay", .timeLimit(.minutes(5)))
struct DelayReportTests {
  @Test("A report that is being made when the delay ends is not sent")
  func endDuringAReport() async {
    let clock = TestClock()
    let log = Log<String>()
    let holder = Holder<DelayReport>()
    let report = DelayReport(clock) { _ in
      log.append("made")
      holder.value?.end()
      return AppHostMessage("late")
    } send: {
      log.append($0.description)
    }
    holder.hold(report)
    await clock.waitForSleepers(atLeast: 1)
    await clock.jumpAtRest(by: .seconds(5))
    await until(!log.entries.isEmpty)
    await rest()
    #expect(log.entries == ["made"])
    holder.hold(nil)
  }
}
