import EventBus
import TestSupport
import Testing

@Suite("The end of asynchronous handlers", .timeLimit(.minutes(5)))
struct AsyncCancellationTests {
  @Test("Cancelling drops what has not begun; the call that has begun goes on, not cancelled")
  func dropsWhatHasNotBegun() async {
    let bus = EventBus()
    let (began, ended, mayLeave) = (Inbox<Int>(), Log<Bool>(), ManualLatch())
    let token = bus.observe(.number) { value in
      began.append(value)
      await mayLeave.wait()
      ended.append(Task.isCancelled)
    }
    for value in 1...3 { bus.post(.number, value) }
    _ = await began.first(1)
    token.cancel()
    #expect(ended.entries == [])
    mayLeave.open()
    await token.waitUntilFinished()
    #expect(began.entries == [1])
    #expect(ended.entries == [false])
    #expect(bus.post(.number, 4) == 0)
  }

  @Test("What has not begun is dropped at once, while the call under way goes on")
  func dropsAtOnce() async {
    let bus = EventBus()
    let (began, mayLeave) = (Inbox<Int>(), ManualLatch())
    let token = bus.observe(.number) { value in
      began.append(value)
      await mayLeave.wait()
    }
    bus.post(.number, 1)
    _ = await began.first(1)
    let isQueued = ManualLatch()
    let other = bus.observe(.number, priority: .low) { _ in isQueued.open() }
    async let waiting: Int = bus.postAndWait(.number, 2)
    await isQueued.wait()
    token.cancel()
    // The first call has not ended.
    _ = await waiting
    mayLeave.open()
    await token.waitUntilFinished()
    #expect(began.entries == [1])
    withExtendedLifetime(other) {}
  }

  @Test("Cancelled before its first call, it is never called and frees its captures at once")
  func neverCalled() async {
    let bus = EventBus()
    let tally = Tally()
    let token = bus.observe(.number) { [probe = tally.probe()] _ in
      await Task.yield()
      probe.touch()
      Issue.record("Was cancelled.")
    }
    #expect(tally.live == 1)
    token.cancel()
    #expect(tally.live == 0)
    #expect(bus.post(.number, 1) == 0)
    await token.waitUntilFinished()
  }

  @Test("What its handler captured is freed when the call under way has ended")
  func freedAfterTheCall() async {
    let bus = EventBus()
    let (began, mayLeave, isFree) = (ManualLatch(), ManualLatch(), ManualLatch())
    let token = bus.observe(.number) { [end = AtDeinit(isFree.open)] _ in
      began.open()
      await mayLeave.wait()
      #expect(!isFree.isOpen)
      end.touch()
    }
    bus.post(.number, 1)
    await began.wait()
    token.cancel()
    #expect(!isFree.isOpen)
    mayLeave.open()
    await isFree.wait()
  }

  @Test("A handler that waits for its own end does not wait for its own call")
  func finishedInItsOwnCall() async {
    let bus = EventBus()
    let (own, isPast) = (Holder<Token>(), ManualLatch())
    own.hold(
      bus.observe(.number) { _ in
        let token = own.value
        token?.cancel()
        await token?.waitUntilFinished()
        isPast.open()
      }
    )
    bus.post(.number, 1)
    await isPast.wait()
    own.letGo()
  }

  @Test("A task that the handler started does wait for the call")
  func finishedInAnotherTask() async {
    let bus = EventBus()
    let (own, mayLeave, log) = (Holder<Token>(), ManualLatch(), Inbox<String>())
    own.hold(
      bus.observe(.number) { _ in
        let token = own.value
        token?.cancel()
        Task {
          await token?.waitUntilFinished()
          log.append("task")
        }
        await mayLeave.wait()
        log.append("handler")
      }
    )
    bus.post(.number, 1)
    for _ in 0..<10 { await Task.yield() }
    mayLeave.open()
    #expect(await log.first(2) == ["handler", "task"])
    own.letGo()
  }

  @Test("The end of the bus drops what has not begun")
  func busDies() async {
    var bus: EventBus? = EventBus()
    let (began, mayLeave) = (Inbox<Int>(), ManualLatch())
    let token = bus?.observe(.number) { value in
      began.append(value)
      await mayLeave.wait()
    }
    bus?.post(.number, 1)
    bus?.post(.number, 2)
    _ = await began.first(1)
    bus = nil
    #expect(token?.isActive == false)
    mayLeave.open()
    await token?.waitUntilFinished()
    #expect(began.entries == [1])
    withExtendedLifetime(bus) {}
  }

  @Test("Events keep coming while others cancel: each registration hears a beginning, in order")
  func storm() async {
    let (rounds, posts) = (100, 50)
    for _ in 0..<rounds {
      let bus = EventBus()
      let (log, isClosed) = (Log<Int>(), ManualLatch())
      let token = bus.observe(.number) { value in
        if isClosed.isOpen { Issue.record("Called behind the fence.") }
        await Task.yield()
        log.append(value)
      }
      async let posting: Void = onThreads(2) { thread in
        for value in 0..<posts where thread == 0 { bus.post(.number, value) }
        if thread == 1 { token.cancel() }
      }
      await posting
      await token.waitUntilFinished()
      isClosed.open()
      await Task.yield()
      #expect(log.entries == Array(0..<log.count))
    }
  }
}
