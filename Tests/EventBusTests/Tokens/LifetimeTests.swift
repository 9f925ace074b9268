import EventBus
import TestSupport
import Testing

@Suite("Lifetimes")
struct LifetimeTests {
  @Test("End hooks run once, in registration order")
  func order() {
    let log = Log<Int>()
    let lifetime = Lifetime()
    for number in 0..<100 { lifetime.onEnd { log.append(number) } }
    #expect(!lifetime.hasEnded)
    #expect(log.entries == [])
    lifetime.end()
    #expect(lifetime.hasEnded)
    #expect(log.entries == Array(0..<100))
  }

  @Test("Ending a lifetime twice, or releasing it after its end, runs no hook again")
  func endIsIdempotent() {
    let heard = Counter()
    var lifetime: Lifetime? = Lifetime()
    lifetime?.onEnd { heard.add() }
    lifetime?.end()
    lifetime?.end()
    lifetime = nil
    #expect(heard.value == 1)
    withExtendedLifetime(lifetime) {}
  }

  @Test("The shared ended lifetime has ended and runs hooks at once")
  func sharedEndedLifetime() {
    let heard = Counter()
    #expect(Lifetime.ended.hasEnded)
    #expect(!Lifetime.ended.onEnd { heard.add() }.isActive)
    #expect(heard.value == 1)
  }

  @Test("A hook registered on an ended lifetime runs at once and is not retained")
  func registeringAfterTheEnd() {
    let log = Log<ThreadID>()
    let tally = Tally()
    let lifetime = Lifetime()
    lifetime.end()
    let token = lifetime.onEnd { [probe = tally.probe()] in
      probe.touch()
      log.append(.current)
    }
    #expect(log.entries == [.current])
    #expect(tally.live == 0)
    #expect(!token.isActive)
  }

  @Test("The lifetime has already ended when its first hook runs")
  func hasEndedInHooks() {
    let lifetime = Lifetime()
    let states = Log<Bool>()
    lifetime.onEnd { [unowned lifetime] in states.append(lifetime.hasEnded) }
    lifetime.end()
    #expect(states.entries == [true])
  }

  @Test("A hook registered by a running hook runs at once")
  func registeringInAHook() {
    let log = Log<String>()
    let lifetime = Lifetime()
    lifetime.onEnd { [unowned lifetime] in
      log.append("first begins")
      lifetime.onEnd { log.append("registered meanwhile") }
      lifetime.end()
      log.append("first ends")
    }
    lifetime.onEnd { log.append("second") }
    lifetime.end()
    #expect(log.entries == ["first begins", "registered meanwhile", "first ends", "second"])
  }

  @Test("A cancelled hook does not run and frees its captures; the other hooks run")
  func cancelOne() {
    let log = Log<String>()
    let tally = Tally()
    let lifetime = Lifetime()
    lifetime.onEnd { log.append("first") }
    let token = lifetime.onEnd { [probe = tally.probe()] in
      probe.touch()
      log.append("cancelled")
    }
    lifetime.onEnd { log.append("last") }
    #expect(token.isActive)
    token.cancel()
    #expect(!token.isActive)
    #expect(tally.live == 0)
    lifetime.end()
    #expect(log.entries == ["first", "last"])
  }

  @Test("A hook may cancel a later hook")
  func cancelInAHook() {
    let lifetime = Lifetime()
    let bag = TokenBag()
    lifetime.onEnd { bag.cancelAll() }
    lifetime.onEnd { Issue.record("Cancelled by the first.") }.store(in: bag)
    lifetime.end()
    #expect(bag.count == 0)
  }

  @Test("Cancelled hooks leave nothing behind")
  func cancelledHooksAreBounded() {
    let lifetime = Lifetime()
    let (tally, tokens) = (Tally(), WeakList<Token>())
    for _ in 0..<1_000 {
      let token = lifetime.onEnd { [probe = tally.probe()] in probe.touch() }
      tokens.append(token)
      token.cancel()
    }
    #expect(tally.live == 0)
    #expect(tokens.liveCount <= 8)
    withExtendedLifetime(lifetime) {}
  }
}
