import EventBus
import TestSupport
import Testing

@Suite("Streams of events in tasks that are cancelled", .timeLimit(.minutes(5)))
struct StreamCancellationTests {
  @Test("A task that was cancelled before is given nil, also when something is buffered")
  func before() async {
    let bus = EventBus()
    let stream = bus.events(.number)
    bus.post(.number, 1)
    let taking = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }  // Reason: used in place.
      var events = stream.makeAsyncIterator()
      return [await events.next(), await events.next()]
    }
    #expect(await taking.value == [nil, nil])
    var events = stream.makeAsyncIterator()
    #expect(await events.next() == 1)
  }

  @Test("A task that is cancelled while it waits is given nil, and the loop ends")
  func during() async {
    let bus = EventBus()
    let (isLive, inbox) = (ManualLatch(), Inbox<Int>())
    let looping = Task {
      let stream = bus.events(.number)
      isLive.open()
      for await value in stream { inbox.append(value) }
    }
    await isLive.wait()
    bus.post(.number, 1)
    _ = await inbox.first(1)
    for _ in 0..<10 { await Task.yield() }
    looping.cancel()
    await looping.value
    #expect(inbox.entries == [1])
    #expect(bus.signal(.number).observerCount == 0)
    #expect(bus.post(.number, 2) == 0)
  }

  @Test("A cancellation does not end the stream for another task")
  func anotherTask() async {
    let bus = EventBus()
    let stream = bus.events(.number)
    let waiting = Task {
      var events = stream.makeAsyncIterator()
      return await events.next()
    }
    for _ in 0..<10 { await Task.yield() }
    waiting.cancel()
    #expect(await waiting.value == nil)
    bus.post(.number, 1)
    var events = stream.makeAsyncIterator()
    #expect(await events.next() == 1)
  }

  @Test("Cancelled while an event arrives, the event is given to it or to the next, never lost")
  func racing() async {
    for round in 0..<1_000 {
      let bus = EventBus()
      let stream = bus.events(.number)
      let waiting = Task {
        var events = stream.makeAsyncIterator()
        return await events.next()
      }
      if round.isMultiple(of: 2) { await Task.yield() }
      await onThreads(2) { thread in
        if thread == 0 { bus.post(.number, 1) } else { waiting.cancel() }
      }
      let first = await waiting.value
      bus.post(.number, 2)
      var events = stream.makeAsyncIterator()
      #expect(await events.next() == (first == nil ? 1 : 2))
    }
  }

  @Test("Tasks that share a stream take each element once")
  func shared() async {
    let bus = EventBus()
    let (lifetime, inbox) = (Lifetime(), Inbox<Int>())
    let stream = bus.events(.number, until: lifetime)
    let taking = (0..<3).map { _ in Task { for await value in stream { inbox.append(value) } } }
    for value in 0..<300 {
      bus.post(.number, value)
      if value.isMultiple(of: 10) { await Task.yield() }
    }
    lifetime.end()
    for task in taking { await task.value }
    #expect(inbox.entries.sorted() == Array(0..<300))
  }
}
