public import EventBus
public import Observation

/// The value of a property, for code that tracks what it reads: a SwiftUI view, `withObservationTracking` or
/// `Observations`.
///
/// ```swift
/// @MainActor final class Account {
///   @Observed var balance = 0
/// }
///
/// let account = Account()
/// let balance = ObservableMirror(of: account.$balance)  // kept by the view, for example in a `@State`
/// print(balance.value)  // in the `body` of the view, which then follows the property
/// account.balance = 5
/// ```
///
/// Readers are invalidated by each change that the property reports, after it: what an `onChange` calls already reads the
/// new value. Such a closure is `@Sendable` and cannot capture the mirror itself, but an object of the main actor that has
/// it. What the property does not report, such as an assignment of an equal value, invalidates nothing.
///
/// A batch invalidates a reader once, unless the reader tracks again inside `onChange`. Begin to read outside of batches: a
/// reader of a value that lasts only within a batch is not invalidated when the former value returns.
///
/// Keep a strong reference for as long as readers follow the value. The mirror keeps the property, or the computed
/// value and its sources; these do not keep the mirror. Changing the property remains the right of its owner: a SwiftUI
/// `Binding` can read the mirror and let the owner set the property.
///
/// ## Thread safety
///
/// A mirror is not `Sendable`. It belongs to the isolation domain of its property, such as the main actor.
public final class ObservableMirror<Value> {
  private let source: any ObservedValue<Value>
  private let registrar = ObservationRegistrar()
  private var token: Token?

  /// Creates a mirror of a value: an `Observed` property, a view of one, or a `Computed` value.
  ///
  /// Make one for each view, and keep it.
  ///
  /// - Parameter source: The value.
  /// - Complexity: Amortized O(1), plus the computation of a computed value.
  public init(of source: some ObservedValue<Value>) {
    self.source = source
    token = source.observe(initial: false, prior: false) { [weak self] _ in self?.announce() }
  }

  /// The current value of the property; tracked.
  ///
  /// - Complexity: As reading the property, plus O(1).
  public var value: Value {
    registrar.access(self, keyPath: \.value)
    return source.value
  }

  private func announce() { registrar.withMutation(of: self, keyPath: \.value) {} }
}

extension ObservableMirror: Observable {}

@available(*, unavailable)
extension ObservableMirror: Sendable {}
