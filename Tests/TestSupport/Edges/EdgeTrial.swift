internal import EventBus

/// One kind of registration in one situation, and the problems found there.
public final class EdgeTrial: Sendable {
  /// The kind.
  public let kind: EdgeKind
  /// An entry for each call of the handler.
  public let calls = Inbox<Int>()
  /// Counts the captures of the handlers.
  public let tally = Tally()
  /// The subject of the trial, for handlers that use it.
  public let subjects = Holder<EdgeSubject>()
  private let findings = Log<String>()

  /// Begins a trial.
  public init(_ kind: EdgeKind) { self.kind = kind }

  /// The problems, in the order in which they were found.
  public var found: [String] { findings.entries }

  /// Makes the registration.
  ///
  /// - Parameters:
  ///   - call: The behavior of the handler, besides counting its calls.
  ///   - suspend: Its behavior after that, if it is asynchronous.
  /// - Returns: The registration.
  public func make(
    _ call: @escaping @Sendable () throws -> Void = {},
    suspend: @escaping @Sendable () async -> Void = {}
  ) async -> EdgeSubject {
    let subject = await kind.make(
      EdgeHandler(
        call: { [probe = tally.probe(), calls] in
          probe.touch()
          calls.append(calls.entries.count)
          try call()
        },
        suspend: suspend
      )
    )
    subjects.hold(subject)
    return subject
  }

  /// Notes a problem unless a condition holds.
  public func expect(_ condition: Bool, _ text: String) {
    if !condition { findings.append(text) }
  }

  /// Notes a number of calls that is not the right one.
  public func expectCalls(_ expected: Int, _ when: String) {
    let count = calls.entries.count
    expect(count == expected, "\(count) calls instead of \(expected) \(when)")
  }

  /// The number of calls that the first firing makes.
  public var callsAtFirst: Int { kind.calls == .atItsEnd ? 0 : 1 }

  /// The number of calls that two firings make.
  public var callsAtSecond: Int { kind.calls == .everyTime ? 2 : callsAtFirst }

  /// The number of calls that the end makes.
  public var callsAtEnd: Int { kind.calls == .atItsEnd ? 1 : 0 }

  /// Notes an ended registration that is active, is called or keeps its handler.
  public func expectEnded(_ subject: EdgeSubject, _ when: String) async {
    await subject.settle()
    let before = calls.entries.count
    if let isActive = subject.isActive { expect(!isActive, "active \(when)") }
    await subject.fire()
    expectCalls(before, "after it was fired, \(when)")
    await expectFreed(when)
  }

  /// Waits for a task, and notes one that does not end for so long that something must be wrong.
  public func expectEnd(_ task: Task<Void, Never>, _ when: String) async {
    let isOver = ManualLatch()
    let watching = Task {
      await task.value
      isOver.open()
    }
    await expectSoon("waits for ever \(when)") { isOver.isOpen }
    task.cancel()
    await watching.value
  }

  /// Waits until a condition holds, and notes if it does not although the process is at rest.
  public func expectSoon(_ text: String, _ condition: () -> Bool) async {
    if !condition() { await rest() }
    expect(condition(), text)
  }

  /// Notes a handler that has not been freed, or was freed twice.
  public func expectFreed(_ when: String) async {
    if kind.traits.contains(.isKeptElsewhere) { return }
    // The task that made the call may be on its way out.
    if kind.traits.contains(.isQueued), tally.live > 0 { await rest() }
    expect(tally.freed == 1, "freed \(tally.freed) times \(when)")
  }
}
