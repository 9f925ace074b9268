internal import EventBus

extension ThemeManager {
  /// The uppermost manager of the tree this one belongs to.
  var root: ThemeManager { parent?.root ?? self }

  /// The theme that this manager will have when everything is done that waits, or else has.
  ///
  /// - Complexity: O(1), or O(*d*) in the number of managers above while something waits.
  var upcoming: Theme {
    guard root.queue.isWaiting else { return theme }
    return (waitingWish ?? overlay.map(ThemeWish.overlay))?.theme(over: parent?.upcoming) ?? theme
  }

  /// The last wish for this manager that is not done yet.
  private var waitingWish: ThemeWish? { root.queue.lastWish(for: ObjectIdentifier(self))?.wish }

  /// Switches to a theme.
  ///
  /// When this returns, every property whose key changed has its new value and the switch has been
  /// posted; unless it is called while a switch is being applied or posted: then the theme is
  /// noted, and used when that switch is done. The last one noted wins. Using the theme that is in
  /// use is a switch that changes nothing, and is posted too.
  ///
  /// A switch that waits is checked at once, together with all others that wait: what does not go
  /// with them is thrown here, to the caller who asks for it, and they are applied without it.
  ///
  /// A switch that an event of another thread asks for while one is being applied is used in a later
  /// turn of the main actor, and is not counted as led to.
  ///
  /// A scope that is told to use a theme wears exactly that from then on, and no longer follows the
  /// manager it was made from.
  ///
  /// - Parameter theme: The theme.
  /// - Throws: ``ThemeError`` with the code ``ThemeError/Code/aliasCycle`` when aliases of the theme
  ///   form a cycle, alone or together with those of a scope: nothing has changed then. With the
  ///   code ``ThemeError/Code/switchLoop`` when each of 16 switches led to another one. That is
  ///   thrown to the caller who asks for the next one, which is not noted, and to the caller who
  ///   began; the theme of the last round stays in use.
  /// - Complexity: O(*v*) in the number of values of both themes, and O(*n*) in the number of
  ///   subscriptions to the keys that changed; others cost nothing. Both for each scope, too.
  public func use(_ theme: Theme) throws(ThemeError) { try submit(.wear(theme)) }

  /// Switches to a theme that was registered.
  ///
  /// - Parameter name: The name of the theme.
  /// - Throws: ``ThemeError`` with the code ``ThemeError/Code/unknownTheme`` when no theme of this
  ///   name is registered, and as for a theme that is given.
  /// - Complexity: As for a theme that is given.
  public func use(_ name: String) throws(ThemeError) { try use(root.catalogue.theme(named: name)) }

  /// Registers themes under their names, in place of themes with the same names.
  ///
  /// The theme in use stays as it is. A manager and its scopes know the same names.
  ///
  /// - Parameter themes: The themes.
  public func register(_ themes: Theme...) {
    let root = root
    let former = themes.map { root.catalogue.register($0) }
    withExtendedLifetime(former) {}
  }

  /// Changes the theme in use: any number of keys, in one switch.
  ///
  /// A registered theme of the same name is not changed. In a scope the changes are the scope's own,
  /// and stay when the manager above switches. Called while a switch is being applied, it changes
  /// the theme that waits to be used next, if there is one.
  ///
  /// - Parameter change: Sets values. Called once, before this returns.
  /// - Throws: ``ThemeError``, as ``use(_:)-(Theme)`` does.
  /// - Complexity: As ``use(_:)-(Theme)``.
  public func edit(_ change: (inout Theme) -> Void) throws(ThemeError) {
    var next = upcoming
    change(&next)
    switch waitingWish ?? overlay.map(ThemeWish.overlay) {
    case .overlay(let layer): try submit(.overlay(next.stack.changes(ofScope: layer.scope)))
    case .wear, nil: try submit(.wear(next))
    }
  }

