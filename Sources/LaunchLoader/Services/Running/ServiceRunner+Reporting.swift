internal import EventBus

/// The messages that name what a start or a stop waits for.
extension ServiceRunner {
  /// The transition in progress, and the services that delay it, by their names in messages.
  ///
  /// A group whose services delay the same transition is represented by them. One whose services delay
  /// another transition, because it stops by itself while others start, is left out: its own messages name
  /// them.
  var delay: (transition: ServiceTransition, services: [String])? {
    // No more than this: a copy of the state could be the last owner of a service.
    let waited = state.withLock { state in
      state.machine.transition.map { transition in
        (transition, state.machine.waitedFor.map { ($0.name, state.groups[$0.id] ?? []) })
      }
    }
    guard let (transition, services) = waited else { return nil }
    let names = services.flatMap { name, groups in
      let delays = groups.compactMap(\.delay).filter { !$0.services.isEmpty }
      if delays.isEmpty { return [name] }
      return delays.filter { $0.transition == transition }.flatMap(\.services)
    }
    return (transition, names)
  }

  /// Begins or ends the messages about what the start waits for, for a runner that does not watch the start by
  /// itself.
  ///
  /// Called after each change of the condition. Of concurrent calls, each corrects what another may have done
  /// too late.
  ///
  /// - Parameter isWatched: Returns whether the messages are wanted.
  func watchStart(while isWatched: @escaping @Sendable () -> Bool) {
    var wasWatched: Bool
    repeat {
      wasWatched = isWatched()
      let number = state.withLock { state in
        state.machine.transition == .start ? state.machine.transitionNumber : nil
      }
      if !wasWatched {
        reports.remove(.start, upTo: .start)
      } else if let number {
        reportTransition(number, .start, while: isWatched)
      }
    } while wasWatched != isWatched()
  }

  /// Reports what a transition waits for, as long as it lasts.
  func reportTransition(
    _ number: Int,
    _ key: ServiceAlarms.Key,
    while isWatched: @escaping @Sendable () -> Bool = { true }
  ) {
    reports.setReports(key) { [self] waited in
      let isCurrent = state.withLock { $0.machine.transitionNumber == number }
      guard isCurrent, isWatched(), let (transition, services) = delay else { return false }
      // Otherwise, the messages about the service that runs this group name its services.
      if let parent, parent.runner.waits(for: parent.service, to: transition) { return true }
      let others = others()
      let names = services.map { "service \"\($0)\"" } + others.names
      if !names.isEmpty {
        let goal = transition == .start ? "start" : "stop"
        let message = AppHostMessage(
          "waiting for \(names.joined(separator: ", ")) to \(goal), for \(waited.shortText) now",
          services: services,
          workers: others.workers,
          state: transition == .start ? .starting : .stopping,
          elapsed: waited
        )
        receiver(.say(message))
      }
      return true
    }
  }

  /// Returns whether a transition of the services waits for one of them.
  private func waits(for service: Machine.ID, to transition: ServiceTransition) -> Bool {
    state.withLock { state in
      state.machine.transition == transition
        && state.machine.waitedFor.contains { $0.id == service }
    }
  }
}
