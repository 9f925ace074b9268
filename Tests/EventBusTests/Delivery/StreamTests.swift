import EventBus
import TestSupport
import Testing

@Suite("Event streams", .timeLimit(.minutes(5)))
struct StreamTests {
  @Test("A stream receives events from the call on, not from the first iteration on")
  func liveFromTheCall() async {
    let bus = EventBus()
    bus.post(.number, 0)
    let stream = bus.events(.number)
    for value in 1...3 { #expect(bus.post(.number, value) == 1) }
    var heard: [Int] = []
    for await value in stream {
      heard.append(value)
      if value == 3 { break }
    }
    #expect(heard == [1, 2, 3])
  }

  @Test("Dropping a stream ends its registration and frees the buffered events")
  func dropping() {
    let bus = EventBus()
    let name = EventName<Tally.Probe>("sample.probe in a stream")
    let tally = Tally()
    var stream: EventStream<Tally.Probe>? = bus.events(name)
    bus.post(name, tally.probe())
    #expect(bus.signal(name).observerCount == 1)
    #expect(tally.live == 1)
    withExtendedLifetime(stream) {}
    stream = nil
    #expect(bus.signal(name).observerCount == 0)
    #expect(tally.live == 0)
    #expect(bus.post(name, tally.probe()) == 0)
    withExtendedLifetime(stream) {}
  }

  @Test("An iterator retains the registration of its stream")
  func iteratorKeeps() async {
    let bus = EventBus()
    var events: EventStream<Int>.Iterator? = bus.events(.number).makeAsyncIterator()
    #expect(bus.post(.number, 1) == 1)
    #expect(await events?.next() == 1)
    events = nil
    #expect(bus.signal(.number).observerCount == 0)
    withExtendedLifetime(events) {}
  }

  @Test("Leaving the loop ends the registration")
  func leavingTheLoop() async {
    let bus = EventBus()
    let isLive = ManualLatch()
    let looping = Task {
      let stream = bus.events(.number)
      isLive.open()
      for await value in stream where value == 2 { return value }
      return 0
    }
    await isLive.wait()
    for value in 1...3 { bus.post(.number, value) }
    #expect(await looping.value == 2)
    #expect(bus.signal(.number).observerCount == 0)
  }

  @Test("A stream does not retain its bus, and ends after the buffered events when the bus dies")
  func busDies() async {
    var bus: EventBus? = EventBus()
    weak let watched = bus
    let stream = bus?.events(.number)
    bus?.post(.number, 1)
    withExtendedLifetime(bus) {}
    bus = nil
    #expect(watched == nil)
    var events = stream?.makeAsyncIterator()
    #expect(await events?.next() == 1)
    #expect(await events?.next() == nil)
    #expect(await events?.next() == nil)
    withExtendedLifetime(bus) {}
  }

  @Test("A stream ends with its lifetime: before, between and during waits")
  func lifetime() async {
    let bus = EventBus()
    let lifetime = Lifetime()
    let stream = bus.events(.number, until: lifetime)
    let waiting = Task {
      var count = 0
      for await _ in stream { count += 1 }
      return count
    }
    bus.post(.number, 1)
    lifetime.end()
    #expect(await waiting.value == 1)
    #expect(bus.post(.number, 2) == 0)
    var late = bus.events(.number, until: lifetime).makeAsyncIterator()
    #expect(await late.next() == nil)
    #expect(bus.signal(.number).observerCount == 0)
  }

  @Test("A stream does not retain its lifetime")
  func doesNotKeepTheLifetime() async {
    let bus = EventBus()
    var lifetime: Lifetime? = Lifetime()
    weak let watched = lifetime
    let stream = bus.events(.number, until: lifetime)
    lifetime = nil
    #expect(watched == nil)
    var events = stream.makeAsyncIterator()
    #expect(await events.next() == nil)
    withExtendedLifetime(lifetime) {}
  }

  @Test(
    "Keeping the oldest or newest events, a stream counts the discarded ones",
    arguments: [true, false]
  )
  func buffers(keepsOldest: Bool) async {
    let bus = EventBus()
    let stream = bus.events(
      .number,
      buffering: keepsOldest ? .bufferingOldest(2) : .bufferingNewest(2)
    )
    let reached = (1...5).map { bus.post(.number, $0) }
    #expect(reached == (keepsOldest ? [1, 1, 0, 0, 0] : [1, 1, 1, 1, 1]))
    #expect(stream.droppedCount == 3)
    var events = stream.makeAsyncIterator()
    let heard = [await events.next(), await events.next()]
    #expect(heard == (keepsOldest ? [1, 2] : [4, 5]))
    bus.post(.number, 6)
    #expect(await events.next() == 6)
    #expect(stream.droppedCount == 3)
  }

  @Test(
    "A discarded payload may post to the stream in its deinit",
    arguments: [true, false]
  )
  func discardedPosts(keepsOldest: Bool) async {
    let bus = EventBus()
    let name = EventName<Parcel>("sample.parcel in a stream")
    let stream = bus.events(
      name,
      buffering: keepsOldest ? .bufferingOldest(1) : .bufferingNewest(1)
    )
    // With the oldest kept, 2 is discarded and posts 3, which is discarded. With the newest kept, 1
    // is discarded and posts 3, which displaces 2, which posts another 3, which displaces the first
    // one.
    for number in 1...2 {
      bus.post(name, Parcel(number) { bus.post(name, Parcel(3)) })
    }
    #expect(stream.droppedCount == (keepsOldest ? 2 : 3))
    var events = stream.makeAsyncIterator()
    let taken = await events.next()
    #expect(taken?.number == (keepsOldest ? 1 : 3))
  }

  @Test("A delivered payload may post to the stream in its deinit")
  func takenPosts() async {
    let bus = EventBus()
    let name = EventName<Parcel>("sample.parcel out of a stream")
    let stream = bus.events(name)
    bus.post(name, Parcel(1) { bus.post(name, Parcel(2) { bus.post(name, Parcel(3)) }) })
    var (events, numbers) = (stream.makeAsyncIterator(), [Int]())
    for _ in 1...3 { numbers.append(await events.next()?.number ?? 0) }
    #expect(numbers == [1, 2, 3])
  }

  @Test("A payload left in the stream may post in its deinit when the stream is freed")
  func leftPosts() {
    let bus = EventBus()
    let (name, inbox) = (EventName<Parcel>("sample.parcel left in a stream"), Inbox<Int>())
    let token = bus.observe(.number) { inbox.append($0) }
    var stream: EventStream<Parcel>? = bus.events(name)
    for number in 1...2 {
      bus.post(
        name,
        Parcel(number) {
          bus.post(.number, number)
          bus.post(name, Parcel(3))
        }
      )
    }
    #expect(inbox.entries.isEmpty)
    withExtendedLifetime(stream) {}
    stream = nil
    #expect(inbox.entries == [1, 2])
    withExtendedLifetime((stream, token)) {}
  }
}

/// A number that does something as it is freed.
private final class Parcel: Sendable {
  let number: Int
  private let last: AtDeinit

  init(_ number: Int, _ body: @escaping @Sendable () -> Void = {}) {
    self.number = number
    last = AtDeinit(body)
  }
}
