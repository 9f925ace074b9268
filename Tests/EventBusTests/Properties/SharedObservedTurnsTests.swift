import EventBus
import TestSupport
import Testing

@Suite("Turns of delivery and waiting changes", .timeLimit(.minutes(5)))
struct SharedObservedTurnsTests {
  /// A change, and the thread it was delivered on.
  private struct Delivered: Sendable {
    let change: Change<Int>
    let thread: ThreadID
  }

  /// Does nothing until its executor is opened.
  private actor HeldActor {
    nonisolated let executor = HeldExecutor()
    private var token: Token?

    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe executor.asUnownedSerialExecutor()  // Reason: the actor keeps it.
    }
  }

  /// Lets one thread set 1 and stop in a handler, another one do something, and the first one go on.
  ///
  /// - Returns: The deliveries, once the last value has been delivered, and the first thread.
  private func blocked(
    _ property: SharedObserved<Int>,
    last: Int,
    while body: @escaping @Sendable () -> Void
  ) async -> (delivered: [Delivered], first: ThreadID?) {
    let (isInside, mayLeave, isOver) = (ManualLatch(), ManualLatch(), ManualLatch())
    let (delivered, first) = (Log<Delivered>(), Holder<ThreadID>())
    let token = property.observe { change in
      if change.new == 1 {
        isInside.open()
        mayLeave.block()
      }
      delivered.append(Delivered(change: change, thread: .current))
      if change.new == last { isOver.open() }
    }
    await onThreads(2) { index in
      if index == 0 {
        first.hold(.current)
        property.value = 1
        // Its identity is used again only after its end.
        isOver.block()
      } else {
        isInside.block()
        body()
        mayLeave.open()
      }
    }
    withExtendedLifetime(token) {}
    return (delivered.entries, first.value)
  }

  private func isUnbroken(_ changes: [Change<Int>]) -> Bool {
    zip(changes, changes.dropFirst()).allSatisfy { $0.new == $1.old }
  }

  @Test("A thread delivers 64 changes of others after its own; a task delivers the rest")
  func limit() async {
    let property = SharedObserved(0)
    let (delivered, first) = await blocked(property, last: 200) {
      for value in 2...200 { property.value = value }
    }
    #expect(delivered.map(\.change.new) == Array(1...200))
    #expect(delivered.count { $0.thread == first } == 65)
    #expect(delivered.prefix(65).allSatisfy { $0.thread == first })
  }

  @Test("An observer that registers while changes merge has a chain that starts there")
  func mergedBesideARegistration() async {
    let property = SharedObserved(0)
    let late = Log<Change<Int>>()
    let token = Holder<Token>()
    let (delivered, _) = await blocked(property, last: 6_000) {
      for value in 2...3_000 { property.value = value }
      token.hold(property.observe { late.append($0) })
      for value in 3_001...6_000 { property.value = value }
    }
    let changes = delivered.map(\.change)
    #expect(changes.count <= 1_001)
    #expect(isUnbroken(changes))
    await until(late.entries.last?.new == 6_000)
    #expect(late.entries.first?.old == 3_000)
    #expect(isUnbroken(late.entries))
    token.letGo()
  }

  @Test("Of thousands of changes that wait for a busy actor about 1,000 are kept, in one chain")
  func mergedInAMailbox() async {
    let property = SharedObserved(0)
    let (actor, inbox) = (HeldActor(), Inbox<Change<Int>>())
    property.observe(owner: actor) { _, change in
      if change.kind == .set { inbox.append(change) }
    }
    property.observe(owner: actor, initial: true) { _, change in
      if change.kind == .set { inbox.append(change) }
    }
    let count = size(3_000, full: 10_000)
    for value in 1...count { property.value = value }
    actor.executor.open()
    await until(inbox.entries.count { $0.new == count } == 2)
    #expect(inbox.entries.count <= 2_004)
    let ends = inbox.entries.filter { $0.new == count }
    #expect(ends.count == 2)
    #expect(inbox.entries.count { $0.old == 0 } == 2)
  }

  @Test("In an actor's queue, changes merge beside a pause, whose changes are in between")
  func mailboxBesideAPause() async {
    let property = SharedObserved(0)
    let (actor, inbox) = (HeldActor(), Inbox<Change<Int>>())
    let token = property.observe(owner: actor) { _, change in inbox.append(change) }
    for value in 1...2_000 { property.value = value }
    let pause = token.pause()
    for value in 2_001...3_000 { property.value = value }
    pause.cancel()
    for value in 3_001...6_000 { property.value = value }
    actor.executor.open()
    await until(inbox.entries.last?.new == 6_000)
    #expect(inbox.entries.count == 1_000)
    #expect(isUnbroken(inbox.entries))
  }

  @Test("Changes without a net effect are not reported, and the chain stays unbroken")
  func netZero() async {
    let property = SharedObserved(0)
    let (late, token) = (Log<Change<Int>>(), Holder<Token>())
    let (delivered, _) = await blocked(property, last: 5_000) {
      for value in 2...1_001 { property.value = value }
      property.value = 1_000
      token.hold(property.observe { late.append($0) })
      property.value = 5_000
    }
    let changes = delivered.map(\.change)
    #expect(changes.map(\.new) == Array(1...1_000) + [5_000])
    #expect(isUnbroken(changes))
    await until(late.count > 0)
    #expect(late.entries.map(\.old) == [1_000])
    #expect(delivered.count + property.mergedCount == 1_003)
    token.letGo()
  }

  @Test("In an actor's queue, changes without a net effect are not reported")
  func netZeroInAMailbox() async {
    let property = SharedObserved(0)
    let (actor, inbox) = (HeldActor(), Inbox<Change<Int>>())
    property.observe(owner: actor) { _, change in inbox.append(change) }
    for value in Array(1...1_000) + [999, 2_000, 2_001, 999] { property.value = value }
    let barrier = property.observe { _ in }
    property.value = 5_000
    actor.executor.open()
    await until(inbox.entries.last?.new == 5_000)
    #expect(inbox.entries.allSatisfy { $0.old != $0.new })
    #expect(isUnbroken(inbox.entries))
    #expect(inbox.entries.count + property.mergedCount == 1_005)
    withExtendedLifetime(barrier) {}
  }

  @Test("A value set by an observer that is catching up follows all the changes it catches up with")
  func setWhileHandingOver() {
    let property = SharedObserved(0)
    let changes = Log<Change<Int>>()
    let token = property.observe(initial: true) { [unowned property] change in
      changes.append(change)
      if change.kind == .initial { for value in 1...3 { property.value = value } }
      if change.new == 1 { property.value = 10 }
    }
    #expect(changes.entries.map(\.new) == [0, 1, 2, 3, 10])
    withExtendedLifetime(token) {}
  }

  @Test("Short registrations beside a blocked handler leave at most 1,000 changes waiting")
  func shortRegistrations() async {
    let property = SharedObserved(0)
    let count = size(3_000, full: 10_000)
    let (logs, tokens) = ((0...count / 100).map { _ in Log<Change<Int>>() }, Log<Token>())
    let (delivered, _) = await blocked(property, last: count) {
      for value in 2...count {
        property.observe(initial: true) { _ in }.cancel()
        if value.isMultiple(of: 100) {
          let (log, isInitial) = (logs[value / 100], value.isMultiple(of: 200))
          tokens.append(property.observe(initial: isInitial) { log.append($0) })
        }
        property.value = value
      }
    }
    let changes = delivered.map(\.change)
    #expect(changes.count <= 1_001)
    #expect(isUnbroken(changes))
    #expect(changes.last?.new == count)
    // Each registration began during the merge, with the value at that time.
    for (index, log) in logs.enumerated().dropFirst() {
      await until(log.entries.last?.new == count)
      #expect(log.entries.first?.old == 100 * index - 1)
      #expect(isUnbroken(log.entries))
    }
    withExtendedLifetime(tokens) {}
  }

  @Test("Short registrations beside a busy actor leave at most 1,000 changes in its queue")
  func shortRegistrationsBesideAMailbox() async {
    let property = SharedObserved(0)
    let (actor, inbox) = (HeldActor(), Inbox<Change<Int>>())
    let late = Inbox<Change<Int>>()
    let token = property.observe(owner: actor) { _, change in inbox.append(change) }
    let count = size(3_000, full: 10_000)
    for value in 1...count {
      property.observe { _ in }.cancel()
      token.pause().cancel()
      if value == 2_500 {
        property.observe(owner: actor) { _, change in late.append(change) }
      }
      property.value = value
    }
    actor.executor.open()
    await until(late.entries.last?.new == count)
    await until(inbox.entries.last?.new == count)
    #expect(inbox.entries.count <= 1_000)
    #expect(isUnbroken(inbox.entries))
    #expect(late.entries.first?.old == 2_499)
    #expect(isUnbroken(late.entries))
  }

  @Test("A registration with a slow initial call is left to a task after 64 further changes")
  func slowRegistration() async {
    let property = SharedObserved(0)
    let (isInside, mayLeave, isOver) = (ManualLatch(), ManualLatch(), ManualLatch())
    let (delivered, first) = (Log<Delivered>(), Holder<ThreadID>())
    let (token, count) = (Holder<Token>(), size(3_000, full: 10_000))
    await onThreads(2) { index in
      if index == 0 {
        first.hold(.current)
        token.hold(
          property.observe(initial: true) { change in
            if change.kind == .initial {
              isInside.open()
              mayLeave.block()
            }
            delivered.append(Delivered(change: change, thread: .current))
            if change.new == count { isOver.open() }
          }
        )
        isOver.block()
      } else {
        isInside.block()
        for value in 1...count { property.value = value }
        mayLeave.open()
      }
    }
    let changes = delivered.entries.map(\.change)
    #expect(changes.first?.kind == .initial)
    #expect(changes.count <= 1_001)
    #expect(isUnbroken(changes))
    #expect(delivered.entries.count { $0.thread == first.value } == 65)
    token.letGo()
  }

  /// Calls a closure on one thread, and meanwhile, while a handler of the property stops that thread, sets
  /// values on another thread and releases the property.
  ///
  /// The delivery is then left to a task, whose first call waits until the closure has returned.
  ///
  /// - Parameters:
  ///   - last: The last value.
  ///   - stop: Returns whether a change stops the thread.
  ///   - begin: Registers a handler, and lets the property call it.
  /// - Returns: The new values in the order of delivery.
  private func leavingToATask(
    last: Int,
    stopping stop: @escaping @Sendable (Change<Int>) -> Bool,
    _ begin:
      @escaping @Sendable (
        SharedObserved<Int>, @escaping @Sendable (Change<Int>) -> Void
      ) -> Token
  ) async -> [Int] {
    let (isInside, mayLeave, hasReturned) = (ManualLatch(), ManualLatch(), ManualLatch())
    let (delivered, token, properties) = (
      Inbox<Int>(), Holder<Token>(), Holder<SharedObserved<Int>>()
    )
    properties.hold(SharedObserved(0))
    await onThreads(2) { index in
      if index == 0 {
        let first = ThreadID.current
        if let property = properties.value {
          let kept = begin(property) { change in
            if stop(change) {
              isInside.open()
              mayLeave.block()
            }
            if ThreadID.current != first { hasReturned.block() }
            delivered.append(change.new)
          }
          token.hold(kept)
        }
        hasReturned.open()
      } else {
        isInside.block()
        for value in 2...last { properties.value?.value = value }
        properties.letGo()
        mayLeave.open()
      }
    }
    // The registration ends with the property, when the task has delivered what was set before.
    await until(token.value?.isActive == false)
    token.letGo()
    return delivered.entries
  }

  @Test("Changes left to a task are delivered although the property has been released")
  func releasedBeforeATask() async {
    let values = await leavingToATask(last: 500) {
      $0.new == 1
    } _: { property, handler in
      let token = property.observe(handler)
      property.value = 1
      return token
    }
    #expect(values == Array(1...500))
  }

  @Test("A registration left to a task receives the values set before the property was released")
  func releasedDuringARegistration() async {
    let values = await leavingToATask(last: 500) {
      $0.kind == .initial
    } _: { property, handler in
      property.observe(initial: true, handler)
    }
    #expect(values == [0] + Array(2...500))
  }

  @Test("Changes that a pause finds held during a registration are delivered")
  func pausedDuringARegistration() async {
    let property = SharedObserved(0)
    let heard = Inbox<Int>()
    let (isHalfway, isPaused) = (ManualLatch(), ManualLatch())
    // The initial call makes 100 changes, which are held; a task goes on after a turn.
    let token = property.observe(initial: true) { change in
      heard.append(change.new)
      if change.kind == .initial { for value in 1...100 { property.value = value } }
      if change.new == 65 {
        isHalfway.open()
        isPaused.block()
      }
    }
    await isHalfway.wait()
    let pause = token.pause()
    isPaused.open()
    #expect(await heard.first(101) == Array(0...100))
    pause.cancel()
    property.value = 101
    #expect(await heard.first(102).last == 101)
  }
}
