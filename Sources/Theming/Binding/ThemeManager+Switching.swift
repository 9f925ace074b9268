internal import EventBus

extension ThemeManager {
  /// The uppermost manager of the tree this one belongs to.
  internal var root: ThemeManager { parent?.root ?? self }

  /// Switches to a theme.
  ///
  /// When this returns, every property whose key changed has its new value and the switch has been
  /// posted; unless it is called while a switch is being applied or posted: then the theme is
  /// noted, and used when that switch is done. The last one noted wins. Using the theme that is in
  /// use is a switch that changes nothing, and is posted too.
  ///
  /// A scope that is told to use a theme wears exactly that from then on, and no longer follows the
  /// manager it was made from.
  ///
  /// - Parameter theme: The theme.
  /// - Throws: ``ThemeError`` with the code ``ThemeError/Code/aliasCycle`` when aliases of the theme
  ///   lead in a circle, alone or together with those of a scope: nothing has changed then. With the
  ///   code ``ThemeError/Code/switchLoop`` when each of 16 switches led to another one. That is
  ///   thrown to the caller who began; the theme of the last round stays in use.
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
    let pending = root.queue.wish(for: ObjectIdentifier(self))?.wish
    var next = pending?.theme(over: parent?.theme) ?? theme
    change(&next)
    switch pending {
    case .wear: try submit(.wear(next))
    case .overlay, nil: try submit(edited(next))
    }
  }

  /// The wish for a theme that was made by editing the one in use.
  private func edited(_ next: Theme) -> ThemeWish {
    guard overlay != nil, let parent else { return .wear(next) }
    return .overlay(ThemeOverlay(next, over: parent.theme))
  }

  /// Switches now, or notes the wish when a switch is running.
  internal func submit(_ wish: ThemeWish) throws(ThemeError) {
    let root = root
    if root.queue.isRunning {
      // What is wrong with the theme itself is told to whoever asks for it.
      _ = try wish.theme(over: parent?.theme)?.checked()
    }
    let (isRunner, former) = root.queue.submit((self, wish), for: ObjectIdentifier(self))
    withExtendedLifetime(former) {}
    if isRunner { try root.runQueue() }
  }

  /// Does one round after the other until nothing is wished for.
  private func runQueue() throws(ThemeError) {
    var names: [String] = []
    var failure: ThemeError?
    while true {
      switch queue.next() {
      case .run(let round):
        for (manager, wish) in round {
          do throws(ThemeError) {
            names.append(try manager.perform(wish))
          } catch {
            failure = failure ?? error
          }
        }
      case .done:
        if let failure { throw failure }
        return
      case .givenUp(let dropped):
        let last = dropped.last.map { $0.wish.theme(over: $0.manager.parent?.theme)?.name ?? "" }
        throw ThemeError(.switchLoop, themes: names + [last ?? ""])
      }
    }
  }

  /// One switch: check everything, swap everything, tell the views, tell the bus.
  ///
  /// - Returns: The name of the theme.
  private func perform(_ wish: ThemeWish) throws(ThemeError) -> String {
    guard let next = wish.theme(over: parent?.theme) else { return theme.name }
    var plans: [ThemeSwitch] = []
    try collect(next, &plans)
    overlay = if case .overlay(let overlay) = wish { overlay } else { nil }
    let told = plans.map { ($0, $0.manager.swap($0)) }
    for (plan, subscriptions) in told {
      for subscription in subscriptions { subscription.apply { plan.changes[$0] } }
    }
    // A scope that looks as before has nothing to tell.
    for plan in plans where plan.manager === self || !plan.changes.isEmpty {
      plan.manager.bus.post(.themeDidChange, plan.event, from: plan.manager)
    }
    return next.name
  }

  /// Plans the switch of this manager and then of its scopes, each before its own scopes.
  private func collect(_ next: Theme, _ plans: inout [ThemeSwitch]) throws(ThemeError) {
    plans.append(try plan(next))
    for scope in scopes.living {
      guard let overlay = scope.overlay else { continue }
      try scope.collect(overlay.laid(over: next), &plans)
    }
  }
}