  /// Switches now, or notes the wish when a switch is running.
  ///
  /// Either way the wish is checked first, together with what waits already; so nothing that waits
  /// is refused later.
  func submit(_ wish: ThemeWish) throws(ThemeError) {
    let root = root
    var plan = SwitchPlan()
    plan.add(self, over: parent?.upcoming) { $0 === self ? wish : $0.waitingWish }
    try plan.check()
    let isLed = bus.openings(on: MainActor.shared) <= root.chain.openings
    if isLed, root.queue.isLastRound {
      throw root.chain.refuse(wish.theme(over: parent?.upcoming)?.name ?? "")
    }
    let isAlone = !root.queue.isWaiting
    let id = ObjectIdentifier(self)
    let (isRunner, former) = root.queue.submit((self, wish), for: id, isLed: isLed)
    if isRunner { try root.runQueue(isAlone ? plan : nil) }
    withExtendedLifetime((plan, former)) {}
  }

  /// Does one round after the other until none leads to another.
  ///
  /// - Parameter first: The plan of the only wish there is, or `nil` to make the first one, too.
  /// - Throws: ``ThemeError`` with the code ``ThemeError/Code/switchLoop``.
  private func runQueue(_ first: SwitchPlan?) throws(ThemeError) {
    var first = first
    chain = SwitchChain(openings: bus.openings(on: MainActor.shared))
    while true {
      switch queue.next() {
      case .run(let round):
        // What makes a circle without what comes after it is done together with that.
        var open: [(manager: ThemeManager, wish: ThemeWish)] = []
        for entry in round {
          open.append(entry)
          let plan = first.take() ?? plan(for: open)
          guard plan.isSound else { continue }
          let done = open
          open = []
          apply(plan, for: done.map(\.manager))
        }
        // A scope that was made meanwhile may need what comes in the next round.
        queue.postpone(open.map { (ObjectIdentifier($0.manager), $0) })
      case .resume:
        Task { self.resume() }
        return try chain.check()
      case .done: return try chain.check()
      }
    }
  }

  /// Does what still waits, in a turn of the main actor that nobody asked for.
  private func resume() {
    guard queue.resume() else { return }
    do throws(ThemeError) {
      try runQueue(nil)
    } catch {
      StandardError.print("Theming: \(error)")
    }
  }

  /// The plan of some wishes that are done together.
  private func plan(for entries: [(manager: ThemeManager, wish: ThemeWish)]) -> SwitchPlan {
    let wishes = Dictionary(entries.map { (ObjectIdentifier($0.manager), $0.wish) }) { $1 }
    var plan = SwitchPlan()
    for (manager, _) in entries where !manager.isReached(by: wishes) {
      plan.add(manager, over: manager.parent?.theme) { wishes[ObjectIdentifier($0)] }
    }
    return plan
  }

  /// Whether planning one of the managers above, for which there are wishes, comes to this one.
  private func isReached(by wishes: [ObjectIdentifier: ThemeWish]) -> Bool {
    guard wishes.count > 1, let parent else { return false }
    if wishes[ObjectIdentifier(parent)] != nil { return true }
    return parent.overlay != nil && parent.isReached(by: wishes)
  }

  /// One switch: swap everything, notify the views, post on the bus.
  ///
  /// Values are compared after the swap: that calls code of the user.
  ///
  /// - Parameters:
  ///   - plan: The plan, which is sound.
  ///   - managers: The managers that were asked to switch.
  private func apply(_ plan: SwitchPlan, for managers: [ThemeManager]) {
    for manager in managers { queue.begin(ObjectIdentifier(manager)) }
    for part in plan.switches { part.manager.swap(part) }
    chain.names += managers.map(\.theme.name)
    let changes = plan.switches.map {
      ThemeChanges($0.new.resolved.changes(from: $0.old.resolved))
    }
    let calls = zip(plan.switches, changes).map { part, changes in
      (changes, part.manager.subscriptions(to: changes))
    }
    for (changes, subscriptions) in calls {
      for subscription in subscriptions { subscription.apply { changes[$0] } }
    }
    // A scope that looks as before has nothing to post.
    for (part, changes) in zip(plan.switches, changes)
    where !changes.isEmpty || managers.contains(where: { $0 === part.manager }) {
      let manager = part.manager
      let event = ThemeDidChange(
        manager: manager,
        old: part.old.theme,
        new: part.new.theme,
        changedKeys: Set(changes.keys)
      )
      manager.bus.post(.themeDidChange, event, from: manager)
    }
    // Only now: the end of a subscription may call code of the user.
    for (part, call) in zip(plan.switches, calls) where call.1.contains(where: { !$0.isAlive }) {
      part.manager.removeDead()
    }
  }
}
