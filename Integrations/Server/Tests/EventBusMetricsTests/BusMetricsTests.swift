internal import CoreMetrics
internal import EventBus
internal import EventBusTesting
internal import EventBusMetrics
internal import MetricsTestKit
internal import TestKit
internal import Testing

@Suite("Measuring a bus", .timeLimit(.minutes(1)))
struct BusMetricsTests {
  private let bus = EventBus()
  private let metrics = TestMetrics()
  private let clock = ManualClock()

  private func measure(_ bus: EventBus, prefix: String = "shop") -> Token {
    bus.startMeasuring(prefix: prefix, factory: metrics, interval: .seconds(10), clock: clock)
  }

  private func total(_ label: String, _ event: String) -> Int64 {
    metrics.counterTotal(label: label, dimensions: [("event", event)])
  }

  @Test("Posts, deliveries, errors and unhandled posts are counted by the name of the event")
  func counters() {
    let token = measure(bus)
    let handlers = [
      bus.observe(.number) { _ in }, bus.observe(.number) { _ in throw SampleError() },
      bus.observe(.other) { _ in },
    ]
    for _ in 0..<3 { bus.post(.number, 1) }
    bus.post(.other, 1)
    bus.post(.text, "")
    #expect(total("shop.posts", "sample.number") == 3)
    #expect(total("shop.deliveries", "sample.number") == 6)
    #expect(total("shop.errors", "sample.number") == 3)
    #expect(total("shop.posts", "sample.other") == 1)
    #expect(total("shop.errors", "sample.other") == 0)
    #expect(total("shop.unhandled", "sample.text") == 1)
    #expect(total("shop.unhandled", "sample.number") == 0)
    withExtendedLifetime((token, handlers)) {}
  }

  @Test("The time of every handler is recorded, of asynchronous ones from the call to the end")
  func durations() async throws {
    let token = measure(bus)
    let handlers = [
      bus.observe(.number) { _ in }, bus.observe(.number) { _ async in await Task.yield() },
    ]
    await bus.postAndWait(.number, 1)
    let timer = try metrics.expectTimer("shop.handler.duration", [("event", "sample.number")])
    #expect(timer.values.count == 2)
    #expect(timer.values.allSatisfy { $0 > 0 })
    withExtendedLifetime((token, handlers)) {}
  }

