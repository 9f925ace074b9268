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
}
