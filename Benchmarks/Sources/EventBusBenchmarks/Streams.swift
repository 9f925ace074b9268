import Harness

/// Events taken one after the other by a task.
///
/// These rows count the processor time of all threads, both of posting code and of consumers.
enum Streams {
  static let rows = [
    Row(
      Figure("stream, 1,000 posted, then taken, per event", per: burst),
      // Without the channel, which has no buffer: a sender waits until its element is taken.
      entries: [collected(EventBusPipe.self), collected(AsyncStreamPipe.self)]
    ),
    Row(
      Figure("stream, 1,000 posted to a waiting task, per event", per: burst),
      entries: [
        awaited(EventBusPipe.self, burst), awaited(AsyncStreamPipe.self, burst),
        awaited(AsyncChannelPipe.self, burst),
      ]
    ),
    Row(
      Figure("stream, one by one"),
      entries: [
        awaited(EventBusPipe.self, 1), awaited(AsyncStreamPipe.self, 1),
        awaited(AsyncChannelPipe.self, 1),
      ]
    ),
  ]

  private static let burst = 1_000

  /// One task posts a burst and then takes it.
  private static func collected<P: BufferingPipe>(_: P.Type) -> Entry {
    Entry(P.subject) {
      { iterations in await collect(P.self, iterations) / Double(iterations) }
    }
  }

  @concurrent
  private static func collect<P: BufferingPipe>(_: P.Type, _ iterations: Int) async -> Double {
    let pipe = opaque(P())
    var iterator = pipe.events().makeAsyncIterator()
    var total = 0
    let time = await nanosecondsOfAllThreads {
      for _ in 0..<iterations {
        for _ in 0..<burst { pipe.put(1) }
        for _ in 0..<burst { total += await iterator.next(isolation: nil) ?? 0 }
      }
    }
    expectDeliveries(total, iterations * burst, by: P.subject)
    return time
  }

  /// One task posts a burst and waits until another, which was waiting for it, has taken it.
  private static func awaited<P: Pipe>(_: P.Type, _ burst: Int) -> Entry {
    Entry(P.subject) {
      { iterations in await pass(P.self, burst, iterations) / Double(iterations) }
    }
  }

  @concurrent
  private static func pass<P: Pipe>(_: P.Type, _ burst: Int, _ iterations: Int) async -> Double {
    let pipe = opaque(P())
    let baton = Baton()
    let events = pipe.events()
    let taker = Task.detached {
      var total = 0
      for await value in events {
        total += value
        if total % burst == 0 { baton.pass() }
      }
      return total
    }
    let time = await nanosecondsOfAllThreads {
      for _ in 0..<iterations {
        for _ in 0..<burst { await pipe.send(1) }
        await baton.wait()
      }
    }
    taker.cancel()
    expectDeliveries(await taker.value, iterations * burst, by: P.subject)
    return time
  }
}
