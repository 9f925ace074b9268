import EventBus
import TestSupport
import Testing

@Suite("Waiting for a registration's calls to finish", .timeLimit(.minutes(5)))
struct FenceTests {
  /// Runs a plain handler of the event on a thread until the test opens its latch.
  private struct Blocker {
    private let mayLeave = ManualLatch()
    private let thread: Task<Void, Never>
    private let token: Token

    /// Returns when the handler is running.
    init(_ bus: EventBus) async {
      let (isInside, mayLeave) = (ManualLatch(), mayLeave)
      token = bus.observe(.number) { value in
        guard value == -1 else { return }
        isInside.open()
        mayLeave.block()
      }
      let signal = bus.signal(.number)
      thread = Task { await onThreads(1) { _ in signal.send(-1) } }
      await isInside.wait()
    }

    func stop() async {
      mayLeave.open()
      await thread.value
    }
  }

  enum Kind: CaseIterable {
    case asynchronous, onActor, onActorWithOwner, predicate, once, sender
  }

  private static func token(_ kind: Kind, _ bus: EventBus, _ sender: SampleSender) async -> Token {
    switch kind {
    case .asynchronous: bus.observe(.number) { _ in await Task.yield() }
    case .onActor: await MainActor.run { bus.observe(.number) { _ in MainActor.assertIsolated() } }
    case .onActorWithOwner:
      await MainActor.run {
        bus.observe(.number, owner: sender) { _, _ in MainActor.assertIsolated() }
      }
    case .predicate: bus.observe(.number, where: { $0 >= 0 }) { _ in }
    case .once: bus.observe(.number, once: true, where: { $0 >= 0 }) { _ in }
    case .sender: bus.observe(.number, from: sender) { _ in }
    }
  }

  @Test(
    "waitUntilFinished() does not wait for other handlers of the event",
    arguments: Kind.allCases
  )
  func otherHandlers(kind: Kind) async {
    let (bus, sender) = (EventBus(), SampleSender())
    let token = await Self.token(kind, bus, sender)
    let blocker = await Blocker(bus)
    token.cancel()
    await token.waitUntilFinished()
    await blocker.stop()
    withExtendedLifetime(sender) {}
  }

  @Test(
    "Waiting for a nonisolated handler ignores posts that began after its end",
    arguments: [true, false]
  )
  func laterPosts(hasOwner: Bool) async {
    let (bus, owner) = (EventBus(), PlainOwner())
    let token =
      hasOwner ? bus.observe(.number, owner: owner) { _, _ in } : bus.observe(.number) { _ in }
    token.cancel()
    let blocker = await Blocker(bus)
    await token.waitUntilFinished()
    await blocker.stop()
    withExtendedLifetime(owner) {}
  }

  @Test("A filter running on another thread counts as a call", arguments: [true, false])
  func filter(isAsynchronous: Bool) async {
    let (bus, call) = (EventBus(), HeldCall())
    let predicate: @Sendable (Int) -> Bool = { _ in
      call.run()
      return false
    }
    let token =
      isAsynchronous
      ? bus.observe(.number, where: predicate) { _ in await Task.yield() }
      : bus.observe(.number, where: predicate) { _ in }
    async let posting: Void = onThreads(1) { _ in bus.post(.number, 1) }
    await call.expectFence(token)
    await posting
  }

  @Test("A running end hook counts as a call")
  func runningHook() async {
    let (lifetime, call) = (Lifetime(), HeldCall())
    let token = lifetime.onEnd { call.run() }
    async let ending: Void = onThreads(1) { _ in lifetime.end() }
    await call.expectFence(token)
    await ending
  }

  @Test("A token's action counts as a call while another thread runs it")
  func runningAction() async {
    let call = HeldCall()
    let token = Token { call.run() }
    async let ending: Void = onThreads(1) { _ in token.cancel() }
    await call.expectFence(token)
    await ending
  }

