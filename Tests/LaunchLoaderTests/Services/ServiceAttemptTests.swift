import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Attempts of services", .timeLimit(.minutes(5)))
struct ServiceAttemptTests {
  @Test("Concurrent waiting and raising resumes every waiting task")
  func waitingAgainstRaising() async throws {
    // The thread overtakes the task once in each batch.
    let batches = (0..<rounds(2_000, debug: 500, sanitized: 100)).map { _ in
      (begins: ManualLatch(), signals: (0..<50).map { _ in ServiceAttempt() })
    }
    let waiting = Task {
      for batch in batches {
        batch.begins.open()
        for signal in batch.signals { try await signal.wait() }
      }
    }
    await onThreads(1) { _ in
      for batch in batches {
        batch.begins.block()
        for signal in batch.signals { signal.raise() }
      }
    }
    try await waiting.value
  }

  @Test("A closure and a hook registered while the signal is raised on another thread run once")
  func registeringAgainstRaising() async {
    let gate = StartGate(2)
    let signals = (0..<rounds(5_000, debug: 2_000, sanitized: 1_000)).map { _ in ServiceAttempt() }
    let ran = signals.map { _ in Counter() }
    let late = Counter()
    await onThreads(2) { thread in
      for (index, signal) in signals.enumerated() {
        gate.arriveAndWait()
        if thread == 0 {
          signal.raise()
        } else {
          let counter = ran[index]
          _ = signal.onRaise { counter.add() }
          signal.lifetime.onEnd { counter.add() }
          if signal.isRaised { late.add() }
        }
      }
    }
    for signal in signals { if signal.close() { await signal.untilQuiet() } }
    #expect(ran.allSatisfy { $0.value == 2 })
    #expect(signals.allSatisfy { $0.lifetime.hasEnded })
    #expect(late.value > 0)
  }

  @Test("A closed signal releases closures that did not run and ends their tokens")
  func closed() async {
    let tally = Tally()
    let signal = ServiceAttempt()
    let token: Token
    do {
      let probe = tally.probe()
      token = signal.onRaise { probe.touch() }
    }
    #expect(token.isActive)
    if signal.close() { await signal.untilQuiet() }
    #expect(!token.isActive)
    #expect(tally.live == 0)
    signal.raise()
    #expect(!signal.isRaised)
    #expect(await isCancelled { try await signal.wait() })
  }

  @Test("Waiting includes a closure that is registered too late and runs at once")
  func lateClosure() async {
    let (isBlocked, mayReturn, hasReturned) = (ManualLatch(), ManualLatch(), ManualLatch())
    let signal = ServiceAttempt()
    signal.raise()
    let late = Task {
      await onThreads(1) { _ in
        _ = signal.onRaise {
          isBlocked.open()
          mayReturn.block()
          hasReturned.open()
        }
      }
    }
    await isBlocked.wait()
    let closing = Task {
      if signal.close() { await signal.untilQuiet() }
      return hasReturned.isOpen
    }
    await rest()
    mayReturn.open()
    #expect(await closing.value)
    await late.value
  }

  @Test(
    "A wait that begins after the closures have ended throws in a cancelled task, if a cancellation raised the signal",
    arguments: [true, false]
  )
  func lateWait(isCancellation: Bool) async {
    let signal = ServiceAttempt()
    signal.raise(isCancellation: isCancellation)
    #expect(!(await isCancelled { try await signal.wait() }))
    let wait = Task {
      cancelCurrentTask()
      return await isCancelled { try await signal.wait() }
    }
    #expect(await wait.value == isCancellation)
    if signal.close() { await signal.untilQuiet() }
  }
}
