/// A signal that can be observed: a ``Signal``, or its ``Signal/ReadOnly`` value, which cannot send.
///
/// Both observe in the same way, because every member for it is declared here. Write a function that takes
/// either as `func show(_ events: some ReadableSignal<Int>)`.
///
/// ## Thread safety
///
/// As for the ``Signal``.
public protocol ReadableSignal<Payload>: Sendable {
  /// The type of the payload.
  associatedtype Payload: Sendable

  /// The right to observe the signal, without the right to send.
  var readOnly: Signal<Payload>.ReadOnly { get }
}

extension ReadableSignal {
  /// The number of registrations, including those whose owner has died but which were not yet removed.
  ///
  /// - Complexity: O(1).
  public var observerCount: Int { readOnly.core.count }
}
