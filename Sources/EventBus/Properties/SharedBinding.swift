/// The target of a binding: an object, held weakly, and one of its properties.
///
/// Neither needs to be `Sendable`, because both are used only on the binding's actor. A key path may retain
/// the arguments of a subscript, so it is released on the actor as well.
final class SharedBinding<Owner: AnyObject, Value: Sendable>:
  @unchecked Sendable  // Reason: confined to the actor.
{
  /// A key path on its way to the actor.
  private struct Removed: @unchecked Sendable {  // Reason: confined to the actor.
    let keyPath: ReferenceWritableKeyPath<Owner, Value>
  }

  private weak let owner: Owner?
  private let keyPath: ReferenceWritableKeyPath<Owner, Value>
  private let actor: WeakActor

  /// Creates a target.
  ///
  /// - Parameters:
  ///   - owner: The object.
  ///   - keyPath: The property to set.
  ///   - actor: The actor to which both belong.
  init(_ owner: Owner, _ keyPath: ReferenceWritableKeyPath<Owner, Value>, on actor: any Actor) {
    (self.owner, self.keyPath, self.actor) = (owner, keyPath, WeakActor(actor))
  }

  deinit {
    // Nothing runs on an actor that has been deallocated.
    guard let actor = actor.actor else { return }
    let removed = Removed(keyPath: keyPath)
    Task.detached { await Self.release(removed, on: actor) }
  }

  /// Sets the property, on the actor.
  func set(_ value: Value) -> Reception {
    guard let owner else { return .ownerLost }
    owner[keyPath: keyPath] = value
    return .called
  }

  private static func release(_ removed: consuming Removed, on actor: isolated any Actor) {}
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
    let (fileID, line) = (delivery.fileID, delivery.line)
    let request = Request(options: .initial, fileID: fileID, line: line)
    let link = register(request, owner: owner, on: actor, isAtHome: true) { binding.set($0.new) }
    return Token(link, handle: 0, isKept: true)
  }
}
