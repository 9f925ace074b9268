internal import EventBus

/// The groups that services run.
extension ServiceRunner {
  /// A Boolean value that indicates whether the outermost services, those of the application, are stopping.
  var isProgramStopping: Bool {
    var outermost = self
    while let parent = outermost.parent?.runner { outermost = parent }
    return outermost.isStopRequested
  }

  /// Determines the place of a group.
  ///
  /// - Parameters:
  ///   - name: The name of the group.
  ///   - service: The service that runs it.
  ///   - clock: The clock of the group's time limits; `nil` means the one of these services.
  /// - Returns: The place.
  func place(
    ofGroup name: String,
    runBy service: Machine.ID,
    on clock: (any Clock<Duration>)?
  ) -> ServiceGroupPlace {
    let (path, stopTimeout, cancelTimeout) = state.withLock { state in
      (state.machine.path, state.machine.stopTimeout, state.machine.cancelTimeout)
    }
    let limits = ServiceAlarms(clock ?? alarms.clock)
    return ServiceGroupPlace(
      parent: self,
      service: service,
      path: path + name + "/",
      stopTimeout: stopTimeout,
      cancelTimeout: cancelTimeout,
      alarms: limits,
      reports: clock == nil && reports === alarms ? limits : ServiceAlarms(reports.clock)
    )
  }

  /// Records that a service runs a group, unless the service has ended or was abandoned.
  func groupBegins(_ group: ServiceRunner, runBy service: Machine.ID) {
    update { state in
      guard state.machine.groupBegins(in: service) else { return }
      state.groups[service, default: []].append(group)
    }
  }

  /// Records that a group that a service ran has ended.
  func groupHasEnded(_ group: ServiceRunner, runBy service: Machine.ID) {
    update { state in
      // Otherwise, its errors are about to be read.
      guard state.machine.groupHasEnded(in: service) else { return }
      state.groups[service]?.removeAll { $0 === group }
      if state.groups[service]?.isEmpty == true { state.groups[service] = nil }
    }
  }

  /// Abandons the groups of a service, and with them all their services, and then reports their errors.
  func leaveGroups(of service: Machine.ID) {
    let groups = state.withLock { $0.groups.removeValue(forKey: service) } ?? []
    Task {
      var failures: [Machine.Failure] = []
      for group in groups { failures += await group.leave() }
      send { [failures] in $0.left(service, failures.map(\.error)) }
    }
  }

  /// Abandons all services that have not ended.
  ///
  /// - Returns: The failures of the run, which is over.
  nonisolated(nonsending) private func leave() async -> [Machine.Failure] {
    send { $0.leaveAll() }
    await end.waitUncancelled()
    return state.withLock { $0.machine.outcome } ?? []
  }
}
