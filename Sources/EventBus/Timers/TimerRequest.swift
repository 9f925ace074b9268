/// A timer as it was asked for.
internal struct TimerRequest<C: Clock>: Sendable {
  internal let interval: C.Duration
  internal let tolerance: C.Duration?
  /// What to do about deadlines that passed; `nil` for a timer with one tick.
  internal let missed: MissedTicks?
  internal let clock: C

  /// Checks a request for a timer that repeats.
  internal init(
    every interval: C.Duration,
    tolerance: C.Duration?,
    missed: MissedTicks,
    clock: C,
    fileID: StaticString,
    line: UInt
  ) {
    if interval <= .zero {
      Misuse.trap(
        "\(fileID):\(line): a timer every \(interval) would never rest",
        remedy: "Give `every` an interval above zero"
      )
    }
    (self.interval, self.tolerance, self.missed, self.clock) = (interval, tolerance, missed, clock)
    check(tolerance, fileID, line)
  }

  /// Checks a request for a timer with one tick.
  internal init(
    after delay: C.Duration,
    tolerance: C.Duration?,
    clock: C,
    fileID: StaticString,
    line: UInt
  ) {
    if delay < .zero {
      Misuse.trap(
        "\(fileID):\(line): a delay of \(delay) is over before it begins",
        remedy: "Give `after` a delay of zero or more"
      )
    }
    (interval, self.tolerance, missed, self.clock) = (delay, tolerance, nil, clock)
    check(tolerance, fileID, line)
  }

  /// Starts a timer that belongs to its token.
  internal func start(_ body: any TimerBody) -> Token {
    let queue = TimerQueues.queue(of: clock)
    return Token(KeyedTarget(queue, key: add(body, to: queue)), handle: 0)
  }

  /// Starts a timer that belongs to an object.
  internal func start(_ body: any TimerBody, owner: AnyObject) -> Token {
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
    Misuse.trap(
      "\(fileID):\(line): a timer cannot be early, so a tolerance of \(tolerance) means nothing",
      remedy: "Give a tolerance of zero or more, or none"
    )
  }
}
