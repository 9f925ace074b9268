import EventBus
import TestSupport
import Testing

@Suite("Ending asynchronous handlers", .timeLimit(.minutes(5)))
struct AsyncCancellationTests {
  @Test("Cancelling drops calls that have not begun; the running call continues uncancelled")
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

  @Test("Calls that have not begun are dropped at once while the running call continues")
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
    async let waiting = bus.postAndWait(.number, 2)
    await isQueued.wait()
    token.cancel()
    // The first call has not ended.
    _ = await waiting
    mayLeave.open()
    await token.waitUntilFinished()
    #expect(began.entries == [1])
    withExtendedLifetime(other) {}
  }

  @Test("A cancelled handler's captures are freed when its running call returns")
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

  @Test("A task started by the handler waits for the running call")
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
    await rest()
    #expect(log.entries == [])
    mayLeave.open()
    #expect(await log.first(2) == ["handler", "task"])
    own.letGo()
  }

  @Test("Releasing the bus drops calls that have not begun")
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

  @Test(
    "During concurrent cancellation each registration receives a prefix of the events, in order"
  )
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
      #expect(log.entries == Array(0..<log.count))
    }
    await rest()
  }
}
