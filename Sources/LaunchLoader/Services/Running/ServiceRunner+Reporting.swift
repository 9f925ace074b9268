internal import EventBus

/// The messages that name what a start or a stop waits for.
extension ServiceRunner {
  /// The transition in progress, and the services that delay it, by their names in messages.
  ///
  /// A group whose services delay the same transition is represented by them. One whose services delay
  /// another transition, because it stops by itself while others start, is left out: its own messages name
  /// them.
  var delay: (transition: ServiceTransition, services: [String])? {
    let (transition, services) = machine { ($0.transition, $0.waitedFor) }
    return transition.map { ($0, names(of: services, in: $0)) }
  }

  /// Returns the names of services that delay a transition, with those of their groups.
  private func names(
    of services: [(id: ServiceMachine.ID, name: String)],
    in transition: ServiceTransition
  ) -> [String] {
    services.flatMap { id, name in
      let delays = groups(of: id).compactMap(\.delay).filter { !$0.services.isEmpty }
      if delays.isEmpty { return [name] }
      return delays.filter { $0.transition == transition }.flatMap(\.services)
    }
  }

  /// Says what a transition waits for, that has lasted for some time.
  func reportDelay(
    of transition: ServiceTransition,
    _ waited: Duration,
    _ delaying: [(id: ServiceMachine.ID, name: String)],
    _ place: Place
  ) {
    // Otherwise, the messages about the service that runs this group name its services.
    if let (runner, attempt) = place.parent, runner.waits(for: attempt.id, to: transition) {
      return
    }
    let services = names(of: delaying, in: transition)
    let others = place.others()
    let names = services.map { "service \"\($0)\"" } + others.names
    let goal = transition == .start ? "start" : "stop"
    let text =
      "waiting for \(names.joined(separator: ", ")) to \(goal), for \(waited.shortText) now"
    // A stop without a limit must not be extended for ever.
    if transition == .start || machine(\.hasLimit) {
      place.perform(.delayed(names.isEmpty ? "waiting to \(goal)" : text))
    }
    if names.isEmpty { return }
    let message = AppHostMessage(
      text,
      services: services,
      workers: others.workers,
      state: transition == .start ? .starting : .stopping,
      elapsed: waited
    )
    place.report(.message(message))
  }

  /// Returns whether a transition of the services waits for one of them.
  private func waits(for service: ServiceMachine.ID, to transition: ServiceTransition) -> Bool {
    machine { $0.transition == transition && $0.waitedFor.contains { $0.id == service } }
  }
}
