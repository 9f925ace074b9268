/// An observed value that is computed from other observed values.
///
/// ```swift
/// @MainActor final class Account {
///   @Observed var owner = "Ada"
///   @Observed var balance = 0
/// }
///
/// let account = Account()
/// let summary = Computed(account.$owner, account.$balance) { owner, balance in
///   "\(owner) has \(balance)"
/// }
/// let token = summary.observe { change in print(change.new) }
/// account.balance = 5  // Ada has 5
/// ```
///
/// The value is computed when it is read after a change and, if it has observers, once after each change of
/// its sources. Its observers are notified if the result differs, where NaN equals NaN, as for a property. However many
/// paths lead from a property to the value, one change of the property causes at most one change of the value. Reading
/// the value, in any observer, always gives the result for the current sources.
///
/// The observers of a property are called before those of the values computed from it, and values
/// computed from properties before values computed from those. A source must exist before the value, so
/// there are no cycles.
///
/// A value may be computed from computed values, and these from others, in chains of any length: neither reading a
/// value, nor setting a property, nor releasing a chain needs more stack for a long chain than for a short one. That
/// holds for the sources that are passed to the initializer. A computed value that the closure captures, or that a
/// source of a custom type reads, is computed inside the computation that reads it.
///
/// Keep a strong reference to the computed value: it retains its sources, but they do not retain it. After
/// it is deinitialized, its observers are not called and their tokens have no effect.
///
/// ## Thread safety
///
/// A computed value is not `Sendable`. Like an ``Observed`` property, it belongs to one isolation domain:
/// that of its sources.
public final class Computed<Value>: ObservedValue {
  @usableFromInline let core: ComputedCore<Value>

  /// Creates a value from its sources.
  ///
  /// - Parameters:
  ///   - source: The properties and computed values to compute from.
  ///   - compute: Computes the value. It should use only its arguments, and must not read the computed value
  ///     or set a source.
  ///   - fileID: The source file of the computed value; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  @inlinable
  public convenience init<each Source: ObservedValue>(
    _ source: repeat each Source,
    from compute: @escaping (repeat (each Source).Value) -> Value,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) where Value: Equatable {
    self.init(repeat each source, comparing: sameness(), from: compute, fileID: fileID, line: line)
  }

  /// Creates a value from its sources, with a custom equality.
  ///
  /// - Parameters:
  ///   - source: The properties and computed values to compute from.
  ///   - areEqual: Returns whether two values are equal. Observers are not called for a value equal to the one that they
  ///     know.
  ///   - compute: Computes the value. It should use only its arguments, and must not read the computed value
  ///     or set a source.
  ///   - fileID: The source file of the computed value; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  @inlinable
  public init<each Source: ObservedValue>(
    _ source: repeat each Source,
    comparing areEqual: @escaping (Value, Value) -> Bool,
    from compute: @escaping (repeat (each Source).Value) -> Value,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    // A closure can capture a tuple of a parameter pack, but not the pack.
    let pack = (repeat each source)
    var sources: [any ObservedValue] = []
    for source in repeat each source { sources.append(source) }
    core = ComputedCore(
      sources,
      areEqual: areEqual,
      at: (fileID, line),
      update: { $0.settleNow() }
    ) {
      compute(repeat (each pack).value)
    }
  }

  deinit { core.close() }

  /// The value for the current sources.
  ///
  /// - Complexity: O(1), plus the computation if a source has changed since the last one, after the computations of
  ///   the computed values among its sources, each at most once.
  @inlinable
  public var value: Value { core.value }

