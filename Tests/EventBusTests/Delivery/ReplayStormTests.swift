import EventBus
import Synchronization
import TestSupport
import Testing

@Suite("Replay during concurrent posts", .timeLimit(.minutes(5)))
struct ReplayStormTests {
  /// All these tests together make a hundred thousand registrations, and fewer where each is watched.
  private static let scale = Double(size(6, full: rounds(100, debug: 25, sanitized: 4))) / 100
  private static let kept = 3

  private static func scaled(_ rounds: Int) -> Int { Int(Double(rounds) * scale) }

  /// The numbers that one observer received from one thread that posts numbers.
  private final class Ear: Sendable {
    struct Impression: Sendable {
      var first = 0
      var last = 0
      var count = 0
      /// A Boolean value that indicates whether each number followed the one before it.
      var isInOrder = true
    }

    private let state = Locked(Impression())

    var impression: Impression { state.withLock { $0 } }

    func hear(_ value: Int) {
      state.withLock { state in
        if state.count == 0 {
          state.first = value
        } else if value != state.last + 1 {
          state.isInOrder = false
        }
        state.last = value
        state.count += 1
      }
    }
  }

  /// The last number of which the post has returned.
  private final class Progress: Sendable {
    private let number = Atomic<Int>(0)

    var last: Int {
      get { number.load(ordering: .acquiring) }
      set { number.store(newValue, ordering: .releasing) }
    }
  }

  @Test("An observer registered during posts gets kept and live events in order, exactly once")
  func exactlyOnce() async {
    let name = EventName<Int>("sample.replay.storm", replay: Self.kept)
    let bus = EventBus()
    let posted = Progress()
    let (met, gone) = (Counter(), Counter())
    let complaints = Log<String>()
    for value in 1...Self.kept { bus.post(name, value) }
    posted.last = Self.kept
    await onThreads(3) { thread in
      guard thread > 0 else {
        while gone.value < 2 {
          bus.post(name, posted.last + 1)
          posted.last += 1
        }
        return
      }
      defer { gone.add() }
      var present: [(ear: Ear, token: Token, before: Int)] = []
      let planned = Self.scaled(44_000)
      var round = 0
      // On a busy machine the threads may take long to meet.
      while round < planned || met.value == 0 && round < 30 * planned, complaints.count == 0 {
        round += 1
        let (ear, before) = (Ear(), posted.last)
        let token = bus.observe(name) { ear.hear($0) }
        if ear.impression.count > Self.kept { met.add() }
        present.append((ear, token, before))
        // Some stay for a while and receive the events posted after they were registered.
        guard present.count > 4 else { continue }
        let leaver = present.removeFirst()
        let after = posted.last
        leaver.token.cancel()
        let heard = leaver.ear.impression
        let isWhole = heard.first > leaver.before - Self.kept && heard.last >= after
        if !heard.isInOrder || !isWhole || heard.count < Self.kept {
          complaints.append("Came at \(leaver.before), left at \(after), heard \(heard).")
        }
      }
    }
    #expect(complaints.entries == [])
    // Otherwise nothing has met.
    #expect(met.value > 0)
  }

  @Test(
    "With several posting threads, each observer gets every event at most once, and none is lost"
  )
  func severalPosters() async {
    let (rounds, posts) = (Self.scaled(8_000), 4)
    let name = EventName<Int>("sample.replay.storm of threads", replay: 100)
    let buses = (0..<rounds).map { _ in EventBus() }
    let logs = (0..<rounds).map { _ in Log<Int>() }
    let tokens = Log<Token>()
    let gate = StartGate(3)
    // The name has been used on every other bus.
    for bus in stride(from: 0, to: buses.count, by: 2).map({ buses[$0] }) { bus.clearReplay(name) }
    await onThreads(3) { thread in
      for (round, bus) in buses.enumerated() {
        gate.arriveAndWait()
        if thread > 0 {
          for value in 0..<posts { bus.post(name, 2 * value + thread - 1) }
        } else {
          let log = logs[round]
          tokens.append(bus.observe(name) { log.append($0) })
        }
      }
    }
    for log in logs {
      guard log.entries.sorted() == Array(0..<2 * posts) else {
        Issue.record("Heard \(log.entries).")
        return
      }
    }
    withExtendedLifetime(tokens) {}
  }

  @Test("A stream delivers the kept events and then the live ones, exactly once")
  func streams() async {
    let (rounds, posts) = (Self.scaled(3_000), 6)
    let name = EventName<Int>("sample.replay.storm of streams", replay: 3)
    let buses = (0..<rounds).map { _ in EventBus() }
    let streams = Log<EventStream<Int>>()
    let gate = StartGate(2)
    for bus in buses { bus.post(name, 0) }
    await onThreads(2) { thread in
      for bus in buses {
        gate.arriveAndWait()
        if thread == 0 {
          for value in 1...posts { bus.post(name, value) }
        } else {
          streams.append(bus.events(name))
        }
      }
    }
    for stream in streams.entries {
      var heard: [Int] = []
      for await value in stream {
        heard.append(value)
        if value == posts { break }
      }
      guard let first = heard.first, heard == Array(first...posts) else {
        Issue.record("Heard \(heard).")
        return
      }
    }
  }

  @MainActor
  @Test("On an actor, no live event overtakes a replayed one, and each is delivered once")
  func onAnActor() async {
    let count = size(rounds(1_000, debug: 350, sanitized: 350), full: 1_000)
    let (rounds, posts) = (Self.scaled(count), 6)
    let name = EventName<Int>("sample.replay.storm on an actor", replay: 3)
    for _ in 0..<rounds {
      let bus = EventBus()
      bus.post(name, 0)
      let gate = StartGate(2)
      let inbox = Inbox<Int>()
      let tokens = Log<Token>()
      await onThreads(2) { thread in
        gate.arriveAndWait()
        if thread == 0 {
          for value in 1...posts { bus.post(name, value) }
        } else {
          tokens.append(bus.observe(name) { @MainActor value in inbox.append(value) })
        }
      }
      bus.post(.nothing)
      let heard = inbox.entries
      guard let first = heard.first, heard == Array(first...posts) else {
        Issue.record("Heard \(heard).")
        return
      }
      withExtendedLifetime(tokens) {}
    }
  }
}
