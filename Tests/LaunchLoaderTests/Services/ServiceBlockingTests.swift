import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

/// Services, their closures, observers and hooks that occupy a thread of the concurrency runtime for a while.
///
/// That is their subject: the library enters services and calls closures in tasks. The tests run one at a time, and no
/// other suite occupies such a thread, because a machine with two processors has two of them, and the code that
/// releases the occupied one needs the other.
@Suite("Services that block their thread", .timeLimit(.minutes(5)), .serialized)
struct ServiceBlockingTests {
  let stage = Stage()

  /// Computes until a latch opens, which a test does at the latest when it runs out of time.
  private static func compute(until latch: ManualLatch) {
    while !latch.isOpen {}  // Reason: it computes.
  }

  @Test("A service counts as running until its shutdown closures have returned")
  func closuresCount() async throws {
    let log = stage.log
    let mayReturn = ManualLatch()
    try stage.add("a")
    try stage.add("b", { $0.reportsReadiness = true }) { context in
      let isAsked = ManualLatch()
      context.onShutdown {
        isAsked.open()
        mayReturn.block()
        log.append("b has closed")
      }
      context.markReady()
      await isAsked.wait()
      log.append("b returns")
      mayReturn.open()
    }
    _ = try await stage.runOnce()
    #expect(log.entries.filter { $0 != "b returns" } == ["+a", "b has closed", "-a"])
  }

  @Test("A service cancelled while it is being entered is cancelled when it suspends")
  func cancelledOnEntry() async throws {
    let log = stage.log
    let isEntered = ManualLatch()
    let mayGoOn = ManualLatch()
    try stage.add("a") { context in
      isEntered.open()
      mayGoOn.block()
      do { try await Task { try await context.waitUntilShutdown() }.value } catch {}
      await ManualLatch().wait()
      log.append("cancelled: \(Task.isCancelled)")
    }
    let running = stage.start()
    await isEntered.wait()
    running.cancel()
    mayGoOn.open()
    await #expect(throws: CancellationError.self) { try await running.value }
    #expect(log.entries == ["cancelled: true"])
  }

  @Test("A service that blocks its thread delays no start, and is abandoned and named")
  func blocked() async throws {
    let stage = Stage(stopTimeout: .seconds(1), cancelTimeout: .seconds(1))
    let isBlocked = ManualLatch()
    let mayEnd = ManualLatch()
    try stage.add("a")
    try stage.add(
      "blocked",
      run: { _ in
        isBlocked.open()
        mayEnd.block()
      }
    )
    try stage.add("next") { $0.reportsReadiness = true }
    let running = try await stage.startUntilActive()
    await isBlocked.wait()
    stage.app.shutdown()
    await stage.passTime { stage.app.state == .terminated }
    let error = await #expect(throws: AppHostError.self) { try await running.value }
    mayEnd.open()
    #expect(error?.abandonedServices == ["blocked"])
    #expect(Set(stage.log.entries.prefix(2)) == ["+a", "+next"])
    #expect(stage.log.entries.suffix(2) == ["-next", "-a"])
  }

  @Test("A shutdown closure that does not return abandons its own service only")
  func blockedClosure() async throws {
    let stage = Stage(stopTimeout: .seconds(1), cancelTimeout: .seconds(1))
    let mayEnd = ManualLatch()
    try stage.add("a")
    try stage.add("b") { context in
      context.onShutdown { mayEnd.block() }
      await ManualLatch().wait()
    }
    let running = try await stage.startUntilActive()
    stage.app.shutdown()
    await stage.passTime { stage.app.state == .terminated }
    let error = await #expect(throws: AppHostError.self) { try await running.value }
    mayEnd.open()
    #expect(error?.abandonedServices == ["b"])
    #expect(stage.log.entries == ["+a", "-a"])
  }

  @Test(
    "A service that computes delays no other service, with or without dependencies",
    arguments: [true, false]
  )
  func computing(hasEdges: Bool) async throws {
    let hasStarted = ManualLatch()
    try stage.add("a")
    try stage.add("computes", run: { _ in Self.compute(until: hasStarted) })
    try stage.add("b", after: hasEdges ? ["a"] : []) { context in
      hasStarted.open()
      try await context.waitUntilShutdown()
    }
    let found = await withTaskCancellationHandler {
      await errors(of: stage.start())
    } onCancel: {
      hasStarted.open()
    }
    #expect(found.first?.contains("\"computes\" returned before") == true)
  }

  @Test("Services that compute one after the other are each passed over, and start in order")
  func computingInTurn() async throws {
    // Each computes until the next one has been entered.
    let count = 4
    let entered = (0...count).map { _ in ManualLatch() }
    for index in 0..<count {
      try stage.add("\(index)") { [log = stage.log] context in
        log.append("\(index)")
        entered[index].open()
        if index + 1 < count { Self.compute(until: entered[index + 1]) }
        try await context.waitUntilShutdown()
      }
    }
    let code = try await withTaskCancellationHandler {
      try await stage.runOnce()
    } onCancel: {
      for latch in entered { latch.open() }
    }
    #expect(code == 0)
    #expect(stage.log.entries == (0..<count).map { "\($0)" })
  }

  @Test("A service that blocks its thread without computing delays the start only for a while")
  func sleeping() async throws {
    let (isHeld, hasStarted) = (ManualLatch(), ManualLatch())
    let lock = Locked(0)
    let holding = Task {
      await onThreads(1) { _ in
        lock.withLock { _ in
          isHeld.open()
          hasStarted.block()
        }
      }
    }
    await isHeld.wait()
    try stage.add("blocks") { context in
      lock.withLock { _ in }
      try await context.waitUntilShutdown()
    }
    try stage.add("b") { context in
      hasStarted.open()
      try await context.waitUntilShutdown()
    }
    #expect(try await stage.runOnce() == 0)
    await holding.value
  }

