/// The handler of a timer, with what it needs to be called.
///
/// An object, so that it is kept by one reference and freed, with all the handler captured, when that goes.
package protocol TimerBody: AnyObject, Sendable {
  /// Where the handler runs.
  ///
  /// Asked for every tick, under no lock.
  var place: TimerPlace { get }

  /// Calls the handler, on the actor of its place.
  ///
  /// - Returns: `false` when there was no call because the owner has died.
  func call(_ tick: Tick) async -> Bool
}

extension TimerPlace {
  /// The place of a handler with this isolation.
  fileprivate init(_ isolation: (any Actor)?) {
    if let isolation { self = .on(isolation) } else { self = .anywhere }
  }
}

/// A handler that belongs to its token.
internal final class PlainTimerBody: TimerBody {
  private let handler: @isolated(any) @Sendable (Tick) async -> Void

  internal init(_ handler: @escaping @isolated(any) @Sendable (Tick) async -> Void) {
    self.handler = handler
  }

  package var place: TimerPlace { TimerPlace(handler.isolation) }

  package func call(_ tick: Tick) async -> Bool {
    await handler(tick)
    return true
  }
}

/// A handler that belongs to an object, which is held weakly and loaded where the handler runs.
internal final class OwnerTimerBody<Owner: AnyObject & Sendable>: TimerBody {
  private let handler: @isolated(any) @Sendable (Owner, Tick) async -> Void
  private weak let owner: Owner?

  internal init(
    _ owner: Owner,
    _ handler: @escaping @isolated(any) @Sendable (Owner, Tick) async -> Void
  ) {
    self.owner = owner
    self.handler = handler
  }

  package var place: TimerPlace { TimerPlace(handler.isolation) }

  package func call(_ tick: Tick) async -> Bool {
    guard let owner else { return false }
    await handler(owner, tick)
    return true
  }
}

/// A handler that belongs to an actor, which is held weakly, and runs on it.
internal final class ActorTimerBody<Owner: Actor>: TimerBody {
  private let handler: @Sendable (isolated Owner, Tick) async -> Void
  private weak let owner: Owner?

  internal init(
    _ owner: Owner,
    _ handler: @escaping @Sendable (isolated Owner, Tick) async -> Void
  ) {
    self.owner = owner
    self.handler = handler
  }

  package var place: TimerPlace {
    if let owner { .on(owner) } else { .lost }
  }

  package func call(_ tick: Tick) async -> Bool {
    guard let owner else { return false }
    await handler(owner, tick)
    return true
  }
}