  @Test("waitUntilFinished() on an end hook of a live lifetime returns after the hook has run")
  func activeHook() async {
    let lifetime = Lifetime()
    let (log, isWaiting) = (Log<String>(), ManualLatch())
    let token = lifetime.onEnd { log.append("hook") }
    let waiting = Task {
      isWaiting.open()
      await token.waitUntilFinished()
      log.append("fence")
    }
    await isWaiting.wait()
    await rest()
    #expect(log.entries == [])
    lifetime.end()
    await waiting.value
    #expect(log.entries == ["hook", "fence"])
  }

  @Test("An end hook's captures are freed before its end is reported")
  func hookIsFreed() async {
    let lifetime = Lifetime()
    let tally = Tally()
    let probe = Holder(tally.probe())
    let token = lifetime.onEnd { [value = probe.value] in withExtendedLifetime(value) {} }
    probe.letGo()
    let waiting = Task {
      await token.waitUntilFinished()
      return tally.live
    }
    await rest()
    lifetime.end()
    #expect(await waiting.value == 0)
  }

  @Test("A new task at the address of an earlier caller's task is not mistaken for that caller")
  func reusedTask() async {
    let bus = EventBus()
    let identity = Inbox<Int>()
    let (hasReturned, isInside, mayLeave) = (ManualLatch(), ManualLatch(), ManualLatch())
    let (isWaiting, log) = (ManualLatch(), Log<String>())
    let heirs = Log<Task<Void, Never>>()
    let mayEnd = ManualLatch()
    let found = Inbox<Bool>()
    let tokens = Holder<Token>()
    let token = bus.observe(.number) { value in
      if value == 2 {
        isInside.open()
        await mayLeave.wait()
        log.append("call")
        return
      }
      let own = currentTaskID()
      identity.append(own)
      // Tasks that inherit the call's task-local values, started after its task ended, until one
      // has its address.
      heirs.append(
        Task {
          await hasReturned.wait()
          for _ in 0..<200 {
            for _ in 0..<10 {
              heirs.append(
                Task {
                  if currentTaskID() == own {
                    found.append(true)
                    await isInside.wait()
                    tokens.value?.cancel()
                    isWaiting.open()
                    await tokens.value?.waitUntilFinished()
                    log.append("fence")
                  } else {
                    await mayEnd.wait()
                  }
                }
              )
            }
            await Task.yield()  // Reason: others overlap.
            if !found.entries.isEmpty { return }
          }
          found.append(false)
        }
      )
    }
    tokens.hold(token)
    bus.post(.number, 1)
    _ = await identity.first(1)
    await rest()
    hasReturned.open()
    // If no address is reused, no task can be mistaken for another.
    let isReused = await found.first(1) == [true]
    if !isReused { Issue.record("No address came again: a test of nothing.", severity: .warning) }
    if isReused {
      bus.post(.number, 2)
      await isWaiting.wait()
      await rest()
      #expect(log.entries == [])
      mayLeave.open()
    }
    mayEnd.open()
    isInside.open()
    for heir in heirs.entries { await heir.value }
    #expect(log.entries == (isReused ? ["call", "fence"] : []))
    tokens.letGo()
  }

  @Test(
    "waitUntilFinished() waits for the last of several calls, whichever ends first",
    arguments: 0...1
  )
  func severalCalls(first: Int) async {
    let bus = EventBus()
    let (begun, mayEnd) = ([ManualLatch(), ManualLatch()], [ManualLatch(), ManualLatch()])
    // The calls of a handler with a predicate are counted.
    let token = bus.observe(.number, where: { $0 < 2 }) { number in
      begun[number].open()
      mayEnd[number].block()
    }
    async let posting: Void = onThreads(2) { bus.post(.number, $0) }
    for latch in begun { await latch.wait() }
    token.cancel()
    let isOver = ManualLatch()
    let fence = Task {
      await token.waitUntilFinished()
      isOver.open()
    }
    await rest()
    mayEnd[first].open()
    await rest()
    #expect(!isOver.isOpen)
    mayEnd[1 - first].open()
    await fence.value
    await posting
  }

  enum Racer: CaseIterable {
    case plain, owner, predicate, sender, atHome, ownerAtHome, asynchronous
  }