  @Test("Work inside unlessShuttingDown ends although a shutdown closure blocks")
  func cancelledBesideClosure() async throws {
    let (isBlocked, mayReturn) = (ManualLatch(), ManualLatch())
    try stage.add("a", { $0.reportsReadiness = true }) { [log = stage.log] context in
      context.onShutdown {
        isBlocked.open()
        mayReturn.block()
      }
      context.markReady()
      _ = try await context.unlessShuttingDown {
        await ManualLatch().wait()
        await isBlocked.wait()
        try Task.checkCancellation()
      }
      log.append("work has ended: \(!mayReturn.isOpen)")
      mayReturn.open()
    }
    #expect(try await stage.runOnce() == 0)
    #expect(stage.log.entries == ["work has ended: true"])
  }

  @Test("A cancellation handler of a delegate method that blocks delays no stop")
  func delegateCancellation() async throws {
    final class Blocking: AppHostDelegate {
      let (hasBegun, isCancelled, mayReturn) = (ManualLatch(), ManualLatch(), ManualLatch())
      let suspended = Log<CheckedContinuation<Void, Never>>()

      func applicationDidBecomeActive(_ app: AppHost) async {
        await withTaskCancellationHandler {
          await withCheckedContinuation { continuation in
            suspended.append(continuation)
            hasBegun.open()
          }
        } onCancel: {
          isCancelled.open()
          mayReturn.block()
        }
      }
    }
    let delegate = Blocking()
    let stage = Stage(delegate: delegate, stopTimeout: .seconds(20))
    let running = stage.start()
    await delegate.hasBegun.wait()
    // While the handler runs, the runtime holds a lock that the task needs to suspend.
    await rest()
    // The call returns, although the handler blocks.
    stage.app.shutdown()
    await delegate.isCancelled.wait()
    await stage.passTime { stage.app.state == .terminated }
    #expect(try await running.value == 0)
    delegate.mayReturn.open()
    for continuation in delegate.suspended.entries { continuation.resume() }
  }

  @Test("Waiting for one closure to finish waits for no other closure")
  func finishedAlone() async {
    let (isBlocked, mayReturn) = (ManualLatch(), ManualLatch())
    let signal = ServiceAttempt()
    let first = signal.onRaise {}
    let second = signal.onRaise {
      isBlocked.open()
      mayReturn.block()
    }
    let third = signal.onRaise {}
    signal.raise()
    await isBlocked.wait()
    third.cancel()
    await first.waitUntilFinished()
    await third.waitUntilFinished()
    #expect(!mayReturn.isOpen)
    mayReturn.open()
    await second.waitUntilFinished()
    if signal.close() { await signal.untilQuiet() }
  }

  @Test("Waiting for a running closure returns when it has ended")
  func finishedAfterItsCall() async {
    let (isBlocked, mayReturn, hasReturned) = (ManualLatch(), ManualLatch(), ManualLatch())
    let signal = ServiceAttempt()
    let token = signal.onRaise {
      isBlocked.open()
      mayReturn.block()
      hasReturned.open()
    }
    signal.raise()
    await isBlocked.wait()
    #expect(!token.isActive)
    let waiting = Task {
      await token.waitUntilFinished()
      return hasReturned.isOpen
    }
    await rest()
    mayReturn.open()
    #expect(await waiting.value)
    if signal.close() { await signal.untilQuiet() }
  }

  @Test("An observer of a failure that blocks delays no stop")
  func blockingObserver() async throws {
    let stage = Stage(stopTimeout: .seconds(20))
    let (mayFail, isBlocked, mayReturn) = (ManualLatch(), ManualLatch(), ManualLatch())
    try stage.add("good")
    try stage.add("bad") { _ in
      await mayFail.wait()
      throw Failed(name: "bad")
    }
    let token = stage.bus.observeFailures { _, _ in
      isBlocked.open()
      mayReturn.block()
    }
    let running = try await stage.startUntilActive()
    mayFail.open()
    await isBlocked.wait()
    await rest()
    #expect(stage.log.entries == ["+good", "-good"])
    mayReturn.open()
    #expect(await errors(of: running) == ["bad failed"])
    token.cancel()
  }

  @Test("A blocked message hook delays no deadline, and run() by at most cancelTimeout")
  func blockingHook() async throws {
    let (isEntered, isCalled, mayReturn) = (ManualLatch(), ManualLatch(), ManualLatch())
    let stage = Stage(stopTimeout: .seconds(10), cancelTimeout: .seconds(5)) { _ in
      isCalled.open()
      mayReturn.block()
    }
    try stage.add("slow", { $0.reportsReadiness = true }) { _ in
      isEntered.open()
      await ManualLatch().wait()
      stage.log.append("cancelled: \(Task.isCancelled)")
    }
    let running = stage.start()
    await isEntered.wait()
    await stage.passTime { isCalled.isOpen }
    stage.app.shutdown()
    await stage.passTime { stage.app.state == .terminated }
    #expect(stage.log.entries == ["cancelled: true"])
    let isOver = ManualLatch()
    let code = Task {
      defer { isOver.open() }
      return try await running.value
    }
    await stage.passTime { isOver.isOpen }
    #expect(try await code.value == 0)
    #expect(stage.messages.entries.count == 1)
    await until(stage.clock.sleeperCount == 0)
    mayReturn.open()
    let isCancellation = { (message: String) in message.hasPrefix("Service \"slow\" is cancelled") }
    await until(stage.messages.entries.contains(where: isCancellation))
  }
}
