/// A timer as it was asked for.
struct TimerRequest<C: Clock>: Sendable {
  let interval: C.Duration
  let tolerance: C.Duration?
  /// What to do about deadlines that passed; `nil` for a timer with one tick.
  let missed: MissedTicks?
  let clock: C

  /// Checks a request for a timer that repeats.
  init(
    every interval: C.Duration,
    tolerance: C.Duration?,
    missed: MissedTicks,
    clock: C,
    fileID: StaticString,
    line: UInt
  ) {
    if interval <= .zero {
      trap(
        "\(fileID):\(line): a timer every \(interval) would never rest",
        remedy: "Give `every` an interval above zero"
      )
    }
    (self.interval, self.tolerance, self.missed, self.clock) = (interval, tolerance, missed, clock)
    check(tolerance, fileID, line)
  }

  /// Checks a request for a timer with one tick.
  init(
    after delay: C.Duration,
    tolerance: C.Duration?,
    clock: C,
    fileID: StaticString,
    line: UInt
  ) {
    if delay < .zero {
      trap(
        "\(fileID):\(line): a delay of \(delay) is over before it begins",
        remedy: "Give `after` a delay of zero or more"
      )
    }
    (interval, self.tolerance, missed, self.clock) = (delay, tolerance, nil, clock)
    check(tolerance, fileID, line)
  }

  /// Starts a timer that belongs to its token.
  func start(_ body: any TimerBody) -> Token {
    let queue = TimerQueues.queue(of: clock)
    return Token(KeyedTarget(queue, key: add(body, to: queue)), handle: 0)
  }

  /// Starts a timer that belongs to an object.
  func start(_ body: any TimerBody, owner: AnyObject) -> Token {
    let queue = TimerQueues.queue(of: clock)
    let key = add(body, to: queue)
    let target = KeyedTarget(queue, key: key)
    if let owner = owner as? any LifetimeOwner {
      queue.join(key, owner.lifetime.members, as: target)
    }
    return Token(target, handle: 0, isKept: true)
  }

  private func add(_ body: any TimerBody, to queue: TimerQueue<C>) -> UInt {
    queue.add(every: interval, tolerance: tolerance ?? .zero, missed: missed, body: body)
  }

  private func check(_ tolerance: C.Duration?, _ fileID: StaticString, _ line: UInt) {
    guard let tolerance, tolerance < .zero else { return }
    trap(
      "\(fileID):\(line): a timer cannot be early, so a tolerance of \(tolerance) means nothing",
      remedy: "Give a tolerance of zero or more, or none"
    )
  }
}

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
final class PlainTimerBody: TimerBody {
  private let handler: @isolated(any) @Sendable (Tick) async -> Void

  init(_ handler: @escaping @isolated(any) @Sendable (Tick) async -> Void) {
    self.handler = handler
  }

  package var place: TimerPlace { TimerPlace(handler.isolation) }

  package func call(_ tick: Tick) async -> Bool {
    await handler(tick)
    return true
  }
}

/// A handler that belongs to an object, which is held weakly and loaded where the handler runs.
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

  package var place: TimerPlace { TimerPlace(handler.isolation) }

  package func call(_ tick: Tick) async -> Bool {
    guard let owner else { return false }
    await handler(owner, tick)
    return true
  }
}

/// A handler that belongs to an actor, which is held weakly, and runs on it.
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

  package var place: TimerPlace {
    if let owner { .on(owner) } else { .lost }
  }

  package func call(_ tick: Tick) async -> Bool {
    guard let owner else { return false }
    await handler(owner, tick)
    return true
  }
}
