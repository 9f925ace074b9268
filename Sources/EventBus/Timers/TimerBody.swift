/// The handler of a timer, with its owner.
///
/// An object with a single strong reference, whose release frees the handler and its captures.
package protocol TimerBody: AnyObject, Sendable {
  /// The actor on which the handler runs, or `nil` for the global concurrent executor.
  ///
  /// Read once, at registration.
  var actor: (any Actor)? { get }

  /// Calls the handler on its executor.
  ///
  /// - Returns: `false` if the owner has been deallocated, in which case the handler was not called.
  func call(_ tick: Tick) async -> Bool
}

/// The handler of a timer without an owner.
final class PlainTimerBody: TimerBody {
  private let handler: @isolated(any) @Sendable (Tick) async -> Void

  init(_ handler: @escaping @isolated(any) @Sendable (Tick) async -> Void) {
    self.handler = handler
  }

  var actor: (any Actor)? { handler.isolation }

  func call(_ tick: Tick) async -> Bool {
    await handler(tick)
    return true
  }
}

/// The handler of a timer with an owner, which is held weakly and loaded in the handler's isolation.
final class OwnerTimerBody<Owner: AnyObject & Sendable>: TimerBody {
  private let handler: @isolated(any) @Sendable (Owner, Tick) async -> Void
  private weak let owner: Owner?

  init(
    _ owner: Owner,
    _ handler: @escaping @isolated(any) @Sendable (Owner, Tick) async -> Void
  ) {
    self.owner = owner
    self.handler = handler
  }

  var actor: (any Actor)? { handler.isolation }

  func call(_ tick: Tick) async -> Bool {
    guard let owner else { return false }
    await handler(owner, tick)
    return true
  }
}

/// The handler of a timer that runs on its owner, an actor that is held weakly.
final class ActorTimerBody<Owner: Actor>: TimerBody {
  private let handler: @Sendable (isolated Owner, Tick) async -> Void
  private weak let owner: Owner?

  init(
    _ owner: Owner,
    _ handler: @escaping @Sendable (isolated Owner, Tick) async -> Void
  ) {
    self.owner = owner
    self.handler = handler
  }

  var actor: (any Actor)? { owner }

  func call(_ tick: Tick) async -> Bool {
    guard let owner else { return false }
    await handler(owner, tick)
    return true
  }
}
