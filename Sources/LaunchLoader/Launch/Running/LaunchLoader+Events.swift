internal import EventBus

/// Events of other threads.
extension LaunchLoader {
  /// The work that remains outside of the lock after the machine has changed.
  ///
  /// An object, because it is returned from under the lock by every call of work, and nothing remains almost always.
  final class Aftermath: Sendable {
    let notices: [LaunchMachine.Notice]
    let cancelled: [Task<Void, Never>]
    let woken: Run?
    let newRun: Run?

    /// Takes out what remains.
    fileprivate init(_ state: inout State, begins: Bool) {
      notices = state.machine.takeOutbox()
      cancelled = notices.compactMap { notice in
        switch notice {
        case .cancelled(let row): state.tasks[row]?.task
        case .ended(let row): state.tasks.removeValue(forKey: row)?.watch
        case .refused, .released, .late: nil
        }
      }
      woken = state.isChanged && state.isWaiting ? state.run : nil
      if woken != nil { state.isWaiting = false }
      newRun = begins ? state.run : nil
    }
  }

  /// Changes the machine on behalf of an event, and does what follows.
  @discardableResult
  func change<Result>(_ body: (inout LaunchMachine) -> Result) -> Result {
    let (result, aftermath) = state.withLock { state in
      let result = body(&state.machine)
      state.isChanged = true
      return (result, state.takeAftermath())
    }
    perform(aftermath)
    return result
  }

  /// Cancels tasks, wakes the driver or begins to drive the work after the launch, refuses registrations, and closes
  /// late values.
  ///
  /// The driver of the work after the launch runs in a detached task, so that it does not inherit the context of the
  /// worker that happens to end last; so does a late closure.
  func perform(_ aftermath: Aftermath?) {
    guard let aftermath else { return }
    for task in aftermath.cancelled { task.cancel() }
    aftermath.woken?.bell.ring()
    for case .refused(let item, let outcome, let original) in aftermath.notices {
      item.settle(outcome, original: original)
      say(Talk.Refusal(item: item, outcome: outcome, original: original))
    }
    for case .late(let item) in aftermath.notices { Task.detached { await self.closeLate(item) } }
    guard let run = aftermath.newRun else { return }
    Task.detached(priority: .utility) { await self.drive(run) }
  }
}

extension LaunchLoader.State {
  /// Returns the next step of the driver.
  mutating func next(canWait: Bool) -> LaunchMachine.Step {
    isChanged = false
    let step = machine.next(canWait: canWait)
    if case .rest = step { hasDriver = false }
    return step
  }

  /// Takes out what remains to be done; `nil` if that is nothing.
  mutating func takeAftermath() -> LaunchLoader.Aftermath? {
    let begins = machine.stage == .launched && !hasDriver && machine.hasNext
    guard begins || isWaiting && isChanged || !machine.outbox.isEmpty else { return nil }
    if begins { hasDriver = true }
    return LaunchLoader.Aftermath(&self, begins: begins)
  }
}
