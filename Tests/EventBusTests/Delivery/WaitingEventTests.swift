import EventBus
import TestSupport
import Testing

extension EventName where Payload == AtDeinit {
  fileprivate static let object = EventName<AtDeinit>("waiting.object")
}

extension EventName where Payload == Int {
  fileprivate static let kept = EventName<Int>("waiting.kept", replay: 2)
}

/// The tests occupy the main actor, so what another thread posts waits until the test posts.
@Suite("Events that wait for an actor", .timeLimit(.minutes(5)))
@MainActor
struct WaitingEventTests {
  /// Posts numbers on another thread, all from one place.
  nonisolated private static func post(_ values: Range<Int>, to bus: EventBus) {
    blockedOnThread {
      for value in values { bus.post(.number, value) }
    }
  }

  @Test(
    "Any number of waiting events arrives in order",
    arguments: [1, 2, 3, 9, 10, 17, 512, 513, 514, 5_000]
  )
  func lengths(count: Int) {
    let bus = EventBus()
    var shown: [Int] = []
    let token = bus.observe(.number) { shown.append($0) }
    Self.post(0..<count, to: bus)
    #expect(bus.snapshot().waitingCount == count)
    bus.post(.number, count)
    #expect(shown == Array(0...count))
    #expect(bus.snapshot().waitingCount == 0)
    withExtendedLifetime(token) {}
  }

  @Test("Events from several places, names and observers keep their order")
  func mixed() {
    let bus = EventBus()
    var shown: [String] = []
    let tokens = [
      bus.observe(.number) { shown.append("a\($0)") },
      bus.observe(.text) { shown.append($0) },
    ]
    blockedOnThread {
      for value in 0..<3 { bus.post(.number, value) }
      bus.post(.number, 3)
      for text in ["x", "y", "z"] { bus.post(.text, text) }
      for value in 4..<7 { bus.post(.number, value) }
    }
    let second = bus.observe(.number) { shown.append("b\($0)") }
    blockedOnThread {
      for value in 7..<9 { bus.post(.number, value) }
    }
    bus.post(.nothing)
    let run = ["a0", "a1", "a2", "a3", "x", "y", "z", "a4", "a5", "a6"]
    #expect(shown == run + ["a7", "b7", "a8", "b8"])
    withExtendedLifetime((tokens, second)) {}
  }

  @Test("Each failure of a waiting event names the place of its post and its payload")
  func failures() {
    let failures = Log<String>()
    var hooks = EventHooks.silent
    hooks.onError = { failures.append("\($0.event.payload) at \($0.event.site.line)") }
    let bus = EventBus(hooks: hooks)
    let token = bus.observe(.number) { @MainActor _ in throw SampleError() }
    blockedOnThread {
      for value in 0..<3 { bus.post(.number, value, line: 10) }
      for value in 3..<6 { bus.post(.number, value, line: 20) }
    }
    bus.post(.nothing)
    let expected = (0..<6).map { "\($0) at \($0 < 3 ? 10 : 20)" }
    #expect(failures.entries == expected)
    withExtendedLifetime(token) {}
  }

  @Test("Each waiting payload is released after its call and before the next")
  func release() {
    let bus = EventBus()
    let log = Log<String>()
    var count = 0
    let token = bus.observe(.object) { object in
      object.touch()
      count += 1
      log.append("call \(count)")
    }
    blockedOnThread {
      for number in 1...12 { bus.post(.object, AtDeinit { log.append("free \(number)") }) }
    }
    #expect(log.entries == [])
    bus.post(.nothing)
    #expect(log.entries == (1...12).flatMap { ["call \($0)", "free \($0)"] })
    withExtendedLifetime(token) {}
  }

