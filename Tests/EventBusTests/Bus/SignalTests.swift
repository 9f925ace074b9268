import EventBus
import TestSupport
import Testing

@Suite("Signals")
struct SignalTests {
  @Test("A signal delivers its payload and returns the number of observers it reached")
  func delivers() {
    let signal = Signal<String>()
    let log = Log<String>()
    let token = signal.observe { log.append($0) }
    #expect(signal.send("done") == 1)
    #expect(log.entries == ["done"])
    withExtendedLifetime(token) {}
  }

  @Test("A signal without a payload is sent without arguments")
  func voidPayload() {
    let signal = Signal<Void>()
    let heard = Counter()
    let token = signal.observe { heard.add() }
    #expect(signal.send() == 1)
    #expect(heard.value == 1)
    withExtendedLifetime(token) {}
  }

  @Test("The observer count follows registrations and cancellations")
  func observerCount() {
    let signal = Signal<Int>()
    #expect(signal.observerCount == 0)
    let first = signal.observe { _ in }
    var second: Token? = signal.observe { _ in }
    #expect(signal.observerCount == 2)
    first.cancel()
    #expect(signal.observerCount == 1)
    second = nil
    #expect(signal.observerCount == 0)
    withExtendedLifetime(second) {}
  }

  @Test("A signal calls by priority, then by registration")
  func order() {
    let signal = Signal<Int>()
    let log = Log<String>()
    let tokens = [
      signal.observe(priority: .low) { _ in log.append("low") },
      signal.observe { _ in log.append("first") },
      signal.observe(priority: .high) { _ in log.append("high") },
      signal.observe { _ in log.append("second") },
    ]
    signal.send(0)
    #expect(log.entries == ["high", "first", "second", "low"])
    withExtendedLifetime(tokens) {}
  }

  @Test("A one-call observer of a signal gets one event, even if its handler sends again")
  func once() {
    let signal = Signal<Int>()
    let log = Log<Int>()
    let token = signal.observe(once: true) { [weak signal] in
      log.append($0)
      signal?.send($0 + 1)
    }
    #expect(signal.send(1) == 1)
    #expect(signal.send(2) == 0)
    #expect(log.entries == [1])
    #expect(!token.isActive)
    #expect(signal.observerCount == 0)
  }

  @Test("A signal passes in a weak owner and drops it when its lifetime ends")
  func owner() {
    let signal = Signal<Int>()
    var owner: LivedOwner? = LivedOwner()
    if let owner { signal.observe(owner: owner) { owner, value in owner.log.append(value) } }
    #expect(signal.send(1) == 1)
    #expect(owner?.log.entries == [1])
    owner = nil
    #expect(signal.observerCount == 0)
    #expect(signal.send(2) == 0)
  }

  @Test("A signal is delivered depth first")
  func nested() {
    let signal = Signal<Int>()
    let log = Log<String>()
    let tokens = [
      signal.observe { [weak signal] value in
        log.append("a\(value)")
        if value == 1 { signal?.send(2) }
      },
      signal.observe { log.append("b\($0)") },
    ]
    signal.send(1)
    #expect(log.entries == ["a1", "a2", "b2", "b1"])
    withExtendedLifetime(tokens) {}
  }

  @MainActor
  @Test("A signal calls main-actor handlers synchronously from the main actor and queues otherwise")
  func mainActor() {
    let signal = Signal<Int>()
    var shown: [Int] = []
    let token = signal.observe { shown.append($0) }
    let reached = blockedOnThread { signal.send(1) }
    #expect(reached == 1)
    #expect(shown == [])
    #expect(signal.send(2) == 1)
    #expect(shown == [1, 2])
    withExtendedLifetime(token) {}
  }

  @Test("A dead signal's tokens are inactive, and its handlers are freed")
  func signalDiesFirst() {
    let tally = Tally()
    var signal: Signal<Int>? = Signal()
    let token = signal?.observe { [probe = tally.probe()] _ in probe.touch() }
    signal = nil
    #expect(token?.isActive == false)
    #expect(tally.live == 0)
    token?.cancel()
    withExtendedLifetime(signal) {}
  }
}
