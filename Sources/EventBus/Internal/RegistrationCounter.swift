internal import Synchronization

/// Numbers the registrations of one bus, across all its signals.
///
/// A post reads the number once and skips what was registered later.
package final class RegistrationCounter: Sendable {
  private let last = Atomic<UInt>(0)

  /// Creates a counter that has given out nothing.
  package init() {}

  /// The newest number given out.
  package var newest: UInt { last.load(ordering: .sequentiallyConsistent) }

  /// The next number.
  package func next() -> UInt {
    last.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
  }
}
