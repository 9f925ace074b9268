import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport

/// A clock that stands still and counts its reads.
final class ReadClock: Clock {
  typealias Instant = ManualClock.Instant

  let readings = Counter()

  var now: Instant {
    readings.add()
    return Instant()
  }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    throw CancellationError()
  }
}

struct Broken: Error, CustomStringConvertible {
  var description: String { "broken" }
}

extension LaunchReport {
  /// The entries as `name outcome`.
  var summary: [String] { entries.map { "\($0.id) \($0.outcome)" } }
}

// Tests compare errors with what they expect, by their texts; users of the library test for a case.
extension LaunchError.Code: Equatable {
  static func == (left: LaunchError.Code, right: LaunchError.Code) -> Bool {
    "\(left)" == "\(right)"
  }
}

extension AppServiceError.Code: Equatable {
  static func == (left: AppServiceError.Code, right: AppServiceError.Code) -> Bool {
    "\(left)" == "\(right)"
  }
}

/// Returns the code of the launch error that a closure throws, if it throws one.
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

/// Returns whether a closure throws `CancellationError`.
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

extension LaunchLoader {
  /// Launches by the event, as an application does.
  func launchByEvent(on bus: EventBus, _ options: LaunchOptions = LaunchOptions()) {
    let attachment = attach(to: bus)
    bus.post(.didFinishLaunching, options)
    withExtendedLifetime(attachment) {}
  }
}
