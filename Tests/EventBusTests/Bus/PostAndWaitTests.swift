import EventBus
import TestSupport
import Testing

@Suite("postAndWait", .timeLimit(.minutes(5)))
struct PostAndWaitTests {
  @Test("postAndWait returns when every handler has finished, including asynchronous ones")
  func everyHandler() async {
    let bus = EventBus()
    let log = Log<String>()
    let tokens = [
      bus.observe(.number) { log.append("sync \($0)") },
      bus.observe(.number) { value in
        await Task.yield()
        log.append("async \(value)")
      },
      bus.observe(.number) { @MainActor value in log.append("main \(value)") },
      bus.observe(.number) { @MainActor value in
        await Task.yield()
        log.append("async main \(value)")
      },
    ]
    #expect(await bus.postAndWait(.number, 1).reachedCount == 4)
    #expect(Set(log.entries) == ["sync 1", "async 1", "main 1", "async main 1"])
    #expect(log.count == 4)
    withExtendedLifetime(tokens) {}
  }

  @Test("postAndWait also waits for the events queued before it")
  func behindOthers() async {
    let bus = EventBus()
    let log = Log<Int>()
    let token = bus.observe(.number) { value in
      await Task.yield()
      log.append(value)
    }
    for value in 0..<10 { bus.post(.number, value) }
    #expect(await bus.postAndWait(.number, 10).reachedCount == 1)
    #expect(log.entries == Array(0...10))
    withExtendedLifetime(token) {}
  }

  @Test("postAndWait carries a sender")
  func sender() async {
    let bus = EventBus()
    let sender = SampleSender()
    let token = bus.observe(.number, from: sender) { _ in await Task.yield() }
    #expect(await bus.postAndWait(.number, 1, from: sender).reachedCount == 1)
    #expect(await bus.postAndWait(.number, 1).reachedCount == 0)
    withExtendedLifetime(token) {}
  }

  @Test("postAndWait does not return while a handler is running")
  func doesNotReturnEarly() async {
    let bus = EventBus()
    let (began, mayLeave, log) = (ManualLatch(), ManualLatch(), Log<String>())
    let token = bus.observe(.number) { _ in
      began.open()
      await mayLeave.wait()
      log.append("handled")
    }
    let waiting = Task {
      await bus.postAndWait(.number, 1)
      log.append("returned")
    }
    await began.wait()
    await rest()
    #expect(log.entries == [])
    mayLeave.open()
    await waiting.value
    #expect(log.entries == ["handled", "returned"])
    withExtendedLifetime(token) {}
  }

  @MainActor
  @Test("postAndWait on an actor calls its handlers synchronously and suspends while it waits")
  func onAnActor() async {
    let bus = EventBus()
    var shown: [String] = []
    let tokens = [
      bus.observe(.number) { shown.append("sync \($0)") },
      bus.observe(.number) { value in
        await Task.yield()
        shown.append("async \(value)")
      },
    ]
    #expect(await bus.postAndWait(.number, 1).reachedCount == 2)
    #expect(shown == ["sync 1", "async 1"])
    withExtendedLifetime(tokens) {}
  }

  @Test("postAndWait called from a handler does not wait for that call")
  func insideItsOwnHandler() async {
    let bus = EventBus()
    let inbox = Inbox<String>()
    let token = bus.observe(.number) { [unowned bus] value in
      inbox.append("begin \(value)")
      if value < 3 { await bus.postAndWait(.number, value + 1) }
      inbox.append("end \(value)")
    }
    await bus.postAndWait(.number, 1)
    let expected = (1...3).flatMap { ["begin \($0)", "end \($0)"] }
    #expect(await inbox.first(6) == expected)
    withExtendedLifetime(token) {}
  }

  @Test("postAndWait ignores its own call through a waiting handler and waits for the others")
  func insideAChain() async {
    let bus = EventBus()
    let log = Log<String>()
    let tokens = [
      bus.observe(.number) { [unowned bus] value in
        log.append("number \(value)")
        if value == 1 { await bus.postAndWait(.text, "text") }
        log.append("end \(value)")
      },
      bus.observe(.text) { [unowned bus] text in
        await bus.postAndWait(.number, 2)
        log.append(text)
      },
      bus.observe(.number) { value in
        await Task.yield()
        log.append("other \(value)")
      },
    ]
    await bus.postAndWait(.number, 1)
    #expect(log.entries.contains("text"))
    let other = log.entries.firstIndex(of: "other 2") ?? .max
    #expect(other < log.entries.firstIndex(of: "text") ?? 0)
    withExtendedLifetime(tokens) {}
  }

  @Test("postAndWait in a task that a handler started without awaiting it waits for that handler")
  func startedByAHandler() async {
    let bus = EventBus()
    let (log, started, mayEnd) = (Log<String>(), Inbox<Task<Void, Never>>(), ManualLatch())
    let token = bus.observe(.number) { [unowned bus] value in
      guard value == 1 else { return log.append("handled \(value)") }
      started.append(
        Task {
          await bus.postAndWait(.number, 2)
          log.append("returned")
        }
      )
      await mayEnd.wait()
    }
    bus.post(.number, 1)
    let task = await started.first(1)
    await rest()
    #expect(log.entries == [])
    mayEnd.open()
    await task.first?.value
    #expect(log.entries == ["handled 2", "returned"])
    withExtendedLifetime(token) {}
  }
}