  @Test("An event that a consumer takes from a stream counts as a delivery that took no time")
  func streams() async throws {
    let token = measure(bus)
    let numbers = bus.events(.number)
    bus.post(.number, 1)
    #expect(total("shop.deliveries", "sample.number") == 0)
    for await number in numbers.prefix(1) { #expect(number == 1) }
    #expect(total("shop.deliveries", "sample.number") == 1)
    #expect(total("shop.unhandled", "sample.number") == 0)
    let timer = try metrics.expectTimer("shop.handler.duration", [("event", "sample.number")])
    #expect(timer.values.count == 1)
    withExtendedLifetime((token, numbers)) {}
  }

  @Test(
    "Events that a full buffer refuses or replaces are counted, and show in the gauge of the observers"
  )
  func drops() async throws {
    let token = measure(bus)
    let oldest = bus.events(.number, buffering: .bufferingOldest(1))
    let newest = bus.events(.number, buffering: .bufferingNewest(1))
    for index in 0..<5 { bus.post(.number, index) }
    #expect((oldest.droppedCount, newest.droppedCount) == (4, 4))
    #expect(total("shop.drops", "sample.number") == 8)
    await clock.waitForSleepers(atLeast: 1)
    await clock.advance(by: .seconds(10))
    await clock.waitForSleepers(atLeast: 1)
    let gauge = try metrics.expectRecorder("shop.observers.dropped", [("event", "sample.number")])
    #expect(gauge.values == [8])
    withExtendedLifetime((token, oldest, newest)) {}
  }

  @Test("Events that the buffer of an asynchronous handler replaces are counted")
  func replaced() async {
    let token = measure(bus)
    let begun = Inbox<Void>()
    let release = Inbox<Void>()
    let handler = bus.observe(.number, buffering: .bufferingNewest(1)) { _ async in
      begun.append(())
      await release.first(1)
    }
    bus.post(.number, 0)
    await begun.first(1)
    for index in 1...5 { bus.post(.number, index) }
    #expect(total("shop.drops", "sample.number") == 4)
    release.append(())
    withExtendedLifetime((token, handler)) {}
  }

  @Test("Gauges follow the observers and the events that wait, on the clock")
  func gauges() async throws {
    let token = measure(bus)
    let one = bus.observe(.number) { _ in }
    let two = bus.observe(.number) { _ in }
    await clock.waitForSleepers(atLeast: 1)
    await clock.advance(by: .seconds(10))
    await clock.waitForSleepers(atLeast: 1)
    let gauge = try metrics.expectRecorder("shop.observers", [("event", "sample.number")])
    #expect(gauge.values == [2])
    #expect(try metrics.expectRecorder("shop.mailbox.depth").values == [0])
    one.cancel()
    two.cancel()
    await clock.advance(by: .seconds(10))
    await clock.waitForSleepers(atLeast: 1)
    #expect(gauge.values == [2, 0])
    withExtendedLifetime(token) {}
  }

  @Test("The depth of the mailboxes is the number of events that wait for actors")
  func depth() async throws {
    let token = measure(bus)
    let owner = HeldActor()
    let handler = bus.observe(.number, owner: owner) { (_: isolated HeldActor, _: Int) in }
    for index in 0..<3 { bus.post(.number, index) }
    await clock.waitForSleepers(atLeast: 1)
    await clock.advance(by: .seconds(10))
    await clock.waitForSleepers(atLeast: 1)
    let gauge = try metrics.expectRecorder("shop.mailbox.depth")
    #expect(gauge.values == [3])
    owner.executor.release()
    await until(bus.snapshot().waitingCount == 0)
    await clock.advance(by: .seconds(10))
    await clock.waitForSleepers(atLeast: 1)
    #expect(gauge.values == [3, 0])
    withExtendedLifetime((token, handler)) {}
  }

  @Test("Nothing is counted after the token has ended, and nothing is made before an event")
  func ends() {
    let token = measure(bus)
    #expect(metrics.counters.isEmpty)
    bus.post(.number, 1)
    token.cancel()
    bus.post(.number, 2)
    #expect(total("shop.posts", "sample.number") == 1)
  }

  @Test("Without a backend nothing is measured, and no timer runs")
  func noBackend() async {
    let tokens = [
      bus.startMeasuring(clock: clock),
      bus.startMeasuring(factory: NOOPMetricsHandler.instance, clock: clock),
    ]
    await clock.waitUntilSettled()
    #expect(clock.sleeperCount == 0)
    let measured = measure(bus)
    await clock.waitForSleepers(atLeast: 1)
    withExtendedLifetime((tokens, measured)) {}
  }

  @Test("The number of metrics is bounded by the names, not by posts or handlers")
  func cardinality() {
    let token = measure(bus)
    let handlers = (0..<100).map { _ in bus.observe(.number) { _ in } }
    for index in 0..<100 { bus.post(.number, index) }
    #expect(metrics.counters.count == 5)
    #expect(metrics.timers.count == 1)
    withExtendedLifetime((token, handlers)) {}
  }

  @Test("The label of a bus is a dimension")
  func label() {
    let labeled = EventBus(label: "orders")
    let token = measure(labeled)
    labeled.post(.number, 1)
    let dimensions = [("bus", "orders"), ("event", "sample.number")]
    #expect(metrics.counterTotal(label: "shop.posts", dimensions: dimensions) == 1)
    withExtendedLifetime(token) {}
  }

  @Test("The timer of the gauges ends with the bus, which the token does not keep")
  func released() async {
    var bus: EventBus? = EventBus()
    weak let released = bus
    let token = bus.map { measure($0) }
    await clock.waitForSleepers(atLeast: 1)
    bus = nil
    #expect(released == nil)
    await clock.advance(by: .seconds(10))
    await clock.waitUntilSettled()
    #expect(clock.sleeperCount == 0)
    withExtendedLifetime(token) {}
  }

  @Test("Posts from many threads are all counted")
  func concurrent() async {
    let token = measure(bus)
    let handler = bus.observe(.number) { _ in }
    await onThreads(4) { [bus] _ in
      for index in 0..<500 { bus.post(.number, index) }
    }
    #expect(total("shop.posts", "sample.number") == 2_000)
    #expect(total("shop.deliveries", "sample.number") == 2_000)
    withExtendedLifetime((token, handler)) {}
  }
}
