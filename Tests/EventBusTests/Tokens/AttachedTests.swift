import EventBus
import TestSupport
import Testing

@Suite("Tokens attached to a lifetime")
struct AttachedTests {
  @Test("Attaching returns the token, and dropping that token no longer ends the registration")
  func droppingDoesNothing() {
    let bus = EventBus()
    let lifetime = Lifetime()
    do {
      let token = bus.observe(.number) { _ in }
      #expect(token.attach(to: lifetime) === token)
    }
    #expect(bus.post(.number, 1) == 1)
    lifetime.end()
    #expect(bus.post(.number, 2) == 0)
  }

  @Test("Ending the lifetime cancels the attached token", arguments: [true, false])
  func endCancels(byEnd: Bool) {
    let ended = Counter()
    let lifetime = Holder(Lifetime())
    let token = Token { ended.add() }
    if let lifetime = lifetime.value { token.attach(to: lifetime) }
    #expect(token.isActive)
    if byEnd { lifetime.value?.end() } else { lifetime.letGo() }
    #expect(!token.isActive)
    #expect(ended.value == 1)
  }

  @Test("Cancelling an attached token ends it and leaves nothing in the lifetime")
  func cancelStillEnds() {
    let lifetime = Lifetime()
    let tally = Tally()
    let tokens = WeakList<Token>()
    for _ in 0..<1_000 {
      let token = Token { [probe = tally.probe()] in probe.touch() }
      tokens.append(token)
      token.attach(to: lifetime).cancel()
    }
    #expect(tally.live == 0)
    #expect(tokens.liveCount <= 8)
    withExtendedLifetime(lifetime) {}
  }

  @Test("A token moved away from its owner still ends with its owner")
  func movedTokenEndsWithItsOwner() {
    let bus = EventBus()
    let (owner, other) = (LivedOwner(), Lifetime())
    let token = bus.observe(.number, owner: owner) { _, _ in }.attach(to: other)
    owner.lifetime.end()
    #expect(!token.isActive)
    #expect(bus.post(.number, 1) == 0)
    withExtendedLifetime(other) {}
  }

  @Test("Attaching a token twice to the same lifetime changes nothing")
  func attachingTwiceToTheSame() {
    let ended = Counter()
    let lifetime = Lifetime()
    Token { ended.add() }.attach(to: lifetime).attach(to: lifetime)
    #expect(ended.value == 0)
    lifetime.end()
    #expect(ended.value == 1)
  }

  @Test("Moving a token to an ended lifetime cancels it and removes it from the former lifetime")
  func movedToAnEndedLifetime() {
    let ended = Counter()
    let tokens = WeakList<Token>()
    let lifetime = Lifetime()
    do {
      let token = Token { ended.add() }
      tokens.append(token)
      token.attach(to: lifetime).attach(to: .ended)
    }
    #expect(ended.value == 1)
    #expect(tokens.liveCount == 0)
    lifetime.end()
    #expect(ended.value == 1)
  }

  @Test("Attaching a cancelled token is harmless and retains nothing")
  func attachingACancelledToken() {
    let lifetime = Lifetime()
    let tokens = WeakList<Token>()
    do {
      let token = Token {}
      token.cancel()
      token.attach(to: lifetime)
      tokens.append(token)
    }
    #expect(tokens.liveCount == 0)
    withExtendedLifetime(lifetime) {}
  }

  @Test("Attaching while the lifetime ends on another thread always cancels the token")
  func racingEnd() async {
    let rounds = 1_000
    let ended = Counter()
    let lifetimes = (0..<rounds).map { _ in Lifetime() }
    let gate = StartGate(2)
    await onThreads(2) { thread in
      for lifetime in lifetimes {
        gate.arriveAndWait()
        if thread == 0 { lifetime.end() } else { Token { ended.add() }.attach(to: lifetime) }
      }
    }
    #expect(ended.value == rounds)
  }

  @Test("A lifetime ends its tokens and hooks in the order they were added")
  func order() {
    let log = Log<Int>()
    let lifetime = Lifetime()
    lifetime.onEnd { log.append(0) }
    Token { log.append(1) }.attach(to: lifetime)
    lifetime.onEnd { log.append(2) }
    Token { log.append(3) }.attach(to: lifetime)
    lifetime.end()
    #expect(log.entries == [0, 1, 2, 3])
  }
}