  @Test(
    "During concurrent posts and cancels, no call runs after waitUntilFinished() returns",
    arguments: Racer.allCases
  )
  func race(kind: Racer) async {
    for _ in 0..<size(rounds(20, debug: 7, sanitized: 7), full: 100) {
      let (bus, owner) = (EventBus(), PlainOwner())
      let (isClosed, mayStop) = (ManualLatch(), ManualLatch())
      let (posts, intrusions) = (Counter(), Counter())
      let handler: @Sendable (Int) -> Void = { _ in
        if isClosed.isOpen { intrusions.add() }
        yieldThread()
        if isClosed.isOpen { intrusions.add() }
      }
      let token =
        switch kind {
        case .plain: bus.observe(.number, handler)
        case .owner: bus.observe(.number, owner: owner) { handler($1) }
        case .predicate: bus.observe(.number, where: { $0 > 0 }, handler)
        case .sender: bus.observe(.number, from: owner, handler)
        case .atHome: await Self.observeOnSampleActor(bus, handler)
        case .ownerAtHome: await Self.observeOnSampleActor(bus, owner: owner, handler)
        case .asynchronous:
          bus.observe(.number, buffering: .bufferingNewest(1)) { value in
            handler(value)
            await Task.yield()
            handler(value)
          }
        }
      async let posting: Void = onThreads(3) { thread in
        if thread == 0 {
          blockThread { posts.value > 2 }
          return token.cancel()
        }
        while !mayStop.isOpen {
          bus.post(.number, 1, from: owner)
          posts.add()
          yieldThread()  // Reason: others overlap.
        }
      }
      async let atHome: Void = Self.postOnSampleActor(bus, until: mayStop)
      // The fence is requested as soon as the end is visible, before all of its work is done.
      await until(!token.isActive)
      await token.waitUntilFinished()
      isClosed.open()
      let before = posts.value
      await until(posts.value > before + 10)
      mayStop.open()
      await posting
      await atHome
      #expect(intrusions.value == 0)
      withExtendedLifetime(owner) {}
    }
  }

  @SampleActor
  private static func observeOnSampleActor(
    _ bus: EventBus,
    _ handler: @escaping @Sendable (Int) -> Void
  ) -> Token {
    bus.observe(.number) { value in
      SampleActor.assertIsolated()
      handler(value)
    }
  }

  @SampleActor
  private static func observeOnSampleActor(
    _ bus: EventBus,
    owner: PlainOwner,
    _ handler: @escaping @Sendable (Int) -> Void
  ) -> Token {
    bus.observe(.number, owner: owner) { _, value in
      SampleActor.assertIsolated()
      handler(value)
    }
  }

  @SampleActor
  private static func postOnSampleActor(_ bus: EventBus, until mayStop: ManualLatch) async {
    while !mayStop.isOpen {
      bus.post(.number, 1)
      await Task.yield()  // Reason: others overlap.
    }
  }

  @Test("waitUntilFinished() of an active registration returns when its bus dies")
  func busDies() async {
    var bus: EventBus? = EventBus()
    let token = bus?.observe(.number) { _ in }
    let isWaiting = ManualLatch()
    let waiting = Task {
      isWaiting.open()
      await token?.waitUntilFinished()
    }
    await isWaiting.wait()
    await rest()
    withExtendedLifetime(bus) {}
    bus = nil
    await waiting.value
    #expect(token?.isActive == false)
    await token?.waitUntilFinished()
    withExtendedLifetime(bus) {}
  }
}

/// A call on a thread of the test, which does not return before the test has seen that a fence waits for it.
final class HeldCall: Sendable {
  private let isInside = ManualLatch()
  private let mayLeave = ManualLatch()
  private let log = Log<String>()

  /// Blocks the calling thread.
  func run() {
    isInside.open()
    mayLeave.block()
    log.append("call")
  }

  /// Waits until the call has begun.
  func isEntered() async { await isInside.wait() }

  /// Waits for the call, ends its registration, and expects that `waitUntilFinished()` waits for the call.
  func expectFence(_ token: Token?) async {
    await isInside.wait()
    token?.cancel()
    let fence = Task { [log] in
      await token?.waitUntilFinished()
      log.append("fence")
    }
    await rest()
    #expect(log.entries == [])
    mayLeave.open()
    await fence.value
    #expect(log.entries == ["call", "fence"])
  }
}
