import EventBus
import LaunchLoader
import TestSupport

/// A clock that stands still until it is moved.
final class ManualClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Instant(offset: .zero)
    var readings = 0
  }

  private let state = Locked(State())

  var now: Instant {
    state.withLock { state in
      state.readings += 1
      return state.now
    }
  }
  var minimumResolution: Duration { .nanoseconds(1) }
  var readings: Int { state.withLock { $0.readings } }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    throw CancellationError()
  }

  func advance(by duration: Duration) {
    state.withLock { $0.now = $0.now.advanced(by: duration) }
  }
}

struct Broken: Error, CustomStringConvertible {
  var description: String { "broken" }
}

extension LaunchReport {
  /// The entries as `name outcome`.
  var summary: [String] { entries.map { "\($0.id) \($0.outcome)" } }
}

/// The code of the launch error that a closure throws, if it throws one.
func launchErrorCode<Result>(
  _ body: () async throws -> Result
) async -> LaunchError.Code? {
  do {
    _ = try await body()
    return nil
  } catch let error as LaunchError {
    return error.code
  } catch {
    return nil
  }
}

/// Whether a closure throws `CancellationError`.
func isCancelled<Result>(_ body: () async throws -> Result) async -> Bool {
  do {
    _ = try await body()
    return false
  } catch {
    return error is CancellationError
  }
}

/// Cancels the task that calls.
func cancelCurrentTask() {
  unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }  // Reason: it does not leave the closure.
}
