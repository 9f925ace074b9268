/// The handler of a binding, which sets a property of an object on the binding's actor.
///
/// Neither the object nor the key path needs to be `Sendable`, because both are used only on that actor. A
/// key path may retain the arguments of a subscript, so it is released there as well, whatever thread ends
/// the binding.
final class SharedBinding<Owner: AnyObject, Value: Sendable>: Sendable {
  private final class Target: @unchecked Sendable {  // Reason: confined to the actor.
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

  private let target: Target
  private let actor: WeakActor

  /// Creates a binding.
  ///
  /// - Parameters:
  ///   - owner: The object, held weakly.
  ///   - keyPath: The property to set.
  ///   - actor: The actor to which both belong.
  init(_ owner: Owner, _ keyPath: ReferenceWritableKeyPath<Owner, Value>, on actor: any Actor) {
    (target, self.actor) = (Target(owner, keyPath), WeakActor(actor))
  }

  deinit {
    // Nothing runs on an actor that has been deallocated.
    guard let actor = actor.actor else { return }
    Task.detached { [target] in await target.clear(on: actor) }
  }

  /// Sets the property, on the actor.
  func set(_ value: Value) -> Reception { target.set(value) }
}

extension SharedCore {
  /// Registers a binding, and assigns the current value before returning.
  ///
  /// - Parameters:
  ///   - owner: The object to update, held weakly.
  ///   - keyPath: The property to set.
  ///   - actor: The actor on which the caller runs.
  /// - Returns: The token.
  func bind<Owner: AnyObject>(
    to owner: Owner,
    _ keyPath: ReferenceWritableKeyPath<Owner, Value>,
    on actor: any Actor
  ) -> Token {
    let binding = SharedBinding(owner, keyPath, on: actor)
    let site = observers.delivery
    let request = Request(options: .initial, fileID: site.fileID, line: site.line)
    let link = register(request, owner: owner, on: actor, isAtHome: true) { binding.set($0.new) }
    return Token(link, handle: 0, isKept: true)
  }
}
