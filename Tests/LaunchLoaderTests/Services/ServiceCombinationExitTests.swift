#if os(Linux) || os(macOS)
import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Extreme values of services", .timeLimit(.minutes(5)))
struct ServiceCombinationExitTests {
  @Test("The longest durations do not trap: a clock at its end")
  func endOfTime() async {
    await #expect(processExitsWith: .success) {
      let stage = Stage(stopTimeout: .seconds(20), cancelTimeout: .seconds(5))
      try stage.add("a")
      let running = try await stage.startUntilActive()
      await rest()
      stage.clock.jump(by: .seconds(Int64.max))
      stage.clock.jump(by: Duration(attoseconds: .max))
      stage.app.shutdown()
      _ = try await running.value
    }
  }

  @Test("The longest durations do not trap: limits")
  func longestLimits() async {
    await #expect(processExitsWith: .success) {
      let longest = Duration(attoseconds: .max)
      let stage = Stage(stopTimeout: longest, cancelTimeout: longest)
      try stage.add(
        "a",
        { ($0.startTimeout, $0.stopTimeout, $0.reportsReadiness) = (longest, longest, true) }
      )
      try stage.add("b", { $0.onThrow = .restart(RestartPolicy(pause: longest, atMost: longest)) })
      { _ in
        throw Failed(name: "b")
      }
      let running = try await stage.startUntilActive()
      await until(stage.app.services.last?.state == .pausing)
      await rest()
      stage.clock.jump(by: .seconds(60))
      await rest()
      await stage.app.reload()
      _ = try await stage.stop(running)
    }
  }

  @Test("The longest durations do not trap: pauses")
  func longestPauses() async {
    await #expect(processExitsWith: .success) {
      let longest = Duration(attoseconds: .max)
      for shift in 0..<127 {
        let policy = RestartPolicy(
          pause: Duration(attoseconds: Int128(1) << shift),
          atMost: longest
        )
        for restarts in [0, 1, 5, 200] { _ = policy.pause(after: restarts) }
      }
    }
  }

  @Test("A line that the service manager cannot receive is reported once, not each time")
  func notifyTwice() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      unsafe setenv("NOTIFY_SOCKET", "/nowhere/at/all", 1)  // Reason: the test's own process.
      ServiceManager.notify("STATUS=1")
      ServiceManager.notify("STATUS=2")
    }
    let complaints = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      .split(separator: "\n").filter { $0.contains("NOTIFY_SOCKET") }
    #expect(complaints.count == 1)
  }
}
#endif
