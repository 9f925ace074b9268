import EventBus
import TestSupport
import Testing

@Suite("Events that know those of their registration")
struct LinkedEventsTests {
  private static func registration() -> ObserverRegistration {
    let list = ObserverList(numbers: RegistrationCounter())
    return ObserverRegistration(list, at: CallSite(#fileID, #line))
  }

  private static func ids(_ events: some Sequence<AnyQueuedEvent>) -> [ObjectIdentifier] {
    events.map { ObjectIdentifier($0) }
  }

  @Test("Additions, removals and moves in random order leave what a plain list leaves")
  func model() {
    var random = SampleNumbers(seed: 1)
    for _ in 0..<size(50, full: 200) {
      let registrations = (0..<5).map { _ in Self.registration() }
      var events = LinkedEvents()
      var model: [(event: AnyQueuedEvent, owner: Int)] = []
      for _ in 0..<rounds(300, debug: 150, sanitized: 50) {
        let owner = Int.random(in: 0..<5, using: &random)
        switch Int.random(in: 0..<40, using: &random) {
        case 0:
          var queue = BoundedQueue<AnyQueuedEvent>()
          events.moveAll(to: &queue)
          #expect(Self.ids(queue.elements) == Self.ids(model.map(\.event)))
          queue._checkInvariants()
          model = []
        case 1...3:
          let removed = events.removeAll(of: registrations[owner])
          let expected = model.filter { $0.owner == owner }.map(\.event)
          #expect(Self.ids(removed.reversed()) == Self.ids(expected))
          model.removeAll { $0.owner == owner }
        default:
          let event = AnyQueuedEvent(for: registrations[owner])
          events.append(event)
          model.append((event, owner))
        }
        let (count, isEmpty) = (events.count, events.isEmpty)
        #expect(count == model.count)
        #expect(isEmpty == model.isEmpty)
        events._checkInvariants()
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
    for order in 0..<3 {
      let registrations = (0..<count).map { _ in Self.registration() }
      var events = LinkedEvents()
      for _ in 0..<eventsEach {
        for registration in registrations { events.append(AnyQueuedEvent(for: registration)) }
      }
      var ending = registrations
      if order == 1 { ending.reverse() }
      if order == 2 { ending.shuffle(using: &random) }
      for registration in ending {
        let removed = events.removeAll(of: registration)
        #expect(removed.count == eventsEach)
      }
      let (isEmpty, steps) = (events.isEmpty, events.stepCount)
      #expect(isEmpty)
      // Each is removed once, and passed over by the renumbering no more than twice on average.
      #expect(steps <= 3 * count * eventsEach)
    }
  }

  @Test("A registration without waiting events costs no step, however many others wait")
  func nothingWaits() {
    let (busy, idle) = (Self.registration(), Self.registration())
    var events = LinkedEvents()
    events.append(AnyQueuedEvent(for: idle))
    var queue = BoundedQueue<AnyQueuedEvent>()
    events.moveAll(to: &queue)
    for _ in 0..<1_000 { events.append(AnyQueuedEvent(for: busy)) }
    let removed = events.removeAll(of: idle)
    let (steps, count) = (events.stepCount, events.count)
    #expect(removed.isEmpty)
    #expect(steps == 0)
    #expect(count == 1_000)
  }
}
