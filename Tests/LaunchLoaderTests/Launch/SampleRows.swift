import LaunchLoader

extension LaunchMachine.Row {
  /// Returns a row whose work has ended.
  static func ended(
    _ id: LaunchID,
    fileID: StaticString = "App/File.swift",
    line: UInt = 1,
    phase: LaunchPhase = .standard,
    after dependencies: [LaunchID] = [],
    isSynchronous: Bool = true,
    turn: Int? = nil,
    start: Duration = .zero,
    duration: Duration = .zero,
    _ outcome: LaunchOutcome = .finished
  ) -> LaunchMachine.Row {
    let item = LaunchItem(
      id: id,
      fileID: fileID,
      line: line,
      after: dependencies,
      phase: phase,
      isSynchronous ? LaunchWork(synchronous: { _ in }) : LaunchWork(asynchronous: { _ in })
    )
    return LaunchMachine.Row(item, outcome, turn: turn, start: start, duration: duration)
  }
}

extension LaunchItem {
  /// Creates an item with the usual terms where none are given.
  convenience init(
    id: LaunchID?,
    fileID: StaticString = "File.swift",
    line: UInt = 1,
    after: [LaunchID] = [],
    afterIfPresent: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    _ work: LaunchWork = LaunchWork(synchronous: { _ in })
  ) {
    self.init(
      id,
      LaunchSite(fileID: fileID, line: line),
      after: after,
      afterIfPresent: afterIfPresent,
      phase: phase,
      work
    )
  }
}

extension LaunchMachine {
  /// Takes the work that was refused out, with its outcomes.
  mutating func takeRefused() -> [(item: LaunchItem, outcome: LaunchOutcome)] {
    takeOutbox().compactMap { notice in
      if case .refused(let item, let outcome, _) = notice { (item, outcome) } else { nil }
    }
  }

  /// A machine that reads names when work is registered.
  static var reading: LaunchMachine {
    var machine = LaunchMachine()
    machine.readNames()
    return machine
  }
}

extension LaunchWork {
  /// Work of a closure without needs.
  init(synchronous closure: @escaping @isolated(any) @Sendable (LaunchOptions) throws -> Void) {
    self.init(PlainClosure(closure))
  }

  /// Asynchronous work of a closure without needs.
  init(
    asynchronous closure: @escaping @isolated(any) @Sendable (LaunchOptions) async throws -> Void
  ) {
    self.init(AsynchronousClosure((), closure))
  }
}