  /// Calls a handler for every change while its owner is alive.
  ///
  /// - Parameters:
  ///   - owner: The object whose lifetime limits the registration.
  ///   - id: An identifier. A later registration of the same owner with an equal identifier replaces this
  ///     one.
  ///   - initial: Whether the handler is also called with the current value, during the registration.
  ///   - prior: Whether the handler is called before each change as well. It is called before the other observers; the
  ///     sources have already changed.
  ///   - handler: Called with the owner and the change.
  /// - Returns: A token that cancels the registration. Releasing the token does not.
  /// - Complexity: Amortized O(1), plus the computation.
  @discardableResult
  public func observe<Owner: AnyObject>(
    owner: Owner,
    id: AnyHashable? = nil,
    initial: Bool = false,
    prior: Bool = false,
    _ handler: @escaping (Owner, Change<Value>) -> Void
  ) -> Token {
    core.register(owner: owner, id: id, initial: initial) {
      OwnedPropertyObserver($0, .changes(prior: prior), owner: owner, handler)
    }
  }

  /// Calls a handler for every change while the returned token is retained.
  ///
  /// - Parameters:
  ///   - initial: Whether the handler is also called with the current value, during the registration.
  ///   - prior: Whether the handler is called before each change as well. It is called before the other observers; the
  ///     sources have already changed.
  ///   - handler: Called with the change.
  /// - Returns: A token that owns the registration: releasing the token ends it.
  /// - Complexity: Amortized O(1), plus the computation.
  public func observe(
    initial: Bool = false,
    prior: Bool = false,
    _ handler: @escaping (Change<Value>) -> Void
  ) -> Token {
    core.register(initial: initial) { PlainPropertyObserver($0, .changes(prior: prior), handler) }
  }

  /// Assigns the value to a property of another object, now and after every change.
  ///
  /// The binding does not keep the computed value, and ends with it. A value that nothing else keeps, as in
  /// `Computed(account.$owner) { … }.bind(to: screen, \.text)`, is assigned once. Store the computed value
  /// for as long as the binding is needed: a binding that retained it would form a retain cycle with the sources.
  ///
  /// Bindings in a circle of values that are never equal stop with a message, as for a property.
  ///
  /// - Parameters:
  ///   - owner: The object to update, held weakly. The binding ends with it.
  ///   - keyPath: The property to set.
  /// - Returns: A token that cancels the binding. Releasing the token does not.
  /// - Complexity: Amortized O(1), plus the computation.
  @discardableResult
  public func bind<Owner: AnyObject>(
    to owner: Owner,
    _ keyPath: ReferenceWritableKeyPath<Owner, Value>
  ) -> Token {
    let site = core.observers.site
    return observe(owner: owner, initial: true) { owner, change in
      SettingChain.bind(site) { owner[keyPath: keyPath] = change.new }
    }
  }

  /// Ends all registrations of an owner.
  ///
  /// - Parameter owner: The owner that was passed to `observe`.
  /// - Complexity: O(*n*) in the number of registrations.
  public func unobserve<Owner: AnyObject>(owner: Owner) { core.observers.end(of: owner) }
}

extension Computed where Value: Sendable {
  /// Returns the current value and all later ones as an asynchronous sequence.
  ///
  /// The sequence buffers values from this call on. It ends after its buffered values when the computed value is
  /// deinitialized or the lifetime ends, and at once for a cancelled task. The sequence may be passed to other
  /// tasks, which then share its elements; the computed value stays in its isolation domain.
  ///
  /// - Parameters:
  ///   - buffering: The policy for values that have not been consumed. A size below one prints a warning to
  ///     standard error and keeps one value.
  ///   - lifetime: A lifetime that ends the sequence.
  ///   - fileID: The source file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  /// - Returns: The sequence. Releasing it ends the registration. It does not retain the computed value.
  /// - Complexity: Amortized O(1), plus the computation.
  public func values(
    buffering: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded,
    until lifetime: Lifetime? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> some AsyncSequence<Value, Never> & Sendable {
    EventStream(buffering, until: lifetime, fileID: fileID, line: line) {
      observe(initial: true, $0)
    }
  }
}

extension Computed: DependencySource {
  var node: ComputedNode? { core }
  func addDependent(_ node: ComputedNode) -> UInt { core.dependents.append(node) }
  func removeDependent(_ number: UInt) { _ = core.dependents.remove(number: number) }
}

@available(*, unavailable)
extension Computed: Sendable {}
