/// A value that many threads read, change and observe.
///
/// ```swift
/// let progress = SharedObserved(0.0)
/// progress.observe(owner: screen) { screen, change in screen.show(change.new) }
/// progress.value = 0.5
/// progress.update { $0 += 0.1 }
/// ```
///
/// Every observer is told every change, in the order the changes were made: each ``Change/old`` is the
/// ``Change/new`` before it. A handler runs where it was written: nonisolated ones on the thread that
/// delivers, those on an actor on that actor, later, in order. One thread delivers at a time; a setter
/// may return before another thread, delivering at that moment, has delivered its change. A change made
/// by an observer is delivered after the one it was called for; more than 100 in a row, each made in the
/// call for the one before, are warned of once, also where the observer runs on an actor.
///
/// A thread delivers at most 64 changes of others after its own. The rest goes on in a task, from which
/// the next setter may take over. When more than 1,000 changes wait, for a slow observer or for a busy
/// actor, neighbours merge: the first old value, the last new one; where these are equal and equal sets
/// are not reported, nothing is. The chain stays unbroken. Nothing merges across a registration or the
/// end of a pause as long as fewer than 2,000 wait, and never more do; an observer that registered in the
/// middle of what has merged is called with a change that begins with the value it knows.
/// ``mergedCount`` is the number of changes that have merged.
///
/// With ``ObserveOptions/prior``, an observer on an actor is called with the announcement just before the
/// change, there.
///
/// For a property of one isolation domain use ``Observed``, which needs no lock.
///
/// ## Thread safety
///
/// Every member may be called on any thread. Handlers are called, and what they captured is released,
/// under no lock. The one exception of the library: the closure given to ``update(_:)`` and the value's
/// `==` run under this property's lock. Using the property inside them traps.
public final class SharedObserved<Value: Sendable>: Sendable {
  /// The shell that does the work, for those who look inside.
  package let core: SharedCore<Value>

  /// Creates a property that reports a change only if the values differ.
  ///
  /// - Parameters:
  ///   - value: The value to begin with.
  ///   - fileID: Where the property was written; filled in by the compiler.
  ///   - line: Its line.
  public init(_ value: Value, fileID: StaticString = #fileID, line: UInt = #line)
  where Value: Equatable {
    core = SharedCore(value, areEqual: { $0 == $1 }, fileID: fileID, line: line)
  }

  /// Creates a property that reports every set.
  ///
  /// - Parameters:
  ///   - value: The value to begin with.
  ///   - fileID: Where the property was written; filled in by the compiler.
  ///   - line: Its line.
  @_disfavoredOverload
  public init(_ value: Value, fileID: StaticString = #fileID, line: UInt = #line) {
    core = SharedCore(value, areEqual: nil, fileID: fileID, line: line)
  }

  deinit { core.close() }

  /// The number of changes that were merged with a neighbour, because more than 1,000 waited, and so
  /// were not reported by themselves: for their delivery, or for an observer on an actor or in its
  /// registration, where each observer counts.
  ///
  /// - Complexity: O(1).
  public var mergedCount: Int { core.mergedCount }

  /// The value now.
  ///
  /// - Complexity: O(1), one lock; setting is O(*n*) in the number of observers.
  public var value: Value {
    get { core.value }
    set { core.set(newValue) }
  }

  /// Changes the value in one step: no other thread sees or changes it meanwhile.
  ///
  /// What the closure has stored when it throws stays and is reported.
  ///
  /// - Parameter body: Changes the value. It runs under the property's lock and must not use the
  ///   property: that traps.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws.
  /// - Complexity: In place while nobody observes, else one copy; O(*n*) in the number of observers.
  @discardableResult
  public func update<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    var result: Result?
    try core.update { result = try body(&$0) }
    guard let result else { preconditionFailure("no result") }  // Reason: the closure returned.
    return result
  }

  /// Ends all registrations of an owner.
  ///
  /// - Parameter owner: The object they belong to.
  /// - Complexity: O(*n*) in the number of observers.
  public func unobserve<Owner: AnyObject>(owner: Owner) {
    core.endAll { $0.belongs(to: owner, as: nil) }
  }
}

extension SharedObserved {
  /// Calls a handler for every change, for as long as the token is kept.
  ///
  /// - Parameters:
  ///   - options: What is wanted besides the changes. The initial value is delivered during the
  ///     registration, or at the head of the queue of the handler's actor, before any later change. A
  ///     change is announced as ``Change/Kind/prior`` just before it is told; other threads may read the
  ///     new value by then.
  ///   - fileID: Where the registration was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - handler: Called with each change, where it was written.
  /// - Returns: The token. Dropping it ends the registration.
  /// - Complexity: Amortized O(1).
  public func observe(
    options: ObserveOptions = [],
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext
    _ handler: @escaping @isolated(any) @Sendable (Change<Value>) -> Void
  ) -> Token {
    let request = SharedCore<Value>.Request(options: options, fileID: fileID, line: line)
    return core.observe(request, { $0 }, handler)
  }

