extension SharedObserved {
  /// Converts a change into the one that the handler receives.
  typealias View<Seen> = @Sendable (Change<Value>) -> Change<Seen>

  /// Registers a handler that belongs to its token.
  ///
  /// - Parameters:
  ///   - request: The parameters of the registration.
  ///   - view: Converts a change into the one that the handler receives.
  ///   - call: The handler, without its isolation.
  /// - Returns: The token.
  func observe<Seen>(
    _ request: SharedObserveRequest,
    _ view: @escaping View<Seen>,
    _ call: @escaping @Sendable (Change<Seen>) throws -> Void
  ) -> Token {
    register(request) { change in
      try? call(view(change))  // Reason: the handler's type does not throw.
      return .called
    }
  }

  /// Registers a handler that belongs to an object.
  ///
  /// - Parameters:
  ///   - request: The parameters of the registration.
  ///   - owner: The object, held weakly.
  ///   - view: Converts a change into the one that the handler receives.
  ///   - call: The handler, without its isolation.
  /// - Returns: The token.
  func observe<Owner: AnyObject & Sendable, Seen>(
    _ request: SharedObserveRequest,
    owner: Owner,
    _ view: @escaping View<Seen>,
    _ call: @escaping @Sendable (Owner, Change<Seen>) throws -> Void
  ) -> Token {
    register(request, owner: owner) { [weak owner] change in
      guard let owner else { return .ownerLost }
      try? call(owner, view(change))  // Reason: as above.
      return .called
    }
  }

  /// Registers an observer and delivers the initial value, if it is requested.
  ///
  /// - Parameters:
  ///   - request: The parameters of the registration.
  ///   - owner: The owner, held weakly.
  ///   - isAtHome: A Boolean value that indicates whether the caller runs on the handler's actor, and the
  ///     initial value is to be delivered before the method returns.
  ///   - body: Calls the handler.
  /// - Returns: The token, whose release ends the registration unless it has an owner.
  func register(
    _ request: SharedObserveRequest,
    owner: AnyObject? = nil,
    isAtHome: Bool = false,
    _ body: @escaping @Sendable (Change<Value>) -> Reception
  ) -> Token {
    _ = enteringThread()
    let inbox = observers.add(request, owner: owner, body)
    // Added before the value is read: every change is either in the value or reaches the inbox.
    let (value, newest) = state.withLock { $0.register() }
    inbox.setBaseline(value, newest)
    let change = Change(.initial, old: value, new: value)
    let initial = SharedRound(change: change, first: newest, number: newest)
    let isWanted = request.initial
    inbox.handOver(isWanted ? initial : nil, isAtHome: isAtHome, retaining: self)
    return Token(inbox.registration, isKept: owner != nil)
  }

  /// Registers a binding, and assigns the current value before returning.
  ///
  /// - Parameters:
  ///   - owner: The object to update, held weakly.
  ///   - keyPath: The property to set.
  ///   - actor: The actor on which the caller runs.
  ///   - target: Returns what is assigned for a value.
  /// - Returns: The token.
  func bind<Owner: AnyObject, Target>(
    to owner: Owner,
    _ keyPath: ReferenceWritableKeyPath<Owner, Target>,
    on actor: any Actor,
    _ target: @escaping @Sendable (Value) -> Target
  ) -> Token {
    let (binding, home) = (SharedBinding(owner, keyPath), WeakActor(actor))
    // Cancelled with the release of the handler, whatever thread ends the binding.
    let end = Token {
      // Nothing runs on an actor that has been deallocated.
      guard let actor = home.actor else { return }
      Task.detached { await binding.clear(on: actor) }
    }
    let site = observers.site
    let request = SharedObserveRequest(initial: true, site.fileID, site.line, on: actor)
    return register(request, owner: owner, isAtHome: true) { [end] change in
      defer { withExtendedLifetime(end) {} }
      var reception = Reception.called
      SettingChain.bind(site) { reception = binding.set(target(change.new)) }
      return reception
    }
  }
}

/// The target of a binding: a property of an object.
///
/// Neither the object nor the key path needs to be `Sendable`, because both are used only on the actor of the
/// binding. A key path may retain the arguments of a subscript, so it is released there as well.
private final class SharedBinding<Owner: AnyObject, Value>:
  @unchecked Sendable  // Reason: confined to the actor.
{
  private weak let owner: Owner?
  private var keyPath: ReferenceWritableKeyPath<Owner, Value>?

  init(_ owner: Owner, _ keyPath: ReferenceWritableKeyPath<Owner, Value>) {
    (self.owner, self.keyPath) = (owner, keyPath)
  }

  func set(_ value: Value) -> Reception {
    guard let owner, let keyPath else { return .ownerLost }
    owner[keyPath: keyPath] = value
    return .called
  }

  func clear(on actor: isolated any Actor) { keyPath = nil }
}

/// The parameters of a registration with a shared property.
struct SharedObserveRequest {
  /// Whether the handler is called with the value at the registration, too.
  let initial: Bool
  /// The source file of the registration.
  let fileID: StaticString
  /// The source line of the registration.
  let line: UInt
  /// The identifier under which the registration replaces an earlier one of its owner.
  let id: AnyHashable?
  /// The actor on which the handler runs.
  let actor: (any Actor)?

  init(
    initial: Bool,
    _ fileID: StaticString,
    _ line: UInt,
    id: (any Hashable & Sendable)? = nil,
    on actor: (any Actor)? = nil
  ) {
    (self.initial, self.fileID, self.line) = (initial, fileID, line)
    (self.id, self.actor) = (id.map { AnyHashable($0) }, actor)
  }
}
