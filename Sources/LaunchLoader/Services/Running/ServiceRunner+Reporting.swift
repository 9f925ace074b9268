internal import EventBus

/// The messages that name the services for which a start or a stop waits.
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

  /// Reports the services that delay a transition which has lasted for some time.
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
      "Still waiting, after \(waited.shortText), for \(names.joined(separator: ", ")) to \(goal)"
      + advice(on: transition, delaying, isAlone: names.count == 1) + "."
    // A stop without a limit must not be extended forever.
    if transition == .start || machine(\.hasLimit) {
      place.perform(.delayed(names.isEmpty ? "Waiting to \(goal)." : text))
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

  /// Returns a clause about the services that have yet to report their readiness; empty if there are none.
  private func advice(
    on transition: ServiceTransition,
    _ delaying: [(id: ServiceMachine.ID, name: String)],
    isAlone: Bool
  ) -> String {
    if transition != .start { return "" }
    let ids = machine(\.awaitedReadiness)
    let silent = delaying.filter { ids.contains($0.id) && groups(of: $0.id).isEmpty }
    if silent.isEmpty { return "" }
    if isAlone { return ": it has not called markReady()" }
    let names = silent.map { "\"\($0.name)\"" }.joined(separator: ", ")
    return ": \(names) \(silent.count == 1 ? "has" : "have") not called markReady()"
  }

  /// Returns whether a transition of the services waits for one of them.
  private func waits(for service: ServiceMachine.ID, to transition: ServiceTransition) -> Bool {
    machine { $0.transition == transition && $0.waitedFor.contains { $0.id == service } }
  }
}
