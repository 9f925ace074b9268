public import Synchronization

/// The state that a property shares with other threads: the registrations that have ended, and whether it is reporting.
///
/// A property and its closures belong to one isolation domain, but tokens are cancelled on any thread. A cancellation
/// therefore only records a number here; the property removes and releases the closure when it is next set, mutated or
/// observed.
///
/// ```
/// property ──owns──► observers ──own──► registrations ──► ended registrations ◄──owns── property
///                                             ▲
///                                token ──owns─┘      (the token never refers to a closure)
/// ```
///
/// A report is published before it checks which registrations have ended, and an end is recorded before
/// ``untilFinished()`` looks for a report. Either the handler is not called, or ``untilFinished()`` waits for the
/// report. A report costs two atomic additions, whatever the number of observers.
///
/// ## Thread safety
///
/// Every member may be called on any thread, except ``beginReport()``, ``endReport()`` and ``takeAll()``, which belong
/// to the property.
@usableFromInline
final class EndedRegistrations: Sendable {
  /// Set while the property has yet to remove ended registrations.
  @usableFromInline static var dirty: UInt { 1 }
  /// Set while tasks wait for the end of a report.
  @usableFromInline static var awaited: UInt { 2 }
  /// Set while handlers are called; only the property changes it.
  @usableFromInline static var reporting: UInt { 4 }

  private struct State: ~Copyable {
    var numbers: [UInt] = []
    /// Opens when the report in progress ends.
    var endOfReport: Latch?
  }

  @usableFromInline let word = Atomic<UInt>(0)
  private let state = Locked(State())

  /// A Boolean value that indicates whether the property still holds ended registrations.
  @inlinable
  var isDirty: Bool { word.load(ordering: .relaxed) & Self.dirty != 0 }

  /// Publishes that handlers are going to be called.
  ///
  /// Sequentially consistent, as is the end of a registration.
  @inlinable
  func beginReport() { word.wrappingAdd(Self.reporting, ordering: .sequentiallyConsistent) }

  /// Publishes that no handler is being called.
  ///
  /// - Returns: `true` if the property holds ended registrations.
  @inlinable
  func endReport() -> Bool {
    let former = word.wrappingSubtract(Self.reporting, ordering: .sequentiallyConsistent).oldValue
    if former & Self.awaited != 0 { reportHasEnded() }
    return former & Self.dirty != 0
  }

  /// Records the end of a registration.
  func note(_ number: UInt) {
    state.withLock { $0.numbers.append(number) }
    word.bitwiseOr(Self.dirty, ordering: .releasing)
  }

  /// Removes and returns the numbers of the registrations that have ended since the last call.
  func takeAll() -> [UInt] {
    // Cleared before the numbers are taken: a number added in between sets the bit again, harmlessly.
    word.bitwiseAnd(~Self.dirty, ordering: .acquiringAndReleasing)
    return state.withLock { state in
      defer { state.numbers = [] }
      return state.numbers
    }
  }

  /// Waits, after the end of a registration, until its handler is not being called.
  ///
  /// Returns early if the task is cancelled.
  func untilFinished() async {
    // The latch is created before the flag is set: the end of a report that sees the flag opens it.
    let latch = state.withLock { state in
      let latch = state.endOfReport ?? Latch()
      state.endOfReport = latch
      return latch
    }
    let former = word.bitwiseOr(Self.awaited, ordering: .sequentiallyConsistent).oldValue
    // The flag may stay set: other tasks may be waiting, and the end of the next report clears it.
    if former & Self.reporting != 0 { await latch.wait() }
  }

  @usableFromInline
  func reportHasEnded() {
    // Cleared before the latch is taken: a task that begins to wait later sets it again.
    word.bitwiseAnd(~Self.awaited, ordering: .sequentiallyConsistent)
    let latch = state.withLock { $0.endOfReport.take() }
    latch?.open()
  }
}
