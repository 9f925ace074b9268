import EventBus
import TestSupport
import Testing

@Suite("Handlers added during a post")
struct AddedDuringPostTests {
  @Test(
    "A post skips a handler added during it, for every pair of priorities",
    arguments: [Priority.low, .normal, .high],
    [Priority.low, .normal, .high]
  )
  func everyPriority(adding: Priority, added: Priority) {
    let bus = EventBus()
    let log = Log<String>()
    let bag = TokenBag()
    bus.observe(.number) { log.append("old \($0)") }.store(in: bag)
    bus.observe(.number, priority: adding, once: true) { [unowned bus] _ in
      bus.observe(.number, priority: added) { log.append("added \($0)") }.store(in: bag)
    }.store(in: bag)
    #expect(bus.post(.number, 1) == 2)
    #expect(log.entries == ["old 1"])
    #expect(bus.post(.number, 2) == 2)
    #expect(Set(log.entries) == ["old 1", "old 2", "added 2"])
    bag.cancelAll()
  }

  @Test("A nested post that begins after a handler was added calls that handler")
  func calledByNestedPosts() {
    let bus = EventBus()
    let log = Log<String>()
    let bag = TokenBag()
    bus.observe(.number) { [unowned bus] value in
      guard value == 1 else { return }
      bus.observe(.number) { log.append("added \($0)") }.store(in: bag)
      #expect(bus.post(.number, 2) == 3)
    }.store(in: bag)
    bus.observe(.number) { log.append("old \($0)") }.store(in: bag)
    #expect(bus.post(.number, 1) == 2)
    #expect(log.entries == ["old 2", "added 2", "old 1"])
    bag.cancelAll()
  }

  @Test("A post skips all handlers added during it while others are cancelled")
  func storageGrowsMeanwhile() {
    let bus = EventBus()
    let log = Log<String>()
    let bag = TokenBag()
    let victims = (0..<20).map { index in
      bus.observe(.number, priority: .high) { _ in log.append("victim \(index)") }
    }
    bus.observe(.number, priority: .high, once: true) { [unowned bus] _ in
      for victim in victims { victim.cancel() }
      for index in 0..<100 {
        let priority: Priority = index.isMultiple(of: 2) ? .normal : .low
        bus.observe(.number, priority: priority) { _ in log.append("added") }.store(in: bag)
      }
    }.store(in: bag)
    let survivor = bus.observe(.number) { _ in log.append("survivor") }
    #expect(bus.post(.number, 1) == 22)
    #expect(log.count == 21)
    #expect(log.entries.last == "survivor")
    #expect(!log.entries.contains("added"))
    #expect(bus.post(.number, 2) == 101)
    withExtendedLifetime(survivor) { bag.cancelAll() }
  }
}
