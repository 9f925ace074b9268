import EventBus
import TestSupport
import Testing

@Suite("Event names")
struct EventNameTests {
  @Test("Names with the same string and payload type are equal, wherever they were created")
  func equalNames() {
    let elsewhere = EventName<Int>("sample.number")
    #expect(elsewhere == EventNames.number)
    #expect(elsewhere.hashValue == EventNames.number.hashValue)
  }

  @Test("Names with the same string are equal even if their replay counts differ")
  func replayIsNoPartOfTheIdentity() {
    #expect(EventName<Int>("sample.replayed", replay: 2) == EventName<Int>("sample.replayed"))
  }

  @Test("Names with different strings are not equal")
  func differentStrings() {
    #expect(EventName<Int>("sample.number ") != EventNames.number)
    #expect(EventName<Int>("Sample.number") != EventNames.number)
  }

  @Test("Names with the same string and different payload types are not equal")
  func differentPayloads() {
    let number: EventNames = EventName<Int>("sample.one string")
    let text: EventNames = EventName<String>("sample.one string")
    let maybe: EventNames = EventName<Int?>("sample.one string")
    #expect(Set([number, text, maybe]).count == 3)
  }

  @Test("One string with two payload types names two independent events")
  func oneStringTwoPayloads() {
    let bus = EventBus()
    let numbers = Log<Int>()
    let texts = Log<String>()
    let tokens = [
      bus.observe(EventName<Int>("sample.shared string")) { numbers.append($0) },
      bus.observe(EventName<String>("sample.shared string")) { texts.append($0) },
    ]
    #expect(bus.post(EventName<Int>("sample.shared string"), 1) == 1)
    #expect(bus.post(EventName<String>("sample.shared string"), "one") == 1)
    #expect(bus.post(EventName<Bool>("sample.shared string"), true) == 0)
    #expect(numbers.entries == [1])
    #expect(texts.entries == ["one"])
    withExtendedLifetime(tokens) {}
  }

  @Test("Names created for the first time by many threads at once name one event")
  func racingNames() async {
    let bus = EventBus()
    let (threads, rounds) = (2, size(500, full: 2_000))
    let names = Log<AnyEventName>()
    let heard = Counter()
    let bag = TokenBag()
    let gate = StartGate(threads)
    await onThreads(threads) { _ in
      for round in 0..<rounds {
        gate.arriveAndWait()
        let name = EventName<Int>("sample.race \(round)")
        names.append(name)
        bus.observe(name) { _ in heard.add() }.store(in: bag)
      }
    }
    #expect(Set(names.entries).count == rounds)
    for round in 0..<rounds {
      let reached = bus.post(EventName<Int>("sample.race \(round)"), 0)
      #expect(reached == threads)
    }
    #expect(heard.value == threads * rounds)
    bag.cancelAll()
  }

  @Test("Names of any payload are elements of one collection, written with a leading dot")
  func anyNames() {
    let names: [AnyEventName] = [.number, .text, .number]
    #expect(Set(names) == [.text, .number])
    #expect(names.contains(EventName<Int>("sample.number")))
    #expect(!names.contains(EventName<String>("sample.number")))
  }
}
