import EventBus
import TestSupport
import Testing

/// Threads that register, cancel and post at once.
///
/// Written to be run under ThreadSanitizer.
@Suite("Concurrent stress", .timeLimit(.minutes(5)))
struct StormTests {
  /// The state of one registration in a stress test.
  private final class Registration: Sendable {
    let thread = ThreadID.current
    let wasCancelled = Counter()
  }

  @Test(
    "No call begins on a thread after its cancel() returns, and every capture is freed once",
    arguments: 1...size(2, full: 4)
  )
  func registerCancelPost(seed: Int) async {
    let bus = EventBus()
    let tally = Tally()
    let (posts, reached, calls, late) = (Counter(), Counter(), Counter(), Counter())
    let steadyCalls = Counter()
    let steady = bus.observe(.number) { _ in steadyCalls.add() }

    @Sendable func register(_ kind: Int) -> (Token, Registration) {
      let registration = Registration()
      let handler: @Sendable (Int) -> Void = { [probe = tally.probe()] _ in
        probe.touch()
        calls.add()
        if registration.wasCancelled.value > 0, registration.thread == .current { late.add() }
      }
      let token =
        switch kind {
        case 0: bus.observe(.number, once: true, handler)
        case 1: bus.observe(.number, priority: .high, handler)
        case 2: bus.observe(.number, priority: .low, handler)
        default: bus.observe(.number, handler)
        }
      return (token, registration)
    }

    await onThreads(4) { thread in
      var numbers = SampleNumbers(seed: 10 * seed + thread)
      var mine: [(token: Token, registration: Registration)] = []
      for _ in 0..<400 {
        mine.append(register(numbers.next(below: 8)))
        if mine.count > 8 {
          let gone = mine.remove(at: numbers.next(below: mine.count))
          gone.token.cancel()
          gone.registration.wasCancelled.add()
        }
        if numbers.next(below: 2) == 0 {
          posts.add()
          reached.add(bus.post(.number, 1))
        }
      }
    }
    #expect(late.value == 0)
    #expect(steadyCalls.value == posts.value)
    #expect(reached.value == calls.value + steadyCalls.value)
    #expect(tally.live == 0)
    #expect(tally.created == 1_600)
    #expect(bus.signal(.number).observerCount == 1)
    withExtendedLifetime(steady) {}
  }

  @Test("Every permanent observer receives each event once, in the order of its posting thread")
  func steadyObservers() async {
    let bus = EventBus()
    let (posters, events) = (3, 200)
    let logs = (0..<4).map { _ in Log<[Int]>() }
    let name = EventName<[Int]>("sample.storm")
    let steady = logs.enumerated().map { index, log in
      bus.observe(name, priority: Priority(integerLiteral: index / 2)) { log.append($0) }
    }
    await onThreads(posters + 1) { thread in
      if thread < posters {
        for event in 0..<events { bus.post(name, [thread, event]) }
      } else {
        var tokens: [Token] = []
        for round in 0..<500 {
          tokens.append(bus.observe(name, priority: Priority(integerLiteral: round % 3)) { _ in })
          if tokens.count > 20 { tokens.removeFirst(15) }
        }
      }
    }
    for log in logs {
      #expect(log.count == posters * events)
      for poster in 0..<posters {
        let heard = log.entries.filter { $0[0] == poster }.map { $0[1] }
        #expect(heard == Array(0..<events))
      }
    }
    withExtendedLifetime(steady) {}
  }

