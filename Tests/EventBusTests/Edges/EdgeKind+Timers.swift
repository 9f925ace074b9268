import EventBus
import EventBusTesting
import TestSupport

extension EdgeKind {
  /// The kinds of timers, and of registrations with a lifetime or with nothing.
  static let ofTimersAndTokens = [
    timer, timerWithOwner, timerWithLifetimeOwner, timerOfActor, mainActorTimer, after,
    afterWithOwner, endHook, ownToken,
  ]

  private static let noPost: [EdgeRow: String] = [
    .excluded: "Only a post can leave out a registration.",
    .counted: "Nothing tells the number of its registrations.",
  ]

  private static let timer = EdgeKind(
    "timer",
    traits: [.isAsync, .isQueued],
    excluding: noPost
  ) { handler in
    let clock = ManualClock()
    let token = every(.seconds(1), clock: clock) { _ in
      handler.callSafely()
      await handler.suspend()
    }
    return EdgeSubject(clock, token)
  }

  private static let timerWithOwner = EdgeKind(
    "timer with an owner",
    owner: .object,
    traits: [.isAsync, .isQueued, .isKept],
    excluding: noPost
  ) { handler in
    let (clock, owner) = (ManualClock(), PlainOwner())
    let token = every(.seconds(1), owner: owner, clock: clock) { _, _ in
      handler.callSafely()
      await handler.suspend()
    }
    return EdgeSubject(clock, token).owned(by: Holder(owner))
  }

  private static let timerWithLifetimeOwner = EdgeKind(
    "timer with a lifetime owner",
    owner: .lifetime,
    traits: [.isAsync, .isQueued, .isKept],
    excluding: noPost
  ) { handler in
    let (clock, owner) = (ManualClock(), LivedOwner())
    let token = every(.seconds(1), owner: owner, clock: clock) { _, _ in
      handler.callSafely()
      await handler.suspend()
    }
    return EdgeSubject(clock, token).owned(by: Holder(owner))
  }

  private static let timerOfActor = EdgeKind(
    "timer of an actor",
    owner: .object,
    traits: [.isAsync, .isQueued, .isKept],
    excluding: noPost
  ) { handler in
    let (clock, owner) = (ManualClock(), EdgeOwner())
    let token = every(.seconds(1), owner: owner, clock: clock) { (_: isolated EdgeOwner, _) in
      handler.callSafely()
      await handler.suspend()
    }
    return EdgeSubject(clock, token).owned(by: Holder(owner))
  }

  private static let mainActorTimer = EdgeKind(
    "main-actor timer",
    traits: [.isAsync, .isQueued],
    excluding: noPost
  ) { handler in
    let clock = ManualClock()
    let token = every(.seconds(1), clock: clock) { @MainActor _ in
      handler.callSafely()
      await handler.suspend()
    }
    return EdgeSubject(clock, token)
  }

  private static let after = EdgeKind(
    "after",
    calls: .once,
    traits: [.isAsync, .isQueued],
    excluding: noPost
  ) { handler in
    let clock = ManualClock()
    let token = EventBus::after(.seconds(1), clock: clock) { _ in
      handler.callSafely()
      await handler.suspend()
    }
    return EdgeSubject(clock, token)
  }

  private static let afterWithOwner = EdgeKind(
    "after with a lifetime owner",
    calls: .once,
    owner: .lifetime,
    traits: [.isAsync, .isQueued, .isKept],
    excluding: noPost
  ) { handler in
    let (clock, owner) = (ManualClock(), LivedOwner())
    let token = EventBus::after(.seconds(1), owner: owner, clock: clock) { _, _ in
      handler.callSafely()
      await handler.suspend()
    }
    return EdgeSubject(clock, token).owned(by: Holder(owner))
  }

  private static let endHook = EdgeKind(
    "end hook",
    calls: .once,
    traits: [.isKept, .cannotPause],
    excluding: noPost
  ) { handler in
    let lifetime = Lifetime()
    let token = lifetime.onEnd { handler.callSafely() }
    let subject = EdgeSubject(token, fire: { lifetime.end() }, poke: { lifetime.end() })
    subject.register = { lifetime.onEnd {} }
    return subject
  }

  private static let ownToken = EdgeKind(
    "own token",
    calls: .atItsEnd,
    traits: [.cannotPause],
    excluding: noPost
  ) { handler in
    EdgeSubject(Token { handler.callSafely() }, fire: {}, poke: {})
  }
}

extension EdgeSubject {
  fileprivate convenience init(_ clock: ManualClock, _ token: Token) {
    self.init(
      token,
      fire: { await clock.advance(by: .seconds(1)) },
      poke: { clock.jump(by: .seconds(1)) }
    )
    register = { every(.seconds(1), clock: clock) { _ in } }
  }
}

/// Owns a timer, and runs its handler.
private actor EdgeOwner {}
