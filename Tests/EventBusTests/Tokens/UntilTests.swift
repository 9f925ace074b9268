import EventBus
import TestSupport
import Testing

@Suite("Sequences until a lifetime ends", .timeLimit(.minutes(5)))
struct UntilTests {
  /// A sequence with an iterator that cannot be sent, which logs the calls.
  private struct Source: AsyncSequence, Sendable {
    struct Empty: Error {}

    /// The behavior of the source after its last number.
    enum Ending: Sendable {
      case finishes, fails, waits, ignoresCancellation
    }

    final class Iterator: AsyncIteratorProtocol {
      private let source: Source
      private var given = 0
      private let probe: Tally.Probe

      init(_ source: Source) {
        self.source = source
        probe = source.tally.probe()
      }

      func next() async throws(Empty) -> Int? {
        source.asked.append(given)
        source.onAsk(given)
        if given < source.count {
          given += 1
          return given
        }
        switch source.ending {
        case .finishes: return nil
        case .fails: throw Empty()
        case .waits:
          await source.gate.wait()
          return Task.isCancelled ? nil : -1
        case .ignoresCancellation:
          await Task.detached { [gate = source.gate] in await gate.wait() }.value
          return -1
        }
      }
    }

    let count: Int
    let ending: Ending
    let asked = Inbox<Int>()
    var onAsk: @Sendable (Int) -> Void = { _ in }
    let gate = ManualLatch()
    let tally = Tally()

    func makeAsyncIterator() -> Iterator { Iterator(self) }
  }

  @Test("until(_:) forwards elements, the end and errors")
  func passesThrough() async throws {
    let lifetime = Lifetime()
    var seen: [Int] = []
    for try await number in Source(count: 3, ending: .finishes).until(lifetime) {
      seen.append(number)
    }
    #expect(seen == [1, 2, 3])
    await #expect(throws: Source.Empty.self) {
      for try await number in Source(count: 2, ending: .fails).until(lifetime) {
        seen.append(number)
      }
    }
    #expect(seen == [1, 2, 3, 1, 2])
    #expect(lifetime.members.count == 0)
  }

  @Test("RxSwift takeUntil: the sequence ends with the lifetime, even while suspended")
  func takeUntil() async throws {
    for ending in [Source.Ending.waits, .ignoresCancellation] {
      let source = Source(count: 2, ending: ending)
      let screens = Holder(LivedOwner())
      let lines = source.until(screens.value?.lifetime ?? .ended)
      let seen = Task {
        var seen: [Int] = []
        for try await number in lines { seen.append(number) }
        return seen
      }
      _ = await source.asked.first(3)
      screens.letGo()
      #expect(try await seen.value == [1, 2], "\(ending)")
      source.gate.open()
      // The task of the iteration may be on its way out.
      await until(source.tally.live == 0)
    }
  }

  @Test("An ended sequence stays ended")
  func staysEnded() async throws {
    let source = Source(count: 5, ending: .finishes)
    let lifetime = Lifetime()
    var iterator = source.until(lifetime).makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    lifetime.end()
    #expect(try await iterator.next() == nil)
    #expect(try await iterator.next() == nil)
  }

  @Test("A sequence whose lifetime has already ended takes no element of its base")
  func endedBefore() async throws {
    let source = Source(count: 5, ending: .finishes)
    for try await _ in source.until(.ended) { Issue.record("There is nothing to see.") }
    #expect(source.tally.created == 0)
  }

  @Test("Elements are requested on demand")
  func backpressure() async throws {
    let source = Source(count: 100, ending: .finishes)
    let lifetime = Lifetime()
    var iterator = source.until(lifetime).makeAsyncIterator()
    for number in 1...10 {
      #expect(try await iterator.next() == number)
      await rest()
      #expect(source.asked.entries.count == number)
    }
  }

  @Test("The sequence does not retain the lifetime")
  func lifetimeIsWeak() async throws {
    let source = Source(count: 0, ending: .waits)
    let hasEnded = Counter()
    let holder = Holder(Lifetime())
    holder.value?.onEnd { hasEnded.add() }
    let sequence = source.until(holder.value ?? .ended)
    holder.letGo()
    #expect(hasEnded.value == 1)
    for try await _ in sequence { Issue.record("There is nothing to see.") }
  }

  @Test("A consumer that leaves releases the sequence, and the lifetime forgets it")
  func consumerLeaves() async throws {
    let source = Source(count: 5, ending: .waits)
    let lifetime = Lifetime()
    for try await number in source.until(lifetime) where number == 2 { break }
    #expect(lifetime.members.count == 0)
    await until(source.tally.live == 0)
    #expect(source.tally.live == 0)
  }

  @Test("Cancellation of the consumer is forwarded to the base sequence")
  func consumerCancelled() async throws {
    let source = Source(count: 1, ending: .waits)
    let lifetime = Lifetime()
    let sequence = source.until(lifetime)
    let task = Task {
      var seen: [Int] = []
      for try await number in sequence { seen.append(number) }
      return seen
    }
    _ = await source.asked.first(2)
    task.cancel()
    #expect(try await task.value == [1])
  }

  @Test("An event stream ends with the lifetime and ends its registration")
  func streamOfTheBus() async {
    let bus = EventBus()
    let lifetime = Lifetime()
    let seen = Inbox<Int>()
    let sequence = bus.events(.untilNumber).until(lifetime)
    let task = Task {
      for await number in sequence { seen.append(number) }
    }
    bus.post(.untilNumber, 1)
    bus.post(.untilNumber, 2)
    #expect(await seen.first(2) == [1, 2])
    lifetime.end()
    await task.value
  }

  @Test(
    "However end and elements race, elements come in order, the end comes, and nothing leaks",
    .timeLimit(.minutes(5))
  )
  func race() async throws {
    for round in 0..<rounds(400, debug: 130, sanitized: 130) {
      // The end meets an element, a source that waits and heeds its task's end, or one that does not.
      let given = round % 61
      var source = Source(
        count: round.isMultiple(of: 3) ? 1_000 : given,
        ending: round.isMultiple(of: 2) ? .waits : .ignoresCancellation
      )
      let (lifetime, mayEnd) = (Lifetime(), ManualLatch())
      source.onAsk = { asked in if asked == given { mayEnd.open() } }
      let sequence = source.until(lifetime)
      let (seen, isOver) = (Log<Int>(), ManualLatch())
      Task {
        do {
          for try await number in sequence { seen.append(number) }
        } catch { Issue.record(error) }
        isOver.open()
      }
      await mayEnd.wait()
      lifetime.end()
      await isOver.wait()
      try #require(seen.count >= given)
      #expect(seen.entries == Array(1..<(seen.count + 1)))
      #expect(lifetime.members.count == 0)
      if source.ending == .ignoresCancellation { source.gate.open() }
      await until(source.tally.live == 0)
      try #require(source.tally.live == 0)
    }
  }
}

extension EventNames {
  fileprivate static let untilNumber = EventName<Int>("until.number")
}
