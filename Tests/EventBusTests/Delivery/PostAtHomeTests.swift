import EventBus
import TestSupport
import Testing

/// Posts on the main actor to handlers of main-actor objects.
@Suite("Posts at home", .timeLimit(.minutes(5)))
@MainActor
struct PostAtHomeTests {
  /// How the observers of a test are registered.
  enum Shape: CaseIterable {
    case alone, twoPriorities, sender, besideWildcard
  }

  /// A bus whose observers are called in the order of their registration.
  private struct Stage {
    let bus = EventBus()
    let shape: Shape
    let sender = SampleSender()
    let kept = TokenBag()

    init(_ shape: Shape) {
      self.shape = shape
      if shape == .besideWildcard { bus.observeAll { _ in }.store(in: kept) }
      if shape == .twoPriorities {
        bus.observe(.number, owner: sender, priority: .high) { _, _ in }.store(in: kept)
      }
    }

    /// The number of observers besides those that the test adds.
    var others: Int { shape == .twoPriorities ? 1 : 0 }

    @discardableResult
    @MainActor func observe(
      _ panel: Panel,
      isLast: Bool = false,
      once: Bool = false,
      _ handler: @escaping @MainActor @Sendable (Panel, Int) throws -> Void
    ) -> Token {
      bus.observe(
        .number,
        owner: panel,
        from: shape == .sender ? sender : nil,
        priority: shape == .twoPriorities && isLast ? .low : .normal,
        once: once,
        handler
      )
    }

    @discardableResult
    @MainActor func post(_ value: Int, excluding token: Token? = nil) -> Int {
      bus.post(.number, value, from: sender, excluding: token) - others
    }
  }

  @Test("Handlers are called at once, in order", arguments: Shape.allCases)
  func order(shape: Shape) {
    let stage = Stage(shape)
    let (log, panels) = (Log<Int>(), (0..<4).map { _ in Panel() })
    for (index, panel) in panels.enumerated() {
      stage.observe(panel, isLast: index == 3) { _, value in log.append(10 * value + index) }
    }
    #expect(stage.post(1) == 4)
    #expect(stage.post(2) == 4)
    #expect(log.entries == [10, 11, 12, 13, 20, 21, 22, 23])
    withExtendedLifetime(panels) {}
  }

  @Test(
    "A handler cancelled by an earlier handler at home is not called",
    arguments: Shape.allCases
  )
  func cancelledDuringThePost(shape: Shape) {
    let stage = Stage(shape)
    let (log, panel, victims) = (Log<String>(), Panel(), TokenBag())
    stage.observe(panel) { _, _ in
      log.append("cancels")
      victims.cancelAll()
    }
    for isLast in [false, true] {
      stage.observe(panel, isLast: isLast) { _, _ in log.append("victim") }.store(in: victims)
    }
    #expect(stage.post(1) == 1)
    #expect(log.entries == ["cancels"])
    stage.bus.signal(.number)._checkInvariants()
  }

  @Test("A handler paused by an earlier handler is not called", arguments: Shape.allCases)
  func pausedDuringThePost(shape: Shape) {
    let stage = Stage(shape)
    let (log, panel) = (Log<String>(), Panel())
    let (victim, pauses) = (Holder<Token>(), TokenBag())
    stage.observe(panel) { _, _ in
      log.append("pauses")
      victim.value?.pause().store(in: pauses)
    }
    victim.hold(stage.observe(panel, isLast: true) { _, _ in log.append("paused") })
    #expect(stage.post(1) == 1)
    pauses.cancelAll()
    victim.value?.cancel()
    #expect(stage.post(1) == 1)
    #expect(log.entries == ["pauses", "pauses"])
    pauses.cancelAll()
  }

  @Test("A handler registered during a post is not called by it", arguments: Shape.allCases)
  func registeredDuringThePost(shape: Shape) {
    let stage = Stage(shape)
    let (log, panel) = (Log<Int>(), Panel())
    stage.observe(panel) { panel, value in
      log.append(value)
      if value > 1 { return }
      for isLast in [false, true] {
        stage.observe(panel, isLast: isLast) { _, value in log.append(10 * value) }
      }
    }
    // A list of the priority exists already.
    stage.observe(panel, isLast: true) { _, value in log.append(-value) }
    #expect(stage.post(1) == 2)
    #expect(log.entries == [1, -1])
    #expect(stage.post(2) == 4)
    #expect(log.entries.sorted() == [-2, -1, 1, 2, 20, 20])
  }

  @Test("A nested post is delivered before the handler continues", arguments: Shape.allCases)
  func nested(shape: Shape) {
    let stage = Stage(shape)
    let (log, panel) = (Log<String>(), Panel())
    stage.observe(panel) { _, value in
      log.append("first \(value)")
      if value == 1 { #expect(stage.post(2) == 2) }
      log.append("end \(value)")
    }
    stage.observe(panel, isLast: true) { _, value in log.append("second \(value)") }
    #expect(stage.post(1) == 2)
    #expect(
      log.entries == ["first 1", "first 2", "end 2", "second 2", "end 1", "second 1"]
    )
  }

