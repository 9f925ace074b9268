/// A property that can be observed: an ``Observed`` property, or its ``Observed/ReadOnly`` view.
///
/// Both have the members for reading and observing. The members that act on the property belong to
/// ``Observed`` alone.
///
/// ```swift
/// @MainActor final class Meter {
///   var text = ""
///
///   func show(_ number: some ObservedProperty<Int>) {
///     number.observe(owner: self, initial: true) { meter, change in
///       meter.text = "\(change.new)"
///     }
///   }
/// }
///
/// let (meter, count) = (Meter(), Observed(wrappedValue: 0))
/// meter.show(count.readOnly)
/// count.wrappedValue = 1
/// ```
public protocol ObservedProperty<Value>: ObservedValue {
  /// A view of the property for reading and observing it.
  var readOnly: Observed<Value>.ReadOnly { get }
}

extension ObservedProperty {
  /// Calls a handler for every change while its owner is alive.
  ///
  /// The owner is held weakly and passed to the handler. If it is a ``LifetimeOwner``, the registration
  /// ends as soon as its lifetime ends. Otherwise it ends at the first change after the owner's death or
  /// in the sweep of a later registration: after any registration, at most max(8, 2 × live) slots are in
  /// use.
  ///
  /// Registering twice creates two registrations, unless both have the same `id`.
  ///
  /// - Parameters:
  ///   - owner: The object whose lifetime limits the registration. It may be the object that declares the
  ///     property.
  ///   - id: An identifier. A later registration of the same owner with an equal identifier replaces this
  ///     one.
  ///   - initial: Whether the handler is also called with the current value, during the registration.
  ///   - prior: Whether the handler is called before each change as well, while the property has the old value.
  ///   - handler: Called with the owner and the change. A handler registered during a change is
  ///     not called for that change.
  /// - Returns: A token that cancels the registration. Releasing the token does not.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func observe<Owner: AnyObject>(
    owner: Owner,
    id: AnyHashable? = nil,
    initial: Bool = false,
    prior: Bool = false,
    _ handler: @escaping (Owner, Change<Value>) -> Void
  ) -> Token {
    let observers = readOnly.property.observersToJoin()
    return observers.register(owner: owner, id: id, initial: initial, value: value) {
      OwnedPropertyObserver($0, .changes(prior: prior), owner: owner, handler)
    }
  }

  /// Ends all registrations of an owner.
  ///
  /// - Parameter owner: The owner that was passed to `observe`.
  /// - Complexity: O(*n*) in the number of registrations.
  public func unobserve<Owner: AnyObject>(owner: Owner) {
    readOnly.property.observers?.end(of: owner)
  }

  /// Calls a handler for every change while the returned token is retained.
  ///
  /// - Parameters:
  ///   - initial: Whether the handler is also called with the current value, during the registration.
  ///   - prior: Whether the handler is called before each change as well, while the property has the old value.
  ///   - handler: Called with the change. A handler registered during a change is not called for
  ///     that change.
  /// - Returns: A token that owns the registration: releasing the token ends it.
  /// - Complexity: Amortized O(1).
  public func observe(
    initial: Bool = false,
    prior: Bool = false,
    _ handler: @escaping (Change<Value>) -> Void
  ) -> Token {
    readOnly.property.observersToJoin().register(initial: initial, value: value) {
      PlainPropertyObserver($0, .changes(prior: prior), handler)
    }
  }

  /// Assigns the value to a property of another object, now and after every change.
  ///
  /// ```swift
  /// @MainActor final class Account {
  ///   @Observed var owner = "Ada"
  /// }
  ///
  /// @MainActor final class Screen {
  ///   var text = ""
  /// }
  ///
  /// let account = Account()
  /// let screen = Screen()
  /// account.$owner.bind(to: screen, \.text)
  /// ```
  ///
  /// Two properties may be bound to each other: a value equal to the current one ends the exchange. If no value ever
  /// is, the bindings stop, with a message on standard error, after 10,000 assignments by bindings in one chain of
  /// changes, in which a handler of each change makes the next one. Chains that other handlers make have no limit.
  ///
  /// - Parameters:
  ///   - owner: The object to update, held weakly. The binding ends with it.
  ///   - keyPath: The property to set.
  /// - Returns: A token that cancels the binding. Releasing the token does not.
  /// - Complexity: Amortized O(1).
  @inlinable
  @discardableResult
  public func bind<Owner: AnyObject>(
    to owner: Owner,
    _ keyPath: ReferenceWritableKeyPath<Owner, Value>
  ) -> Token {
    let site = readOnly.property.propertySite
    return observe(owner: owner, initial: true) { owner, change in
      SettingChain.bind(site) { owner[keyPath: keyPath] = change.new }
    }
  }
}

