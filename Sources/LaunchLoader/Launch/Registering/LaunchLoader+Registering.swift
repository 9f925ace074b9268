internal import EventBus

extension LaunchLoader {
  /// Withdraws a registration that has not begun.
  ///
  /// - Returns: The registration, for the caller to dismiss; `nil` if it has begun or ended.
  func withdraw(_ row: Int) -> LaunchItem? {
    guard let withdrawn = state.withLock({ $0.registry.withdraw(row) }) else { return nil }
    perform(withdrawn.effects)
    return withdrawn.registration
  }

  /// Registers work of any form.
  @inline(never)  // Each of the 24 forms of `register` would contain it, 1.3 kB.
  func add(
    _ id: LaunchID?,
    _ dependencies: [LaunchID],
    _ others: [LaunchID],
    _ phase: LaunchPhase,
    _ timeout: Duration?,
    _ condition: LaunchItem.Condition?,
    _ fileID: StaticString,
    _ line: UInt,
    _ work: LaunchWork
  ) -> LaunchRegistration {
    let registration = LaunchItem(
      id,
      LaunchSite(fileID: fileID, line: line),
      after: dependencies,
      afterIfPresent: others,
      phase: phase,
      timeout: timeout,
      when: condition,
      work
    )
    let (acceptance, arrival) = state.withLock { state in
      (state.registry.register(registration), state.takeArrival(of: registration.id))
    }
    arrival?.open()
    switch acceptance {
    case .kept(let row, let wake):
      self.wake(wake)
      return LaunchRegistration(registration, of: self, row: row)
    case .runsNow(let options, let row):
      LaunchRunner(self, options).runLate(registration, row)
      return LaunchRegistration(registration, of: self)
    case .dismissed(let outcome, let original):
      registration.dismiss(outcome)
      say(Talk.Refusal(registration: registration, outcome: outcome, original: original))
      return LaunchRegistration(registration, of: self, original: original)
    }
  }
}
