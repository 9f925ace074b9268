import EventBus
import TestSupport
import Testing

@Suite("Tokens")
struct TokenTests {
  @Test("A registration lasts as long as any reference to its token")
  func lastReference() {
    let bus = EventBus()
    let holders = [Holder(bus.observe(.number) { _ in }), Holder<Token>()]
    holders[1].hold(holders[0].value)
    holders[0].letGo()
    #expect(bus.post(.number, 1) == 1)
    holders[1].letGo()
    #expect(bus.post(.number, 2) == 0)
  }

  @Test("A stale token never affects a later registration", arguments: [1, 8, 100])
  func staleTokens(count: Int) {
    let bus = EventBus()
    var stale: [Token] = []
    var fresh: [Token] = []
    for _ in 0..<count {
      let token = bus.observe(.number) { _ in Issue.record("This one was cancelled.") }
      token.cancel()
      stale.append(token)
      fresh.append(bus.observe(.number) { _ in })
    }
    for token in stale { token.cancel() }
    #expect(bus.post(.number, 1) == count)
    stale.removeAll()
    #expect(bus.post(.number, 2) == count)
    #expect(fresh.allSatisfy { $0.isActive })
  }

  @Test("A stale token with an owner never affects a later registration of that owner")
  func staleTokensWithOwner() {
    let bus = EventBus()
    let (plain, lived) = (PlainOwner(), LivedOwner())
    var stale: [Token] = []
    for _ in 0..<20 {
      stale.append(bus.observe(.number, owner: plain) { _, _ in })
      stale.append(bus.observe(.number, owner: lived) { _, _ in })
      for token in stale { token.cancel() }
    }
    bus.observe(.number, owner: plain) { owner, value in owner.log.append(value) }
    bus.observe(.number, owner: lived) { owner, value in owner.log.append(value) }
    for token in stale { token.cancel() }
    stale.removeAll()
    #expect(bus.post(.number, 1) == 2)
  }

  @Test("Threads that cancel one token at the same time end it once")
  func racingCancels() async {
    for _ in 0..<rounds(200, debug: 70, sanitized: 70) {
      let bus = EventBus()
      let tally = Tally()
      let ended = Counter()
      let observing = bus.observe(.number) { [probe = tally.probe()] _ in probe.touch() }
      let own = Token { ended.add() }
      let other = bus.observe(.number) { _ in }
      await onThreads(3) { _ in
        observing.cancel()
        own.cancel()
      }
      #expect(ended.value == 1)
      #expect(tally.freed == 1)
      #expect(bus.post(.number, 1) == 1)
      withExtendedLifetime(other) {}
    }
  }

  @Test("Tokens are equal if they are identical, and can be stored in a set")
  func identity() {
    let bus = EventBus()
    let (first, second) = (bus.observe(.number) { _ in }, bus.observe(.number) { _ in })
    #expect(first == first)
    #expect(first != second)
    var tokens: Set<Token> = [first, second, first]
    #expect(tokens.count == 2)
    tokens.remove(first)
    #expect(tokens == [second])
  }
}