  /// Calls a handler for every change, for as long as its owner lives.
  ///
  /// The owner is held weakly and passed to the handler. A ``LifetimeOwner`` ends the registration the
  /// moment its lifetime ends; those of other owners are swept.
  ///
  /// - Parameters:
  ///   - owner: The object whose life the registration shares.
  ///   - id: A name: another registration of this owner with an equal one replaces this one.
  ///   - options: What is wanted besides the changes.
  ///   - fileID: Where the registration was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - handler: Called with the owner and each change, where it was written.
  /// - Returns: The token, which may be dropped: the registration stays. Cancelling it ends it early.
  /// - Complexity: Amortized O(1); O(*n*) in the number of observers with an `id`.
  @discardableResult
  public func observe<Owner: AnyObject & Sendable>(
    owner: Owner,
    id: (any Hashable & Sendable)? = nil,
    options: ObserveOptions = [],
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext
    _ handler: @escaping @isolated(any) @Sendable (Owner, Change<Value>) -> Void
  ) -> Token {
    let request = SharedCore<Value>.Request(
      options: options,
      fileID: fileID,
      line: line,
      id: id
    )
    return core.observe(request, owner: owner, { $0 }, handler)
  }

  /// Calls a handler on an actor for every change, for as long as the actor lives.
  ///
  /// - Parameters:
  ///   - owner: The actor, held weakly.
  ///   - id: A name: another registration of this owner with an equal one replaces this one.
  ///   - options: What is wanted besides the changes.
  ///   - fileID: Where the registration was written; filled in by the compiler.
  ///   - line: Its line.
  ///   - handler: Called on the actor with each change.
  /// - Returns: The token, which may be dropped: the registration stays. Cancelling it ends it early.
  /// - Complexity: Amortized O(1); O(*n*) in the number of observers with an `id`.
  @discardableResult
  public func observe<Owner: Actor>(
    owner: Owner,
    id: (any Hashable & Sendable)? = nil,
    options: ObserveOptions = [],
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ handler: @escaping @Sendable (isolated Owner, Change<Value>) -> Void
  ) -> Token {
    let request = SharedCore<Value>.Request(
      options: options,
      fileID: fileID,
      line: line,
      id: id
    )
    return core.observe(request, isolatedOwner: owner, { $0 }, handler)
  }
}

extension SharedCore {
  /// Makes what a handler is given of a change.
  typealias View<Seen> = @Sendable (Change<Value>) -> Change<Seen>

  /// Registers a handler that belongs to its token.
  func observe<Seen>(
    _ request: Request,
    _ view: @escaping View<Seen>,
    _ handler: @escaping @isolated(any) @Sendable (Change<Seen>) -> Void
  ) -> Token {
    let actor = handler.isolation
    let call = WrittenHandler.bare(handler)
    let link = register(request, on: actor) { change in
      try? call(view(change))  // Reason: what was written cannot throw.
      return .called
    }
    return Token(link, handle: 0)
  }

  /// Registers a handler that belongs to an object.
  func observe<Owner: AnyObject & Sendable, Seen>(
    _ request: Request,
    owner: Owner,
    _ view: @escaping View<Seen>,
    _ handler: @escaping @isolated(any) @Sendable (Owner, Change<Seen>) -> Void
  ) -> Token {
    let actor = handler.isolation
    return observe(request, owner: owner, on: actor, view, WrittenHandler.bare(handler))
  }

  /// Registers a handler that belongs to an actor and runs on it.
  func observe<Owner: Actor, Seen>(
    _ request: Request,
    isolatedOwner owner: Owner,
    _ view: @escaping View<Seen>,
    _ handler: @escaping @Sendable (isolated Owner, Change<Seen>) -> Void
  ) -> Token {
    observe(request, owner: owner, on: owner, view, WrittenHandler.bare(onOwner: handler))
  }

  private func observe<Owner: AnyObject & Sendable, Seen>(
    _ request: Request,
    owner: Owner,
    on actor: (any Actor)?,
    _ view: @escaping View<Seen>,
    _ call: @escaping @Sendable (Owner, Change<Seen>) throws -> Void
  ) -> Token {
    let facts = OwnerFacts(of: owner, on: actor, id: request.id)
    let link = register(request, owner: owner, facts, on: actor) { [weak owner] change in
      guard let owner else { return .ownerLost }
      try? call(owner, view(change))  // Reason: as above.
      return .called
    }
    return Token(link, handle: 0, isKept: true)
  }
}
