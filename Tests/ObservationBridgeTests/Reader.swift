internal import EventBus
internal import Observation
internal import TestSupport

/// Reads something that is tracked, and reads it again after an invalidation, as a view does.
@MainActor
final class Reader<Value> {
  private let read: () -> Value
  private let invalidated = Counter()
  private let inOnChange: @MainActor () -> Void
  private var trackings = 0

  /// The value that was read last.
  private(set) var value: Value

  /// Reads for the first time.
  ///
  /// - Parameters:
  ///   - read: Reads the value.
  ///   - inOnChange: Called on the main actor by each invalidation, as it happens.
  init(_ read: @escaping () -> Value, inOnChange: @escaping @MainActor () -> Void = {}) {
    self.read = read
    self.inOnChange = inOnChange
    value = read()
    track()
  }

  /// The number of invalidations; until the reader has read again, there is no further one.
  var invalidations: Int { invalidated.value }

  /// Reads again if the last reading was invalidated.
  func update() { if invalidations == trackings { track() } }

  private func track() {
    trackings += 1
    value = withObservationTracking(read) { [invalidated, inOnChange] in
      invalidated.add()
      MainActor.assumeIsolated { inOnChange() }
    }
  }
}

/// Waits until something that is tracked has a value, or until the test has run out of time.
@MainActor
func untilTracked(_ condition: () -> Bool) async {
  while !Task.isCancelled {
    let latch = ManualLatch()
    let isMet = withObservationTracking(condition) { latch.open() }
    if isMet { return }
    await latch.wait()
  }
}

/// Waits until the main actor has performed the jobs that are in its queue now.
@MainActor
func laterOnMainActor() async { await Task { @MainActor in }.value }

/// Refers to an object without keeping it.
struct WeakReference<Object: AnyObject> {
  weak let object: Object?
}