extension Observed {
  /// A view of a property that can be read and observed, but not changed.
  ///
  /// The projected value of a property, such as `$balance`, is such a view. Pass it to code that may observe
  /// the property without acting on it. What acts on the property, such as
  /// ``Observed/validate(_:)``, ``Observed/withoutNotifying(_:)`` and the operations on elements, is a member
  /// of the stored property, `_balance`, which Swift makes private to the type that declares it. A property
  /// that is declared `private(set) var` can therefore be changed by its type alone.
  ///
  /// ```swift
  /// @MainActor final class Library {
  ///   @Observed private(set) var books: [String] = []
  ///
  ///   func add(_ book: String) { _books.append(book) }
  /// }
  ///
  /// @MainActor final class Shelf {
  ///   var books: [String] = []
  /// }
  ///
  /// let (library, shelf) = (Library(), Shelf())
  /// library.$books.bind(to: shelf, \.books)
  /// library.add("Emma")
  /// ```
  ///
  /// A view retains its property, but not the object that declares it. When the object is deinitialized, the
  /// property keeps its last value for as long as a view exists.
  ///
  /// ## Thread safety
  ///
  /// Like its property, a view is not `Sendable`.
  public struct ReadOnly {
    @usableFromInline let property: Observed

    @inlinable
    init(_ property: Observed) { self.property = property }
  }
}

extension Observed.ReadOnly: ObservedProperty {
  /// The current value.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var value: Value { property.storage }

  /// This view.
  @inlinable
  public var readOnly: Observed.ReadOnly { self }
}

@available(*, unavailable)
extension Observed.ReadOnly: Sendable {}

extension ObservedProperty where Value: Sendable {
  /// Returns the current value and all later ones as an asynchronous sequence.
  ///
  /// The sequence buffers values from this call on. It ends after its buffered values when the property is
  /// deinitialized or the lifetime ends, and at once for a cancelled task. The sequence may be passed to
  /// other tasks, which then share its elements; the property stays in its isolation domain.
  ///
  /// - Parameters:
  ///   - buffering: The policy for values that have not been consumed. A size below one prints a warning to
  ///     standard error and keeps one value.
  ///   - lifetime: A lifetime that ends the sequence.
  ///   - fileID: The source file of the call; filled in by the compiler.
  ///   - line: The line in that file; filled in by the compiler.
  /// - Returns: The sequence. Releasing it ends the registration. It does not retain the property.
  /// - Complexity: Amortized O(1).
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

/// A value that can be read and observed: an ``Observed`` property, its ``Observed/ReadOnly`` view, or a
/// ``Computed`` value.
public protocol ObservedValue<Value> {
  /// The type of the value.
  associatedtype Value

  /// The current value.
  var value: Value { get }

  /// Calls a closure for every change while the returned token is retained.
  ///
  /// - Parameters:
  ///   - initial: Whether the handler is also called with the current value, during the registration.
  ///   - prior: Whether the handler is called before each change as well, while the property has the old value.
  ///   - handler: Called with each change in the isolation domain of the value.
  /// - Returns: A token that owns the registration: releasing the token ends it.
  func observe(initial: Bool, prior: Bool, _ handler: @escaping (Change<Value>) -> Void) -> Token
}

extension ObservedValue {
  /// Calls a closure for every change while the returned token is retained, and not before changes.
  ///
  /// - Parameters:
  ///   - initial: Whether the handler is also called with the current value, during the registration.
  ///   - handler: Called with each change in the isolation domain of the value.
  /// - Returns: A token that owns the registration: releasing the token ends it.
  public func observe(
    initial: Bool = false,
    _ handler: @escaping (Change<Value>) -> Void
  ) -> Token {
    observe(initial: initial, prior: false, handler)
  }
}

extension EventStream {
  /// Creates the stream of the values of a property.
  ///
  /// - Parameters:
  ///   - buffering: The policy for values that have not been consumed.
  ///   - lifetime: A lifetime that ends the stream.
  ///   - fileID: The source file of the request.
  ///   - line: The line in that file.
  ///   - observe: Registers a handler that receives the current value and every change.
  convenience init(
    _ buffering: AsyncStream<Payload>.Continuation.BufferingPolicy,
    until lifetime: Lifetime?,
    fileID: StaticString,
    line: UInt,
    _ observe: (@escaping @Sendable (Change<Payload>) -> Void) -> Token
  ) {
    let site = CallSite(fileID, line)
    let buffer = StreamBuffer<Payload>(BufferLimit(buffering, at: site)) { count in
      printError(
        "EventBus: \(count) values wait in the stream created at \(SourceSite(site)). No task reads it, or not as fast"
          + " as the property changes. Read it, end it, or pass a buffering policy that keeps fewer."
      )
    }
    // Cancelled with the release of the handler. If the property belongs to an isolation domain, that is later
    // than the end of the registration; the lifetime ends the stream at once.
    let end = Token { buffer.finish() }
    let registration = observe { [end] change in
      buffer.add(change.new)
      withExtendedLifetime(end) {}
    }
    let token = Token {
      registration.cancel()
      buffer.finish()
    }
    if let lifetime { token.attach(to: lifetime) }
    self.init(buffer, token)
  }
}