  @Test("An owner that dies in an earlier handler is not called", arguments: Shape.allCases)
  func ownerDiesDuringThePost(shape: Shape) {
    let stage = Stage(shape)
    let (log, panel, victim) = (Log<String>(), Panel(), Holder<Panel>(Panel()))
    let before = stage.bus.signal(.number).observerCount
    stage.observe(panel) { _, _ in
      log.append("drops")
      victim.letGo()
    }
    if let owner = victim.value {
      stage.observe(owner, isLast: true) { _, _ in log.append("dead") }
    }
    #expect(stage.post(1) == 1)
    #expect(log.entries == ["drops"])
    #expect(stage.bus.signal(.number).observerCount == before + 1)
    stage.bus.signal(.number)._checkInvariants()
  }

  @Test("An event that waits is delivered before a later post", arguments: Shape.allCases)
  func waitingFirst(shape: Shape) {
    let stage = Stage(shape)
    let panel = Panel()
    stage.observe(panel) { panel, value in panel.shown.append(value) }
    let (bus, sender) = (stage.bus, stage.sender)
    blockedOnThread { for value in 1...3 { bus.post(.number, value, from: sender) } }
    #expect(panel.shown == [])
    #expect(stage.post(4) == 1)
    #expect(stage.post(5) == 1)
    #expect(panel.shown == [1, 2, 3, 4, 5])
  }

  @Test("A nested post does not overtake events that wait", arguments: Shape.allCases)
  func waitingBeforeNested(shape: Shape) {
    let stage = Stage(shape)
    let panel = Panel()
    let (bus, sender) = (stage.bus, stage.sender)
    stage.observe(panel) { panel, value in
      panel.shown.append(value)
      if value == 1 {
        blockedOnThread { _ = bus.post(.number, 2, from: sender) }
        stage.post(3)
      }
    }
    stage.post(1)
    #expect(panel.shown == [1, 2, 3])
  }

  @Test("Posts of deeply nested handlers do not overtake events that wait")
  func waitingBeforeDeeplyNested() async {
    let (bus, panel) = (EventBus(), Panel())
    let count = 40
    bus.observe(.number, owner: panel) { panel, value in
      panel.shown.append(value)
      if value <= count { bus.post(.number, value + 1_000) }
    }
    blockedOnThread { for value in 1...count { bus.post(.number, value) } }
    bus.post(.nothing)
    // What could not be delivered at the greatest depth has been queued.
    await until(asking: await panel.shown.count == 2 * count)
    #expect(Array(panel.shown.prefix(count)) == Array(1...count))
    #expect(panel.shown.sorted() == Array(1...count) + Array(1_001...1_000 + count))
  }

  @Test("A filter declines events posted at home, and does not end the registration")
  func filtered() {
    let (bus, panel) = (EventBus(), Panel())
    bus.observe(.number, owner: panel, where: { $0 > 1 }) { panel, value in
      panel.shown.append(value)
    }
    #expect((1...3).map { bus.post(.number, $0) } == [0, 1, 1])
    #expect(panel.shown == [2, 3])
  }

  @Test("Observers of a sender and of any sender are called in one order")
  func senderAmongOthers() {
    let (bus, panel, sender) = (EventBus(), Panel(), SampleSender())
    let log = Log<Int>()
    for index in 0..<6 {
      bus.observe(.number, owner: panel, from: index.isMultiple(of: 2) ? sender : nil) { _, _ in
        log.append(index)
      }
    }
    #expect(bus.post(.number, 1, from: sender) == 6)
    #expect(bus.post(.number, 1) == 3)
    #expect(log.entries == [0, 1, 2, 3, 4, 5, 1, 3, 5])
  }

  @Test("An excluded or paused registration is skipped, and an event that waits is not")
  func skipped() {
    let (bus, panel) = (EventBus(), Panel())
    let token = bus.observe(.number, owner: panel) { panel, value in panel.shown.append(value) }
    for value in 1...3 { bus.post(.number, value) }
    #expect(bus.post(.number, 4, excluding: token) == 0)
    let pause = token.pause()
    #expect(bus.post(.number, 5) == 0)
    pause.cancel()
    blockedOnThread { _ = bus.post(.number, 6) }
    #expect(panel.shown == [1, 2, 3])
    bus.post(.number, 7)
    #expect(panel.shown == [1, 2, 3, 6, 7])
  }

  @Test("A handler that throws is counted as reached, and its error is reported with the sender")
  func throwing() {
    let failures = Log<HandlerFailure>()
    let bus = EventBus(hooks: EventHooks(onError: { failures.append($0) }))
    let (panel, sender) = (Panel(), SampleSender())
    bus.observe(.number, owner: panel) { _, value in throw SampleError(number: value) }
    #expect(bus.post(.number, 7, from: sender) == 1)
    #expect(failures.entries.map { $0.error as? SampleError } == [SampleError(number: 7)])
    #expect(failures.entries.map(\.event.sender) == [ObjectIdentifier(sender)])
  }

  @Test("waitUntilFinished() on the handler's own actor returns while another post is running")
  func waitsAtHome() async {
    let bus = EventBus()
    let (isInside, mayLeave, panel) = (ManualLatch(), ManualLatch(), Panel())
    let block: @Sendable (Int) -> Void = { value in
      guard value < 0 else { return }
      isInside.open()
      mayLeave.block()
    }
    let blocker = bus.observe(.number, block)
    let token = bus.observe(.number, owner: panel) { panel, value in panel.shown.append(value) }
    let thread = Task.detached { await onThreads(1) { _ in bus.post(.number, -1) } }
    await isInside.wait()
    bus.post(.number, 1)
    token.cancel()
    await token.waitUntilFinished()
    mayLeave.open()
    await thread.value
    #expect(panel.shown == [1])
    withExtendedLifetime(blocker) {}
  }
}
