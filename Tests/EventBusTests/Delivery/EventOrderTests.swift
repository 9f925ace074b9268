import EventBus
import TestSupport
import Testing

@Suite("The order of events that wait for one actor")
struct EventOrderTests {
  /// A handler with the numbers of its events.
  private final class Handler {
    let events: HandlerEvents<AtDeinit>

    init() {
      let list = ObserverList(counts: ListCounts())
      events = HandlerEvents(for: ObserverRegistration(list, at: CallSite(#fileID, #line)))
    }

    func add(to order: inout EventOrder, freeing freed: Counter? = nil) {
      let origin = EventOrigin(Post(at: events.registration.site))
      events.append(AtDeinit { freed?.add() }, origin)
      order.append(events)
    }

    /// Removes the events, and returns their number.
    func remove(from order: inout EventOrder) -> Int {
      let count = events.arrivedCount
      let removed = (count == 0 ? nil : events.removeArrived(), order.remove(count))
      withExtendedLifetime(removed) {}
      return count
    }
  }

  /// Takes all events, opens them, and returns the objects that held them.
  private static func open(_ order: inout EventOrder) -> [ObjectIdentifier] {
    var batch = EventOrder()
    let gaps = order.take(into: &batch)
    withExtendedLifetime(gaps) {}
    batch._checkInvariants()
    var opened: [ObjectIdentifier] = []
    while let events = batch.first {
      // One after another, as if other handlers' events came in between.
      var isFirst = true
      _ = events.open(noting: nil) {
        defer { isFirst = false }
        guard isFirst, batch.popFirst(of: events) else { return false }
        opened.append(ObjectIdentifier(events))
        return true
      }
    }
    return opened
  }

  @Test("Additions, removals and turns in random order leave what a plain list leaves")
  func model() {
    var random = SampleNumbers(seed: 1)
    for _ in 0..<size(50, full: 200) {
      var handlers = (0..<5).map { _ in Handler() }
      let freed = Counter()
      var order = EventOrder()
      var model: [Int] = []
      var added = 0
      for _ in 0..<rounds(300, debug: 150, sanitized: 50) {
        let index = Int.random(in: 0..<5, using: &random)
        switch Int.random(in: 0..<40, using: &random) {
        case 0:
          #expect(Self.open(&order) == model.map { ObjectIdentifier(handlers[$0].events) })
          model = []
        case 1...3:
          let removed = handlers[index].remove(from: &order)
          #expect(removed == model.count { $0 == index })
          model.removeAll { $0 == index }
          // Nothing arrives for a registration that has ended.
          handlers[index] = Handler()
        default:
          added += 1
          handlers[index].add(to: &order, freeing: freed)
          model.append(index)
        }
        let (count, isEmpty) = (order.count, order.isEmpty)
        #expect(count == model.count)
        #expect(isEmpty == model.isEmpty)
        #expect(freed.value == added - model.count)
        order._checkInvariants()
      }
    }
  }

  @Test(
    "The end of all registrations takes steps in proportion to their events",
    arguments: [1, 3]
  )
  func steps(eventsEach: Int) {
    let count = 2_000
    var random = SampleNumbers(seed: 2)
    for kind in 0..<3 {
      let handlers = (0..<count).map { _ in Handler() }
      var order = EventOrder()
      for _ in 0..<eventsEach {
        for handler in handlers { handler.add(to: &order) }
      }
      var ending = handlers
      if kind == 1 { ending.reverse() }
      if kind == 2 { ending.shuffle(using: &random) }
      for handler in ending { #expect(handler.remove(from: &order) == eventsEach) }
      let (isEmpty, steps) = (order.isEmpty, order.stepCount)
      #expect(isEmpty)
      // Each entry is looked at no more than twice on average.
      #expect(steps <= 2 * count * eventsEach)
    }
  }

  @Test("A registration without waiting events costs no step, however many others wait")
  func nothingWaits() {
    let (busy, idle) = (Handler(), Handler())
    var order = EventOrder()
    idle.add(to: &order)
    _ = Self.open(&order)
    for _ in 0..<1_000 { busy.add(to: &order) }
    #expect(idle.remove(from: &order) == 0)
    let (steps, count) = (order.stepCount, order.count)
    #expect(steps == 0)
    #expect(count == 1_000)
  }
}