  @Test("Cancelling inside a call releases the payloads that wait")
  func cancelled() {
    let bus = EventBus()
    let freed = Counter()
    var count = 0
    var token: Token?
    token = bus.observe(.object) { object in
      object.touch()
      count += 1
      if count == 4 { token?.cancel() }
    }
    blockedOnThread {
      for _ in 0..<20 { bus.post(.object, AtDeinit { freed.add() }) }
    }
    bus.post(.nothing)
    #expect((count, freed.value) == (4, 20))
    #expect(bus.snapshot().waitingCount == 0)
    withExtendedLifetime(token) {}
  }

  @Test("A post on the actor delivers waiting events first")
  func nested() {
    let bus = EventBus()
    var shown: [Int] = []
    let token = bus.observe(.number) { value in
      shown.append(value)
      if value == 2 { bus.post(.number, 100) }
    }
    Self.post(0..<6, to: bus)
    bus.post(.number, 200)
    #expect(shown == [0, 1, 2, 3, 4, 5, 100, 200])
    withExtendedLifetime(token) {}
  }

  @Test("Waiting events whose every handler posts need a bounded stack")
  func deep() async {
    let bus = EventBus()
    var count = 0
    let token = bus.observe(.number) { value in
      count += 1
      if value < 10_000 { bus.post(.number, 10_000) }
    }
    Self.post(0..<10_000, to: bus)
    bus.post(.nothing)
    await until(count == 20_000)
    #expect(count == 20_000)
    withExtendedLifetime(token) {}
  }

  @Test("Every event that finds its owner dead is counted as lost", arguments: [false, true])
  func lost(hasLifetime: Bool) {
    final class Plain: Sendable {}
    final class Lived: LifetimeOwner, Sendable { let lifetime = Lifetime() }
    func observe<Owner: AnyObject & Sendable>(_ bus: EventBus, _ owner: Owner) {
      bus.observe(.number, owner: owner) { @MainActor _, _ in
        Issue.record("called without its owner")
      }
    }
    let bus = EventBus()
    var owner: (any AnyObject & Sendable)? = hasLifetime ? Lived() : Plain()
    if let owner { observe(bus, owner) }
    Self.post(0..<5, to: bus)
    blockedOnThread { [bus] in
      bus.post(.number, 5)
      bus.post(.number, 6)
    }
    owner = nil
    bus.post(.nothing)
    let snapshot = bus.snapshot()
    #expect((snapshot.waitingCount, snapshot.lostCount, snapshot.observations.count) == (0, 7, 0))
    withExtendedLifetime(owner) {}
  }

  @Test("The number of waiting events falls with each call", arguments: [1, 2, 9, 600])
  func counts(count: Int) {
    let bus = EventBus()
    var waiting: [Int] = []
    var ofObserver: [Int] = []
    let token = bus.observe(.number) { _ in
      let snapshot = bus.snapshot()
      waiting.append(snapshot.waitingCount)
      ofObserver += snapshot.observations.map(\.waitingCount)
    }
    Self.post(0..<count, to: bus)
    bus.post(.nothing)
    #expect(waiting == (0..<count).reversed())
    #expect(ofObserver == waiting)
    withExtendedLifetime(token) {}
  }

  /// Posts without an isolation that the compiler knows, all from one place.
  nonisolated private static func requeue(_ value: Int, to bus: EventBus) {
    bus.post(.number, value)
  }

  @Test("A nested post opens the events that waited before it, although each handler adds one")
  func reposting() async {
    let bus = EventBus()
    var (calls, level) = (0, 0)
    let token = bus.observe(.number) { value in
      calls += 1
      guard calls < 10_000 else { return }
      Self.requeue(value, to: bus)
      guard level < 2 else { return }
      level += 1
      bus.post(.nothing)
      level -= 1
    }
    for value in 0..<3 { Self.requeue(value, to: bus) }
    bus.post(.nothing)
    #expect(calls < 100)
    token.cancel()
  }

