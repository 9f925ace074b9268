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
