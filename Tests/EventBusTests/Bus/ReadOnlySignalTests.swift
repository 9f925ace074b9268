import EventBus
import TestSupport
import Testing

@Suite("Read-only signals", .timeLimit(.minutes(5)))
struct ReadOnlySignalTests {
  /// Observes in every way with code that knows only that there is a signal.
  private func observeAll(_ source: some ReadableSignal<Int>, _ owner: LivedOwner) -> [Token] {
    source.observe(owner: owner) { owner, value in owner.log.append(value) }
    source.observe(owner: owner) { owner, value in
      await Task.yield()
      owner.log.append(value)
    }
    return [
      source.observe { owner.log.append($0) },
      source.observe { value in
        await Task.yield()
        owner.log.append(value)
      },
    ]
  }

  @Test("A signal and its read-only value deliver the same events to observers of every kind")
  func sameEvents() async {
    let signal = Signal<Int>()
    let owner = LivedOwner()
    let tokens = observeAll(signal, owner) + observeAll(signal.readOnly, owner)
    #expect(signal.readOnly.observerCount == 8)
    #expect(signal.observerCount == 8)
    #expect(signal.send(7) == 8)
    await until(owner.log.count >= 8)
    #expect(owner.log.entries == Array(repeating: 7, count: 8))
    for token in tokens { token.cancel() }
    owner.lifetime.end()
    #expect(signal.readOnly.observerCount == 0)
  }

  @Test("A read-only value is one reference, even when taken from another one")
  func oneReference() {
    #expect(MemoryLayout<Signal<Int>.ReadOnly>.size == MemoryLayout<AnyObject>.size)
    let signal = Signal<Int>()
    let token = signal.readOnly.readOnly.observe { _ in }
    #expect(signal.observerCount == 1)
    withExtendedLifetime(token) {}
  }

  @MainActor
  @Test("A handler registered on the main actor belongs to it")
  func isolation() {
    let signal = Signal<Int>()
    let screen = Screen()
    var shown: [Int] = []
    let token = signal.readOnly.observe { shown.append($0) }
    signal.readOnly.observe(owner: screen) { screen, value in screen.shown.append(value) }
    #expect(blockedOnThread { signal.send(1) } == 2)
    #expect(shown == [])
    #expect(signal.send(2) == 2)
    #expect(shown == [1, 2])
    #expect(screen.shown == [1, 2])
    withExtendedLifetime(token) {}
  }

  @Test("An actor observes for itself, without capturing itself")
  func actorAsOwner() async {
    let signal = Signal<Int>()
    let counter = EventCounter()
    await counter.observe(signal.readOnly)
    signal.send(2)
    signal.send(3)
    await until(asking: await counter.sum >= 5)
    #expect(await counter.sum == 5)
  }

  @Test("An event without a payload")
  func voidPayload() async throws {
    let signal = Signal<Void>()
    let heard = Counter()
    let token = signal.readOnly.observe { heard.add() }
    let stream = signal.readOnly.events()
    #expect(signal.send() == 2)
    #expect(heard.value == 1)
    var events = stream.makeAsyncIterator()
    #expect(await events.next() != nil)
    withExtendedLifetime(token) {}
  }

  @Test("A read-only value does not keep its signal alive, and is inert after it")
  func signalDies() async {
    let tally = Tally()
    var signal: Signal<Int>? = Signal()
    weak let watched = signal
    let readOnly = signal?.readOnly
    let token = readOnly?.observe { [probe = tally.probe()] _ in probe.touch() }
    let stream = readOnly?.events()
    signal = nil
    #expect(watched == nil)
    #expect(token?.isActive == false)
    #expect(tally.live == 0)
    var events = stream?.makeAsyncIterator()
    #expect(await events?.next() == nil)
    #expect(readOnly?.observerCount == 0)
    #expect(readOnly?.observe { _ in }.isActive == false)
    await #expect(throws: CancellationError.self) { try await readOnly?.next() }
    withExtendedLifetime(signal) {}
  }

  @Test("The read-only value of a bus's signal observes the bus")
  func ofABus() {
    let bus = EventBus()
    let log = Log<Int>()
    let token = bus.signal(.number).readOnly.observe { log.append($0) }
    #expect(bus.post(.number, 1) == 1)
    #expect(log.entries == [1])
    withExtendedLifetime(token) {}
  }
}

private actor EventCounter {
  var sum = 0

  func observe(_ signal: Signal<Int>.ReadOnly) {
    signal.observe(owner: self) { counter, value in counter.sum += value }
  }
}
