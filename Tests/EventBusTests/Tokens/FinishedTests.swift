import EventBus
import TestSupport
import Testing

@Suite("waitUntilFinished()", .timeLimit(.minutes(5)))
struct FinishedTests {
  @Test("All waiting tasks resume at the end")
  func manyWait() async {
    let bus = EventBus()
    let (isInside, mayLeave) = (ManualLatch(), ManualLatch())
    let hasLeft = Counter()
    let token = bus.observe(.number) { _ in
      isInside.open()
      mayLeave.block()
      hasLeft.add()
    }
    async let posting: Void = onThreads(1) { _ in bus.post(.number, 1) }
    await isInside.wait()
    token.cancel()
    await withTaskGroup(of: Int.self) { group in
      for _ in 0..<10 {
        group.addTask {
          await token.waitUntilFinished()
          return hasLeft.value
        }
      }
      group.addTask {
        await rest()
        mayLeave.open()
        return 1
      }
      for await left in group { #expect(left == 1) }
    }
    await posting
  }

  @Test("Cancelling the waiting task resumes it while the call still runs")
  func taskCancellation() async {
    let bus = EventBus()
    let (isInside, mayLeave) = (ManualLatch(), ManualLatch())
    let token = bus.observe(.number) { _ in
      isInside.open()
      mayLeave.block()
    }
    async let posting: Void = onThreads(1) { _ in bus.post(.number, 1) }
    await isInside.wait()
    token.cancel()
    let waiting = Task { await token.waitUntilFinished() }
    await rest()
    waiting.cancel()
    await waiting.value
    #expect(!mayLeave.isOpen)
    mayLeave.open()
    await posting
  }

  @Test("waitUntilFinished() returns at once in a task that was cancelled before")
  func cancelledBefore() async {
    let bus = EventBus()
    let token = bus.observe(.number) { _ in }
    let waiting = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }  // Reason: used in place.
      await token.waitUntilFinished()
    }
    await waiting.value
    #expect(token.isActive)
  }

  @Test("A posting thread never enters the handler after waitUntilFinished() has returned")
  func fence() async {
    for _ in 0..<30 {
      let bus = EventBus()
      let isClosed = ManualLatch()
      let mayStop = ManualLatch()
      let (posts, intrusions) = (Counter(), Counter())
      let token = bus.observe(.number) { _ in
        if isClosed.isOpen { intrusions.add() }
        yieldThread()
        if isClosed.isOpen { intrusions.add() }
      }
      async let posting: Void = onThreads(2) { _ in
        while !mayStop.isOpen {
          bus.post(.number, 1)
          posts.add()
        }
      }
      token.cancel()
      await token.waitUntilFinished()
      isClosed.open()
      let soFar = posts.value
      await until(posts.value > soFar + 2)
      mayStop.open()
      await posting
      #expect(intrusions.value == 0)
    }
  }

  @MainActor
  @Test("An event queued for an actor does not delay waitUntilFinished(), as its call cannot begin")
  func queuedCall() async {
    let bus = EventBus()
    let token = bus.observe(.number) { _ in Issue.record("Cancelled before its turn.") }
    let reached = blockedOnThread { bus.post(.number, 1) }
    #expect(reached == 1)
    token.cancel()
    await token.waitUntilFinished()
  }
}
