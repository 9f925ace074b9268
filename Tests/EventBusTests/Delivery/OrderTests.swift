import EventBus
import TestSupport
import Testing

@Suite("Order of delivery")
struct OrderTests {
  @Test("Priorities are ordered from low over normal to high, with any integer between")
  func priorities() {
    #expect(Priority.low < .normal)
    #expect(Priority.normal < .high)
    let between: Priority = 1
    #expect(Priority.normal < between)
    #expect(between < 2)
    let negative: Priority = -1
    #expect(negative < .normal)
    #expect(Priority.normal == 0)
  }

  @Test(
    "Higher priorities come first, equal ones in registration order, after any cancellations",
    arguments: 1...4
  )
  func sameOnEveryRun(seed: Int) {
    struct Place: Equatable {
      let priority: Int
      let index: Int
    }
    let bus = EventBus()
    let log = Log<Place>()
    var numbers = SampleNumbers(seed: seed)
    var kept: [(place: Place, token: Token)] = []
    for index in 0..<300 {
      let place = Place(priority: numbers.next(below: 9) - 4, index: index)
      let token = bus.observe(.nothing, priority: Priority(integerLiteral: place.priority)) {
        log.append(place)
      }
      kept.append((place, token))
      if numbers.next(below: 3) == 0 {
        kept.remove(at: numbers.next(below: kept.count)).token.cancel()
      }
    }
    let expected = kept.map(\.place).sorted { ($1.priority, $0.index) < ($0.priority, $1.index) }
    #expect(bus.post(.nothing) == expected.count)
    #expect(bus.post(.nothing) == expected.count)
    #expect(log.entries == expected + expected)
    withExtendedLifetime(kept) {}
  }

  @Test("Handlers with and without an owner share one order")
  func ownersShareTheOrder() {
    let bus = EventBus()
    let log = Log<String>()
    let (plain, lived) = (PlainOwner(), LivedOwner())
    let tokens = [
      bus.observe(.nothing) { log.append("first") },
      bus.observe(.nothing, owner: plain) { _, _ in log.append("second") },
      bus.observe(.nothing, owner: lived, priority: .high) { _, _ in log.append("high") },
      bus.observe(.nothing) { log.append("third") },
    ]
    bus.post(.nothing)
    #expect(log.entries == ["high", "first", "second", "third"])
    withExtendedLifetime((tokens, plain, lived)) {}
  }

  @MainActor
  @Test("Handlers on and off the caller's actor share one order")
  func isolationsShareTheOrder() {
    let bus = EventBus()
    let log = Log<String>()
    let tokens = [
      bus.observe(.nothing) { log.append("main 1") },
      observeOffActor(bus) { log.append("off 2") },
      bus.observe(.nothing, priority: .low) { log.append("main 4") },
      observeOffActor(bus) { log.append("off 3") },
    ]
    bus.post(.nothing)
    #expect(log.entries == ["main 1", "off 2", "off 3", "main 4"])
    withExtendedLifetime(tokens) {}
  }

  private nonisolated func observeOffActor(
    _ bus: EventBus,
    _ body: @escaping @Sendable () -> Void
  ) -> Token {
    bus.observe(.nothing) { body() }
  }
}