  @Test("Events that never end do not keep the actor from other turns")
  func producer() async {
    let (bus, most) = (EventBus(), 20_000)
    var calls = 0
    let token = bus.observe(.number) { value in
      calls += 1
      // Another event always waits when a call ends.
      if calls < most { Self.requeue(value, to: bus) }
    }
    Self.requeue(1, to: bus)
    await until(calls > 0)
    // The test has a turn although events wait.
    #expect(calls < most)
    token.cancel()
  }

  @Test("Events of several senders and conditions that share a place keep order and sender")
  func conditions() async {
    let seen = Log<String>()
    var hooks = EventHooks.silent
    let (first, second) = (SampleSender(), SampleSender())
    hooks.onError = { failure in
      let sender = failure.event.sender
      let name = sender == ObjectIdentifier(first) ? "1" : sender == nil ? "-" : "2"
      seen.append("\(failure.event.payload)\(name)")
    }
    let bus = EventBus(hooks: hooks)
    let token = bus.observe(.number) { @MainActor _ in throw SampleError() }
    let other = bus.observe(.number) { @MainActor value in
      if value % 2 == 0 { throw SampleError() }
    }
    blockedOnThread {
      for value in 0..<9 {
        let sender = [nil, first, first, second, nil, nil, second, first, first][value]
        bus.post(.number, value, from: sender, excluding: value < 5 ? other : nil)
      }
    }
    bus.post(.nothing)
    #expect(
      seen.entries == ["0-", "11", "21", "32", "4-", "5-", "62", "62", "71", "81", "81"]
    )
    withExtendedLifetime((token, other, second)) {}
  }

  @Test("Events that are traced, awaited or recorded for later observers keep their order")
  func records() async {
    let bus = EventBus()
    var shown: [Int] = []
    let token = bus.observe(.number) { shown.append($0) }
    Self.post(0..<3, to: bus)
    let finished = Counter()
    var hooks = EventHooks.silent
    hooks.onTrace = { if case .finished = $0.kind { finished.add() } }
    let added = bus.addHooks(hooks)
    Self.post(3..<9, to: bus)
    let waiting = Task.detached { await bus.postAndWait(.number, 9) }
    bus.post(.nothing)
    #expect(await waiting.value.reachedCount == 1)
    added.cancel()
    #expect(shown == Array(0..<10))
    // The events of the posts that the hook followed.
    #expect(finished.value == 7)
    let keeping = bus.observe(.kept) { shown.append($0) }
    blockedOnThread {
      for value in 10..<14 { bus.post(.kept, value) }
    }
    bus.post(.nothing)
    #expect(shown == Array(0..<14))
    #expect(bus.latest(.kept) == 13)
    withExtendedLifetime((token, keeping)) {}
  }

  /// A payload that cannot be moved as plain bytes.
  private struct Holding: Sendable {
    weak let object: AtDeinit?
    let number: Int
  }

  @Test("Payloads of any shape survive while they wait for an actor")
  func shapes() {
    func check<Payload: Sendable & Equatable>(_ make: @escaping @Sendable (Int) -> Payload) {
      let signal = Signal<Payload>()
      var shown: [Payload] = []
      let token = signal.observe { @MainActor payload in shown.append(payload) }
      blockedOnThread {
        for value in 0..<40 { signal.send(make(value)) }
      }
      signal.send(make(40))
      #expect(shown == (0...40).map(make))
      withExtendedLifetime(token) {}
    }
    check { UInt8($0) }
    check { SIMD64<Double>(repeating: Double($0)) }
    check { "number \($0), too long to be stored in place" }
    check { [Int](repeating: $0, count: 3) }
    check { Optional($0) }
    let (signal, object) = (Signal<Holding>(), AtDeinit {})
    var numbers: [Int] = []
    let token = signal.observe { @MainActor holding in
      #expect(holding.object === object)
      numbers.append(holding.number)
    }
    blockedOnThread {
      for value in 0..<40 { signal.send(Holding(object: object, number: value)) }
    }
    signal.send(Holding(object: object, number: 40))
    #expect(numbers == Array(0...40))
    let nothing = Signal<Void>()
    var count = 0
    let counting = nothing.observe { @MainActor in count += 1 }
    blockedOnThread {
      for _ in 0..<600 { nothing.send() }
    }
    nothing.send()
    #expect(count == 601)
    withExtendedLifetime((token, counting)) {}
  }

  /// Posts an object as ``requeue(_:to:)`` posts a number.
  nonisolated private static func requeue(_ object: AtDeinit, to bus: EventBus) {
    bus.post(.object, object)
  }

  @Test(
    "A payload whose deinit posts to the actor may end while others wait",
    arguments: [1...20, 20...20]
  )
  func postingDeinit(posting: ClosedRange<Int>) async {
    let bus = EventBus()
    var (shown, calls): ([Int], Int) = ([], 0)
    let tokens = [
      bus.observe(.object) { object in
        object.touch()
        calls += 1
      },
      bus.observe(.number) { shown.append($0) },
    ]
    blockedOnThread {
      for number in 1...20 {
        let payload = AtDeinit {
          guard posting.contains(number) else { return }
          Self.requeue(AtDeinit { Self.requeue(number, to: bus) }, to: bus)
        }
        Self.requeue(payload, to: bus)
      }
    }
    bus.post(.nothing)
    await until(shown.count == posting.count)
    #expect(shown == Array(posting))
    #expect(calls == 20 + posting.count)
    withExtendedLifetime(tokens) {}
  }

  @Test("Each event that waits for an actor that dies is handled or counted as lost, and released")
  func deadActor() async {
    actor Receiver {}
    var mostLost = 0
    for _ in 0..<1_000 {
      let (bus, freed, called) = (EventBus(), Counter(), Counter())
      blockedOnThread {
        let receiver = Receiver()
        bus.observe(.object, owner: receiver) { (_: isolated Receiver, object) in
          object.touch()
          called.add()
        }
        let token = bus.observe(.number, owner: receiver) { (_: isolated Receiver, _) in }
        for value in 0..<5 { bus.post(.number, value) }
        for _ in 0..<20 { bus.post(.object, AtDeinit { freed.add() }) }
        // The events of a cancelled registration are not lost.
        token.cancel()
      }
      await until(freed.value == 20 && bus.snapshot().waitingCount == 0)
      let lost = bus.snapshot().lostCount
      #expect(called.value + lost == 20)
      mostLost = max(mostLost, lost)
      // The actor has died before its turn.
      if mostLost == 20 { break }
    }
    #expect(mostLost == 20)
  }

  @Test("The events of each thread that posts to one observer of an actor arrive once, in order")
  nonisolated func storm() async {
    let (bus, least) = (
      EventBus(), rounds(100_000, debug: size(5_000, full: 20_000), sanitized: 4_000)
    )
    actor Receiver {
      var last = [-1, -1]
      var received = 0
      var changes = 0
      private var thread = 0

      func note(_ value: Int) {
        if value & 1 != thread { changes += 1 }
        thread = value & 1
        #expect(value >> 1 == last[thread] + 1)
        last[thread] = value >> 1
        received += 1
      }
    }
    let receiver = Receiver()
    bus.observe(.number, owner: receiver) { (receiver: isolated Receiver, value) in
      receiver.note(value)
    }
    let (gate, batch) = (StartGate(2), 50)
    let count = 2 * batch * (least / batch)
    await onThreads(2) { thread in
      for first in stride(from: 0, to: count / 2, by: batch) {
        // Both threads post in each round.
        gate.arriveAndWait()
        for value in first..<first + batch { Self.requeue(2 * value + thread, to: bus) }
      }
    }
    await until(asking: await receiver.received == count)
    #expect(await receiver.received == count)
    #expect(await receiver.changes >= least / batch)
    #expect(bus.snapshot().waitingCount == 0)
  }
}
