/// The validated arguments of a new timer.
struct TimerRequest<C: Clock>: Sendable {
  let interval: C.Duration
  let tolerance: C.Duration?
  /// The policy for missed deadlines, or `nil` for a timer with one tick.
  let missed: MissedTicks?
  let clock: C

  init(
    _ interval: C.Duration,
    tolerance: C.Duration?,
    missed: MissedTicks? = nil,
    clock: C,
    fileID: StaticString,
    line: UInt
  ) {
    if missed != nil, interval <= .zero {
      trap(
        "\(fileID):\(line): `every` requires a positive interval; got \(interval)",
        remedy: "Pass an interval above zero"
      )
    }
    if interval < .zero {
      trap(
        "\(fileID):\(line): `after` cannot have a negative delay; got \(interval)",
        remedy: "Pass a delay of zero or more"
      )
    }
    if let tolerance, tolerance < .zero {
      trap(
        "\(fileID):\(line): a timer cannot have a negative tolerance; got \(tolerance)",
        remedy: "Pass a tolerance of zero or more, or none"
      )
    }
    (self.interval, self.tolerance, self.missed, self.clock) = (interval, tolerance, missed, clock)
  }

  /// Starts a timer that ends with its owner or, if there is none, with its token.
  func start(_ body: any TimerBody, owner: AnyObject? = nil) -> Token {
    let queue = TimerQueues.queue(of: clock)
    let key = queue.add(every: interval, tolerance: tolerance ?? .zero, missed: missed, body: body)
    let target = KeyedTarget(queue, key: key)
    if let owner = owner as? any LifetimeOwner {
      queue.join(key, owner.lifetime.members, as: target)
    }
    return Token(target, handle: 0, isKept: owner != nil)
  }
}

/// The handler of a timer, with its owner.
///
/// An object with a single strong reference, whose release frees the handler and its captures.
package protocol TimerBody: AnyObject, Sendable {
  /// The executor on which the handler runs.
  ///
  /// Read for every tick, under no lock.
  var place: TimerPlace { get }

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

  var place: TimerPlace { .on(handler.isolation) }

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

  var place: TimerPlace { .on(handler.isolation) }

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

  var place: TimerPlace {
    if let owner { .on(owner) } else { .lost }
  }

  func call(_ tick: Tick) async -> Bool {
    guard let owner else { return false }
    await handler(owner, tick)
    return true
  }
}
