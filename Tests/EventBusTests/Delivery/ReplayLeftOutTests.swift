import EventBus
import TestSupport
import Testing

extension EventNames {
  fileprivate static let kept = EventName<Int>("sample.replay.left out", replay: 3)
}

@Suite("Replay of events that some observers missed", .timeLimit(.minutes(5)))
struct ReplayLeftOutTests {
  @Test("An event posted with an exclusion is kept for later observers")
  func excluded() {
    let bus = EventBus()
    let (own, others) = (Log<Int>(), Log<Int>())
    let token = bus.observe(.kept) { own.append($0) }
    #expect(bus.post(.kept, 1, excluding: token) == 0)
    let other = bus.observe(.kept) { others.append($0) }
    #expect(bus.post(.kept, 2, excluding: token) == 1)
    #expect(bus.post(.kept, 3) == 2)
    #expect(own.entries == [3])
    #expect(others.entries == [1, 2, 3])
    #expect(bus.latest(.kept) == 3)
    withExtendedLifetime((token, other)) {}
  }

  @Test("An observer that excluded itself and registers again receives the event")
  func excludedComesBack() {
    let bus = EventBus()
    let log = Log<Int>()
    var missed: [Int] = []
    // Often enough to reuse the slot of the excluded registration.
    for value in 1...100 {
      let token = bus.observe(.kept) { _ in }
      bus.post(.kept, value, excluding: token)
      token.cancel()
      let again = bus.observe(.kept) { log.append($0) }
      if log.entries.last != value { missed.append(value) }
      again.cancel()
    }
    #expect(missed == [])
  }

  @Test("An event posted during the replay with an exclusion is delivered to the new observer")
  func excludingDuringTheHandOver() {
    let bus = EventBus()
    let (own, log) = (Log<Int>(), Log<Int>())
    let token = bus.observe(.kept) { own.append($0) }
    bus.post(.kept, 1)
    let other = bus.observe(.kept) { [unowned bus] value in
      log.append(value)
      if value == 1 { bus.post(.kept, 2, excluding: token) }
    }
    #expect(own.entries == [1])
    #expect(log.entries == [1, 2])
    withExtendedLifetime((token, other)) {}
  }

  @Test("An event missed by a paused observer is kept and not delivered when it resumes")
  func paused() {
    let bus = EventBus()
    let (log, late) = (Log<Int>(), Log<Int>())
    let token = bus.observe(.kept) { log.append($0) }
    let pause = token.pause()
    #expect(bus.post(.kept, 1) == 0)
    #expect(bus.latest(.kept) == 1)
    let other = bus.observe(.kept) { late.append($0) }
    #expect(bus.post(.kept, 2) == 1)
    pause.cancel()
    #expect(bus.post(.kept, 3) == 2)
    #expect(log.entries == [3])
    #expect(late.entries == [1, 2, 3])
    withExtendedLifetime((token, other)) {}
  }
}
