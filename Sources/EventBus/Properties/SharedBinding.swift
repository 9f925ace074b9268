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
