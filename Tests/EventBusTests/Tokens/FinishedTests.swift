import EventBus
import TestSupport
import Testing

@Suite("waitUntilFinished()", .timeLimit(.minutes(5)))
struct FinishedTests {
  @Test("After cancel(), waitUntilFinished() returns if no call is running")
  func nothingIsRunning() async {
    let bus = EventBus()
    let owner = LivedOwner()
    let tokens = [
      bus.observe(.number) { _ in },
      bus.observe(.number, once: true) { _ in },
      bus.observe(.number, owner: owner) { _, _ in },
      Token {},
    ]
    for token in tokens {
      token.cancel()
      await token.waitUntilFinished()
      await token.waitUntilFinished()
    }
    withExtendedLifetime(owner) {}
  }

  @Test("waitUntilFinished() waits for a call running on another thread", arguments: Kind.allCases)
  func waitsForARunningCall(kind: Kind) async {
    let bus = EventBus()
    let owner = LivedOwner()
    let (isInside, mayLeave) = (ManualLatch(), ManualLatch())
    let hasLeft = Log<Bool>()
    let handler: @Sendable (Int) -> Void = { _ in
      isInside.open()
      mayLeave.block()
      hasLeft.append(true)
    }
    let token =
      switch kind {
      case .plain: bus.observe(.number, handler)
      case .once: bus.observe(.number, once: true, handler)
      case .owner: bus.observe(.number, owner: owner) { _, value in handler(value) }
      }
    async let posting: Void = onThreads(1) { _ in bus.post(.number, 1) }
    await isInside.wait()
    token.cancel()
    let opener = Task {
      await rest()
      mayLeave.open()
    }
    await token.waitUntilFinished()
    #expect(hasLeft.count == 1)
    await opener.value
    await posting
    withExtendedLifetime(owner) {}
  }

  enum Kind: CaseIterable {
    case plain, once, owner
  }

  @Test("waitUntilFinished() waits for a call running on the handler's actor")
  func waitsForACallOnAnActor() async {
    let bus = EventBus()
    let (isInside, mayLeave) = (ManualLatch(), ManualLatch())
    let hasLeft = Log<Bool>()
    let executor = HeldExecutor()
    executor.open()
    // Its turns are on threads of their own.
    let actor = HeldActor(executor)
    let token = bus.observe(.number, owner: actor) { (_: isolated HeldActor, _) in
      isInside.open()
      mayLeave.block()
      hasLeft.append(true)
    }
    bus.post(.number, 1)
    await isInside.wait()
    token.cancel()
    let opener = Task {
      await rest()
      mayLeave.open()
    }
    await token.waitUntilFinished()
    #expect(hasLeft.count == 1)
    await opener.value
  }

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

  @Test("An already cancelled task does not wait")
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

  @Test(
    "Before cancel(), waitUntilFinished() waits for the registration to end",
    arguments: [true, false]
  )
  func waitsForTheEnd(byOwner: Bool) async {
    let bus = EventBus()
    let owner = LivedOwner()
    let token = bus.observe(.number, owner: owner) { _, _ in }
    let hasEnded = Log<Bool>()
    let waiting = Task {
      await token.waitUntilFinished()
      hasEnded.append(token.isActive)
    }
    await rest()
    #expect(hasEnded.entries == [])
    if byOwner { owner.lifetime.end() } else { token.cancel() }
    await waiting.value
    #expect(hasEnded.entries == [false])
  }

  @Test("Before a one-call registration's call, waitUntilFinished() waits for that call")
  func waitsForOnce() async {
    let bus = EventBus()
    let heard = Counter()
    let token = bus.observe(.number, once: true) { _ in heard.add() }
    let waiting = Task {
      await token.waitUntilFinished()
      return heard.value
    }
    await rest()
    bus.post(.number, 1)
    #expect(await waiting.value == 1)
  }

  @Test("A posting thread never enters the handler after waitUntilFinished() has returned")
  func fence() async {
    for _ in 0..<100 {
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
