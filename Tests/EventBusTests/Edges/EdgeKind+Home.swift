import EventBus
import TestSupport

extension EventNames {
  fileprivate static let edge = EventName<Int>("edge at home")
}

extension EdgeKind {
  /// The kinds of handlers on the main actor whose events are posted there.
  static let ofPostsAtHome = [
    atHome("handler") { bus, handler, _ in
      bus.observe(.edge) { _ in
        MainActor.preconditionIsolated()
        try handler.call()
      }
    },
    atHome("once", calls: .once) { bus, handler, _ in
      bus.observe(.edge, once: true) { _ in
        MainActor.preconditionIsolated()
        try handler.call()
      }
    },
    atHome("owner", owner: .object, traits: [.isKept]) { bus, handler, owners in
      let panel = Panel()
      owners.hold(panel)
      return bus.observe(.edge, owner: panel) { _, _ in try handler.call() }
    },
    atHome("lifetime owner", owner: .lifetime, traits: [.isKept]) { bus, handler, owners in
      let screen = Screen()
      owners.hold(screen)
      return bus.observe(.edge, owner: screen) { _, _ in try handler.call() }
    },
    atHome("owner, beside another priority", owner: .object, traits: [.isKept], others: 1) {
      bus,
      handler,
      owners in
      let panel = Panel()
      owners.hold(panel)
      bus.observe(.edge, owner: bus, priority: .high) { _, _ in }
      return bus.observe(.edge, owner: panel) { _, _ in try handler.call() }
    },
    atHome("owner, with a sender", owner: .object, traits: [.isKept]) { bus, handler, owners in
      let panel = Panel()
      owners.hold(panel)
      return bus.observe(.edge, owner: panel, from: bus) { _, _ in try handler.call() }
    },
  ]

  /// A handler on the main actor whose events are posted there, by the bus itself; `make` adds `others` more
  /// registrations.
  private static func atHome(
    _ name: String,
    calls: Calls = .everyTime,
    owner: Owner = .none,
    traits: Set<Trait> = [],
    others: Int = 0,
    make:
      @escaping @MainActor @Sendable (EventBus, EdgeHandler, Holder<any AnyObject & Sendable>) ->
      Token
  ) -> EdgeKind {
    EdgeKind(
      "\(name), posted at home",
      calls: calls,
      owner: owner,
      traits: traits.union([.canThrow, .isQueued])
    ) { handler in
      let bus = EventBus(hooks: .silent)
      let owners = Holder<any AnyObject & Sendable>()
      let token = await MainActor.run { make(bus, handler, owners) }
      // The thread that is posting. The main actor may have another one at its next turn.
      let poster = Holder<ThreadID>()
      let post: @MainActor @Sendable () -> Void = {
        let outer = poster.value
        poster.hold(.current)
        bus.post(.edge, 1, from: bus)
        poster.hold(outer)
      }
      let subject = EdgeSubject(
        token,
        fire: { await post() },
        poke: {
          if poster.value == .current {
            MainActor.assumeIsolated(post)
          } else {
            Task { await post() }
          }
        }
      )
      subject.register = { bus.observe(.edge) { _ in } }
      subject.fireExcluding = { bus.post(.edge, 1, from: bus, excluding: $0) }
      subject.count = { bus.snapshot().observations.count - others }
      subject.dropOwner = { owners.letGo() }
      subject.lifetime = { (owners.value as? any LifetimeOwner)?.lifetime }
      return subject
    }
  }
}
