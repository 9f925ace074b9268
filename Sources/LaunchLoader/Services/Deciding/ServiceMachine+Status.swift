internal import EventBus

/// The services that a run waits for, and their states.
extension ServiceMachine {
  /// The services that delay the transition in progress, with their names in messages, in registration order.
  ///
  /// - Complexity: O(*n*) in the number of services.
  var waitedFor: [(id: ID, name: String)] {
    table.living.filter(isWaitedFor).map { ($0.id, fullName($0.name)) }
  }

  /// The services that run and have yet to report that they are ready.
  var awaitedReadiness: [ID] {
    table.living.filter { $0.state == .starting && $0.options.reportsReadiness }.map(\.id)
  }

  private func isWaitedFor(_ record: ServiceRecord) -> Bool {
    if record.isEnding { return true }
    return transition == .start && !record.isSatisfied
      && (record.isRunning || record.state == .pausing)
  }

  /// The services that have not ended, in registration order.
  ///
  /// - Complexity: O(*n* + *e*) in the number of services and of the names in their options.
  package var statuses: [AppServiceStatus] {
    let living = table.living
    let isChain = isChain && living.allSatisfy { $0.options.after.isEmpty }
    var former: ServiceRecord?
    return living.map { record in
      defer { former = record }
      var dependencies = record.options.after
      if isChain, let former, former.id == record.id - 1 { dependencies = [former.name] }
      return AppServiceStatus(
        name: fullName(record.name),
        state: record.state,
        dependencies: dependencies.map { fullName($0) },
        isWaitedFor: isWaitedFor(record),
        attempt: record.attempt
      )
    }
  }

  /// True if the run has started, and every service is ready.
  ///
  /// - Complexity: O(*n*) in the number of services.
  package var isReady: Bool {
    guard case .running = stage, hasStarted else { return false }
    return table.records.indices.allSatisfy { !table[$0].isLiving || table[$0].state == .ready }
  }

  /// Stops the program if the state is inconsistent.
  ///
  /// - Complexity: O(*n*²) in the number of services.
  package func _checkInvariants() {
    table._checkInvariants()
    let living = table.living
    assert(ending == living.count(where: \.isEnding), "ending services are miscounted")
    assert(
      isStopRequested || leaving.isEmpty && living.allSatisfy { !$0.isEnding || $0.missedStart },
      "a service ends or is abandoned without a request"
    )
    switch stage {
    case .collecting, .launching:
      assert(living.allSatisfy { $0.state == nil }, "services start before the run")
    case .running:
      assert(
        unstarted == living.count { !$0.isSatisfied },
        "the services that have not started are miscounted"
      )
      assert(hasStarted || unstarted > 0, "the start goes unreported")
      let waiting = living.filter { !$0.isSatisfied }.flatMap(\.dependants)
      assert(
        living.allSatisfy { record in record.blockers == waiting.count { $0 == record.id } },
        "the dependencies of a service are miscounted"
      )
      assert(
        living.allSatisfy { ($0.state == nil) == ($0.blockers > 0) },
        "a service that may start does not, or one that may not does"
      )
    case .announced:
      assert(needsPermission, "the stop waits for nothing")
      assert(living.allSatisfy(\.hasTask), "a service without a task outlasts the announcement")
    case .stopping, .cancelling:
      assert(!needsPermission, "services stop without permission")
      assert(living.allSatisfy(\.hasTask), "a service without a task outlasts the announcement")
    case .over:
      assert(table.count == 0 && leaving.isEmpty, "a service outlasts the run")
    }
  }
}
