import EventBus
import TestSupport
import Testing

@Suite("Filtered streams", .timeLimit(.minutes(5)))
struct FilteredStreamTests {
  /// Returns what is buffered in a stream of a bus that has been released.
  private func rest(_ stream: EventStream<Int>?) async -> [Int] {
    var values: [Int] = []
    if let stream { for await value in stream { values.append(value) } }
    return values
  }

  @Test(
    "Filters apply before the buffer policy: declined payloads displace none, and are not dropped"
  )
  func beforeTheBuffer() async {
    let sender = SampleSender()
    var bus: EventBus? = EventBus()
    let newest = bus?.events(.number, where: { $0 < 3 }, buffering: .bufferingNewest(2))
    let oldest = bus?.events(.number, from: sender, buffering: .bufferingOldest(1))
    for value in 1...5 { bus?.post(.number, value) }
    bus?.post(.number, 6, from: sender)
    bus = nil
    #expect(newest?.droppedCount == 0)
    #expect(oldest?.droppedCount == 0)
    #expect(await rest(newest) == [1, 2])
    #expect(await rest(oldest) == [6])
    withExtendedLifetime(bus) {}
  }

  @Test("A stream neither retains its sender nor receives events of an object at the same address")
  func senderDies() {
    let bus = EventBus()
    var streams: [EventStream<Int>] = []
    let isReused = SampleSender.replaceAtSameAddress { sender in
      streams.append(bus.events(.number, from: sender))
    } replace: { sender in
      #expect(bus.post(.number, 1, from: sender) == 0)
    }
    #expect(isReused)
  }

  @Test("Filters apply to replayed payloads, which do not fill the buffer")
  func replayed() async {
    let name = EventName<Int>("sample.replayed to filtered streams", replay: 8)
    let sender = SampleSender()
    var bus: EventBus? = EventBus()
    for value in 1...4 { bus?.post(name, value) }
    bus?.post(name, 5, from: sender)
    let even = bus?.events(name, where: { $0.isMultiple(of: 2) }, buffering: .bufferingOldest(2))
    let sent = bus?.events(name, from: sender, where: { $0 > 4 }, buffering: .bufferingNewest(1))
    bus?.post(name, 7)
    bus = nil
    #expect(even?.droppedCount == 0)
    #expect(await rest(even) == [2, 4])
    #expect(await rest(sent) == [5])
    withExtendedLifetime(bus) {}
  }

  @Test("A filtered stream ends with its lifetime, and releases its predicate")
  func lifetime() async {
    let bus = EventBus()
    let (lifetime, tally) = (Lifetime(), Tally())
    let stream = bus.events(
      .number,
      where: { [probe = tally.probe()] value in
        probe.touch()
        return value > 1
      },
      until: lifetime
    )
    bus.post(.number, 1)
    bus.post(.number, 2)
    lifetime.end()
    #expect(tally.live == 0)
    #expect(bus.post(.number, 3) == 0)
    #expect(await rest(stream) == [2])
  }

  @Test("A predicate may end its own stream")
  func endsItself() async {
    let bus = EventBus()
    let lifetime = Lifetime()
    let stream = bus.events(
      .number,
      where: { value in
        if value == 2 { lifetime.end() }
        return true
      },
      until: lifetime
    )
    for value in 1...3 { bus.post(.number, value) }
    #expect(await rest(stream) == [1])
  }

  @Test("A stream of a signal filters in the same way")
  func signal() async {
    let sender = SampleSender()
    var signal: Signal<Int>? = Signal()
    let stream = signal?
      .events(
        from: sender,
        where: { $0 > 1 },
        buffering: .bufferingNewest(1),
        until: Lifetime.ended
      )
    #expect(signal?.observerCount == 0)
    #expect(await rest(stream) == [])
    let live = signal?.readOnly.events(
      from: sender,
      where: { $0 > 1 },
      buffering: .bufferingNewest(1)
    )
    for value in 1...3 { signal?.send(value, from: sender) }
    signal?.send(4)
    signal = nil
    #expect(live?.droppedCount == 1)
    #expect(await rest(live) == [3])
    withExtendedLifetime(signal) {}
  }
}
