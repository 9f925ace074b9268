internal import Synchronization

/// Numbers the registrations of one bus, across all its signals.
///
/// A post reads the newest number once and skips later registrations.
package final class RegistrationCounter: Sendable {
  private let last = Atomic<UInt>(0)

  /// Creates a counter that starts at zero.
  package init() {}

  /// The newest number assigned.
  package var newest: UInt { last.load(ordering: .sequentiallyConsistent) }

  /// Assigns the next number.
  package func next() -> UInt {
    last.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
  }
}
