#if os(Linux) || os(macOS)
import EventBus
import EventBusTesting
import TestSupport
import Testing

@Suite("Misuse of timers")
struct TimerMisuseTests {
  /// The lines that the library wrote to standard error.
  private func lines(_ result: ExitTest.Result?) throws -> [Substring] {
    String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      .split(separator: "\n")
      .filter { $0.contains("EventBus:") || $0.contains("EventBusTesting:") }
  }

  @Test("An interval of zero stops the program and names the source site")
  func zero() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = every(.zero) { _ in }
    }
    let line = try lines(result).first
    #expect(line?.contains("`every` requires a positive interval; got 0.0 seconds") == true)
    #expect(line?.contains("EventBusTests/TimerMisuseExitTests.swift:") == true)
    #expect(line?.contains("an interval above zero") == true)
  }

  @Test("A negative interval stops the program and names the source site")
  func negative() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      every(.seconds(-1), owner: PlainOwner()) { _, _ in }
    }
    #expect(try lines(result).first?.contains("TimerMisuseExitTests.swift") == true)
  }

  @Test("A negative delay stops the program")
  func negativeDelay() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = after(.seconds(-1)) { _ in }
    }
    #expect(try lines(result).first?.contains("a delay of zero or more") == true)
  }

  @Test("A negative tolerance stops the program")
  func negativeTolerance() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = every(.seconds(1), tolerance: .seconds(-1)) { _ in }
    }
    #expect(try lines(result).first?.contains("a tolerance of zero or more") == true)
  }

  @Test("Moving a manual clock back stops the program")
  func back() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ManualClock().jump(by: .seconds(-1))
    }
    #expect(try lines(result).first?.contains("create another clock") == true)
  }

  @Test("A clock that fails to sleep is reported, and its timers stop")
  func refusal() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let clock = BrokenClock()
      let token = every(.seconds(1), clock: clock) { _ in }
      await clock.wasReported.wait()
      withExtendedLifetime(token) {}
    }
    #expect(try lines(result).first?.contains("BrokenClock failed to sleep") == true)
  }

  @Test("Timers of a clock at its last instant are reported, and stop")
  func lastInstant() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let clock = ManualClock()
      for _ in 0..<100 { clock.jump(by: .seconds(Int64.max)) }
      precondition(clock.now.offset == Duration(attoseconds: .max))
      let token = after(.seconds(1), clock: clock) { _ in preconditionFailure("too early") }
      await clock.waitUntilSettled()
      precondition(clock.sleeperCount == 0)
      withExtendedLifetime(token) {}
    }
    let line = try lines(result).first
    #expect(line?.contains("ManualClock failed to sleep (it cannot represent the next") == true)
  }
}

/// A clock that fails to sleep.
private final class BrokenClock: Clock, Sendable {
  /// An error that is released once it has been reported.
  final class Broken: Error {
    private let end: AtDeinit

    init(_ body: @escaping @Sendable () -> Void) { end = AtDeinit(body) }
  }

  let wasReported = ManualLatch()
  var now: ManualClock.Instant { .init() }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    throw Broken { [wasReported] in wasReported.open() }
  }
}
#endif
