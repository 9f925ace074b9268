import EventBus
import TestSupport
import Testing

@Suite("Replay against racing posts", .timeLimit(.minutes(5)))
struct ReplayStormTests {
  /// How many rounds there are; two observers register in each.
  private static let rounds = 10_000
  private static let posts = 6

  @Test("Each observer is given what was kept and what is live in order, exactly once")
  func exactlyOnce() async {
    let name = EventName<Int>("sample.replay.storm", replay: 3)
    let buses = (0..<Self.rounds).map { _ in EventBus() }
    let logs = (0..<2 * Self.rounds).map { _ in Log<Int>() }
    let tokens = Log<Token>()
    let gate = StartGate(3)
    for bus in buses { bus.post(name, 0) }
    await onThreads(3) { thread in
      for (round, bus) in buses.enumerated() {
        gate.arriveAndWait()
        if thread == 0 {
          for value in 1...Self.posts { bus.post(name, value) }
        } else {
          let log = logs[2 * round + thread - 1]
          tokens.append(bus.observe(name) { log.append($0) })
        }
      }
    }
    var joinedAt: [Int: Int] = [:]
    for log in logs {
      let heard = log.entries
      // At least what is kept, without a gap or a repetition, up to the last.
      let first = heard.first ?? -1
      joinedAt[first, default: 0] += 1
      guard (0...Self.posts - 2).contains(first), heard == Array(first...Self.posts) else {
        Issue.record("Heard \(heard).")
        return
      }
    }
    // Otherwise nothing has met.
    #expect(joinedAt.count > 1)
    withExtendedLifetime(tokens) {}
  }

  @Test("With several posters each observer is given every event at most once, none is lost")
  func severalPosters() async {
    let (rounds, posts) = (2_000, 4)
    let name = EventName<Int>("sample.replay.storm of posters", replay: 100)
    let buses = (0..<rounds).map { _ in EventBus() }
    let logs = (0..<rounds).map { _ in Log<Int>() }
    let tokens = Log<Token>()
    let gate = StartGate(3)
    for bus in buses { bus.clearReplay(name) }
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

  @Test("A stream begins with what is kept and goes on with what is live, exactly once")
  func streams() async {
    let (rounds, posts) = (1_000, 6)
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
  @Test("On an actor, too, nothing overtakes and nothing comes twice")
  func onAnActor() async {
    let (rounds, posts) = (500, 6)
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
