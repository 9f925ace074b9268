import EventBus
import TestSupport
import Testing

@Suite("Recorders", .timeLimit(.minutes(5)))
struct RecorderTests {
  @Test("A recorder records every later event of the bus, in order, with or without observers")
  func everyEvent() {
    let bus = EventBus()
    bus.post(.number, 0)
    let recorder = EventRecorder(bus)
    let token = bus.observe(.text) { [unowned bus] _ in bus.post(.nothing) }
    bus.post(.number, 1)
    bus.post(.text, "two")
    #expect(recorder.events.map(\.name) == ["sample.number", "sample.text", "sample.nothing"])
    #expect(recorder.events.first?.payload as? Int == 1)
    withExtendedLifetime(token) {}
  }

  @Test("A recorder does not count as having handled an event")
  func doNotCount() {
    let bus = EventBus()
    let recorder = EventRecorder(bus)
    #expect(bus.post(.number, 1) == 0)
    #expect(recorder.events.count == 1)
  }

  @Test("next() returns the first event not yet taken and waits for one if necessary")
  func next() async {
    let bus = EventBus()
    let recorder = EventRecorder(bus)
    bus.post(.number, 1)
    #expect(await recorder.next()?.payload as? Int == 1)
    let waiting = Task { await recorder.next()?.payload as? Int }
    for _ in 0..<10 { await Task.yield() }
    bus.post(.number, 2)
    #expect(await waiting.value == 2)
    #expect(recorder.events.count == 2)
  }

  @Test("A task cancelled while it waits receives nil")
  func cancelled() async {
    let recorder = EventRecorder(EventBus())
    let waiting = Task { await recorder.next()?.name }
    for _ in 0..<10 { await Task.yield() }
    waiting.cancel()
    #expect(await waiting.value == nil)
  }

  @Test("After the end of the bus, next() returns nil once all recorded events were taken")
  func afterTheEndOfTheBus() async {
    var bus: EventBus? = EventBus()
    let recorder = bus.map { EventRecorder($0) }
    bus?.post(.number, 1)
    bus = nil
    #expect(await recorder?.next()?.payload as? Int == 1)
    #expect(await recorder?.next() == nil)
    #expect(recorder?.events.count == 1)
    withExtendedLifetime(bus) {}
  }

  @Test("A recorder does not retain its bus and keeps its recorded events")
  func doesNotKeepTheBus() {
    var bus: EventBus? = EventBus()
    weak let watched = bus
    let recorder = bus.map { EventRecorder($0) }
    bus?.post(.number, 1)
    bus = nil
    #expect(watched == nil)
    #expect(recorder?.events.count == 1)
    withExtendedLifetime(bus) {}
  }

  @Test("A recorder records until it is released")
  func untilItDies() {
    let bus = EventBus()
    let name = EventName<Tally.Probe>("sample.probe on a tape")
    let tally = Tally()
    var recorder: EventRecorder? = EventRecorder(bus)
    bus.post(name, tally.probe())
    #expect(tally.live == 1)
    withExtendedLifetime(recorder) {}
    recorder = nil
    #expect(tally.live == 0)
    bus.post(name, tally.probe())
    #expect(tally.live == 0)
    withExtendedLifetime(recorder) {}
  }
}
