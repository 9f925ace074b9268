import EventBus
import TestSupport
import Testing

@Suite("Event names")
struct EventNameTests {
  @Test("A name keeps the string it was made with")
  func keepsItsString() {
    #expect(EventNames.number.rawValue == "sample.number")
  }

  @Test("Names with one string and one payload type are equal, wherever they were made")
  func equalNames() {
    let elsewhere = EventName<Int>("sample.number")
    #expect(elsewhere == EventNames.number)
    #expect(elsewhere.hashValue == EventNames.number.hashValue)
  }

  @Test("Names with one string are equal even if they ask for different replay counts")
  func replayIsNoPartOfTheIdentity() {
    #expect(EventName<Int>("sample.replayed", replay: 2) == EventName<Int>("sample.replayed"))
  }

  @Test("Names with different strings are different")
  func differentStrings() {
    #expect(EventName<Int>("sample.number ") != EventNames.number)
    #expect(EventName<Int>("Sample.number") != EventNames.number)
  }

  @Test("The same string with another payload type is another name")
  func differentPayloads() {
    let number: EventNames = EventName<Int>("sample.one string")
    let text: EventNames = EventName<String>("sample.one string")
    let maybe: EventNames = EventName<Int?>("sample.one string")
    #expect(Set([number, text, maybe]).count == 3)
  }

  @Test("Names of all payloads share a set, where equal ones fall together")
  func namesInASet() {
    let again = EventName<Int>("sample.number")
    let names: Set<EventNames> = [EventNames.number, EventNames.text, again]
    #expect(names == [.text, .number])
  }

  @Test("An event posted under one name reaches who observed an equal name made elsewhere")
  func equalNamesAreOneEvent() {
    let bus = EventBus()
    let log = Log<Int>()
    let token = bus.observe(EventName<Int>("sample.made twice")) { log.append($0) }
    #expect(bus.post(EventName<Int>("sample.made twice"), 1) == 1)
    #expect(log.entries == [1])
    withExtendedLifetime(token) {}
  }

  @Test("One string with two payload types is two events that do not disturb each other")
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

  @Test("Names made for the first time by many threads at once are one event")
  func racingNames() async {
    let bus = EventBus()
    let (threads, rounds) = (2, 2_000)
    let names = Log<EventNames>()
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

  @Test("A name without a character traps and says so")
  func emptyName() async throws {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      _ = EventName<Int>("")
    }
    let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(message.localized(contains: "empty"))
    #expect(message.localized(contains: "name"))
  }

  @Test("A string of blanks is a name")
  func blankName() {
    #expect(EventName<Int>(" ").rawValue == " ")
  }
}

extension String {
  fileprivate func localized(contains word: String) -> Bool { lowercased().contains(word) }
}