  @Test("Each post keeps priority and registration order during registrations and cancellations")
  func orderHolds() async {
    struct Place: Sendable {
      let priority: Int
      let thread: Int
      let number: Int
    }
    let bus = EventBus()
    let name = EventName<Log<Place>>("sample.storm of places")
    let disorder = Counter()
    await onThreads(3) { thread in
      var numbers = SampleNumbers(seed: thread)
      var tokens: [Token] = []
      for number in 0..<400 {
        if thread == 0 {
          let places = Log<Place>()
          bus.post(name, places)
          for (one, next) in zip(places.entries, places.entries.dropFirst()) {
            let isRight =
              one.priority > next.priority
              || one.priority == next.priority
                && (one.thread != next.thread || one.number < next.number)
            if !isRight { disorder.add() }
          }
        } else {
          let place = Place(priority: numbers.next(below: 3), thread: thread, number: number)
          tokens.append(
            bus.observe(name, priority: Priority(integerLiteral: place.priority)) {
              $0.append(place)
              yieldThread()
            }
          )
          if tokens.count > 10 { tokens.remove(at: numbers.next(below: tokens.count)).cancel() }
        }
      }
    }
    #expect(disorder.value == 0)
  }

  @Test("Owners that die on one thread during posts on another are never called dead")
  func dyingOwners() async {
    final class Owner: Sendable {
      let isGone = Counter()
      let tally: Tally
      let probe: Tally.Probe
      init(_ tally: Tally) {
        self.tally = tally
        probe = tally.probe()
      }
      deinit { isGone.add() }
    }
    let bus = EventBus()
    let (owners, captures) = (Tally(), Tally())
    let dead = Counter()
    await onThreads(3) { thread in
      for value in 0..<500 {
        if thread == 0 {
          bus.post(.number, value)
        } else {
          let owner = Owner(owners)
          bus.observe(.number, owner: owner) { [probe = captures.probe()] owner, _ in
            probe.touch()
            if owner.isGone.value > 0 { dead.add() }
            yieldThread()
          }
          if value.isMultiple(of: 3) { yieldThread() }  // Reason: others overlap.
        }
      }
    }
    #expect(dead.value == 0)
    #expect(owners.live == 0)
    bus.post(.number, 0)
    #expect(captures.live == 0)
    #expect(bus.signal(.number).observerCount == 0)
  }

  @Test("Owners with a lifetime that die under contention leave nothing, without a further post")
  func dyingLifetimes() async {
    let bus = EventBus()
    let captures = Tally()
    await onThreads(3) { thread in
      for value in 0..<500 {
        if thread == 0 {
          bus.post(.number, value)
        } else {
          let owner = LivedOwner()
          bus.observe(.number, owner: owner) { [probe = captures.probe()] owner, value in
            probe.touch()
            owner.log.append(value)
          }
        }
      }
    }
    #expect(captures.live == 0)
    #expect(bus.signal(.number).observerCount == 0)
  }

  @Test("A bus that dies while threads cancel its tokens frees every capture once")
  func dyingBus() async {
    for _ in 0..<rounds(100, debug: 30, sanitized: 30) {
      let tally = Tally()
      let bus = Holder(EventBus())
      let owner = LivedOwner()
      let tokens = (0..<40).map { index in
        index.isMultiple(of: 4)
          ? bus.value?.observe(.number, owner: owner) { [probe = tally.probe()] _, _ in
            probe.touch()
          }
          : bus.value?.observe(.number, priority: Priority(integerLiteral: index % 3)) {
            [probe = tally.probe()] _ in probe.touch()
          }
      }
      await onThreads(3) { thread in
        switch thread {
        case 0: bus.letGo()
        case 1: for token in tokens { token?.cancel() }
        default: for token in tokens.reversed() { token?.cancel() }
        }
      }
      #expect(tally.freed == 40)
      #expect(tokens.allSatisfy { $0?.isActive == false })
    }
  }

  @Test("Signals and names resolved for the first time by many threads are the same object")
  func firstUse() async {
    for _ in 0..<rounds(100, debug: 30, sanitized: 30) {
      let bus = EventBus()
      let heard = Counter()
      let bag = TokenBag()
      await onThreads(3) { _ in bus.observe(.number) { _ in heard.add() }.store(in: bag) }
      #expect(bus.post(.number, 1) == 3)
      #expect(heard.value == 3)
    }
  }
}
