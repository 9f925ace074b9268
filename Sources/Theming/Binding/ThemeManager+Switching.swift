internal import EventBus

extension ThemeManager {
  /// The uppermost manager of the tree.
  var root: ThemeManager { parent?.root ?? self }

  /// The theme of this manager once all pending switches have been applied.
  ///
  /// - Complexity: O(1), or O(*d*) in the number of managers above while switches are pending.
  var upcoming: Theme {
    guard !root.queue.isEmpty else { return theme }
    return upcomingRequest?.theme(over: parent?.upcoming) ?? theme
  }

  /// The pending request for this manager, or the overrides of a scope without one.
  private var upcomingRequest: ThemeRequest? {
    pending?.request ?? overlay.map(ThemeRequest.overlay)
  }

  /// Switches to a theme.
  ///
  /// On return, every property whose key changed has its new value, and the switch has been posted. A
  /// call made while a switch is being applied or posted only records the theme, which is used after
  /// that switch; the last recorded theme wins. Using the theme already in use is a switch without
  /// changes, which is also posted.
  ///
  /// A pending switch is checked immediately, together with all other pending switches. If it
  /// conflicts with them, this method throws to its caller, and the others are applied without it.
  ///
  /// A switch requested by an event from another thread while a switch is being applied runs in a
  /// later job of the main actor, and does not count as a consequence of that switch.
  ///
  /// A scope that switches to a theme uses exactly that theme from then on, and stops following the
  /// manager it was created from.
  ///
  /// On a manager with a light and a dark theme, the theme in use is then a choice: changes of ``systemAppearance``
  /// replace it only after ``appearancePreference`` has been set. A switch of a scope is not a choice for the manager
  /// above.
  ///
  /// - Parameter theme: The theme.
  /// - Throws: ``ThemeError``. The code is ``ThemeError/Code/aliasCycle`` if aliases of the theme
  ///   form a cycle, alone or together with those of a scope; nothing has changed then. The code is
  ///   ``ThemeError/Code/switchLoop`` if each of 16 switches triggered another one; both the caller
  ///   that requests the next switch, which is not recorded, and the caller that began the chain
  ///   receive the error, and the theme of the last switch stays in use.
  /// - Complexity: O(*v*) in the number of values of both themes plus O(*n*) in the number of
  ///   subscriptions to changed keys, for the manager and for each scope. Other subscriptions cost
  ///   nothing.
  public func use(_ theme: Theme) throws(ThemeError) { try submit(.theme(theme), isChoice: true) }

  /// Switches to a registered theme.
  ///
  /// - Parameter name: The name of the theme.
  /// - Throws: ``ThemeError`` with the code ``ThemeError/Code/unknownTheme`` if no theme of this
  ///   name is registered, and any error that ``use(_:)-(Theme)`` throws.
  /// - Complexity: As ``use(_:)-(Theme)``.
  public func use(_ name: String) throws(ThemeError) { try use(root.catalog.theme(named: name)) }

  /// Registers themes under their names, replacing themes with the same names.
  ///
  /// The theme in use does not change. A manager and its scopes share one set of registered themes.
  ///
  /// - Parameter themes: The themes.
  public func register(_ themes: Theme...) { register(themes) }

  /// Registers themes under their names, replacing themes with the same names.
  ///
  /// The theme in use does not change. A manager and its scopes share one set of registered themes.
  ///
  /// - Parameter themes: The themes, such as ``LoadedThemes/themes`` or the values of a dictionary.
  public func register(_ themes: some Sequence<Theme>) {
    let root = root
    let former = themes.map { root.catalog.register($0) }
    withExtendedLifetime(former) {}
  }

  /// Changes any number of keys of the theme in use in one switch.
  ///
  /// A registered theme of the same name does not change. In a scope, the changes belong to the
  /// scope and persist when the manager above switches. While a switch is being applied, the edit
  /// changes the pending theme, if there is one.
  ///
  /// If `change` itself switches or edits this manager, its own changes are made to the resulting
  /// theme, so that neither is lost; where both set a key, the outer edit wins.
  ///
  /// - Parameter change: A closure that sets values. Called once, before this method returns.
  /// - Throws: ``ThemeError``, as ``use(_:)-(Theme)`` does.
  /// - Complexity: As ``use(_:)-(Theme)``.
  public func edit(_ change: (inout Theme) -> Void) throws(ThemeError) {
    let (original, former) = (upcoming, requestCount)
    var next = original
    change(&next)
    if requestCount != former { next = upcoming.adding(editFrom: original, to: next) }
    switch upcomingRequest {
    case .overlay(let layer): try submit(.overlay(next.overrides(ofScope: layer.scope)))
    case .theme, nil: try submit(.theme(next))
    }
  }

  /// Switches now, or records the request if a switch is running.
  ///
  /// Either way, the request is checked first, together with all pending ones, so no pending
  /// request is refused later.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - isChoice: Pass `true` if the manager stops following the system's appearance.
  /// - Throws: ``ThemeError``, as ``use(_:)-(Theme)`` does.
  func submit(_ request: ThemeRequest, isChoice: Bool = false) throws(ThemeError) {
    let root = root
    var plan: [ThemeSwitch] = []
    addSwitches(to: &plan, over: parent?.upcoming) { $0 === self ? request : $0.pending?.request }
    for part in plan { try part.new.check() }
    let causes = try root.causes(ofSwitchTo: plan.first?.new.theme.name ?? "")
    requestCount += 1
    if isChoice, parent == nil { catalog.isChosen = true }
    if pending == nil { root.queue.append(self) }
    let former = pending
    pending = PendingSwitch(request: request, causes: causes)
    if root.running == nil { try root.runQueue(root.queue.count == 1 ? plan : nil) }
    // Last, because the `deinit` of a value may switch.
    withExtendedLifetime((plan, former)) {}
  }

  /// The maximum number of switches of which each triggered the next.
  private static var longestChain: Int { 16 }

  /// Returns the ``PendingSwitch/causes`` of a switch that is requested now.
  ///
  /// - Parameter name: The name of the requested theme.
  /// - Returns: The names of the themes.
  /// - Throws: ``ThemeError`` with the code ``ThemeError/Code/switchLoop`` if there are too many.
  private func causes(ofSwitchTo name: String) throws(ThemeError) -> [String]? {
    guard let running else { return [] }
    guard bus.openings(on: MainActor.shared) <= running.openings else { return nil }
    guard running.names.count >= Self.longestChain else { return running.names }
    let refusal = ThemeError(.switchLoop, themes: running.names + [name])
    self.running?.refusal = running.refusal ?? refusal
    throw refusal
  }

  /// Performs the first pending switch and all that follow, except requests from other threads.
  ///
  /// - Parameter first: The plan of the only pending switch, or `nil` to create that as well.
  /// - Throws: ``ThemeError`` with the code ``ThemeError/Code/switchLoop``.
  private func runQueue(_ first: [ThemeSwitch]?) throws(ThemeError) {
    running = RunningSwitch(openings: bus.openings(on: MainActor.shared))
    var first = first
    repeat { performNext(first.take()) } while queue.contains { $0.pending?.causes != nil }
    let refusal = running?.refusal
    running = nil
    if !queue.isEmpty { Task { self.runRest() } }
    if let refusal { throw refusal }
  }

  /// Performs pending requests from other threads, in a separate job of the main actor.
  private func runRest() {
    if running != nil || queue.isEmpty { return }
    reportingError { () throws(ThemeError) in try runQueue(nil) }
  }

  /// Reports an error that no caller receives to the hooks of the bus.
  func reportingError(_ body: () throws(ThemeError) -> Void) {
    do throws(ThemeError) {
      try body()
    } catch {
      bus.report("Theming: \(error)")
    }
  }

  /// Performs the first pending switch, together with the later ones without which aliases would form a cycle.
  ///
  /// All pending switches together form none: each was checked with those before it, and so was each new scope.
  ///
  /// - Parameter known: The plan, or `nil` to create it.
  private func performNext(_ known: [ThemeSwitch]?) {
    var managers = [queue[0]]
    var plan = known ?? plan(for: managers)
    // Kept until all is applied: the release of a scope could change the requests.
    var plans = [plan]
    while managers.count < queue.count, plan.contains(where: { $0.new.cycle != nil }) {
      managers.append(queue[managers.count])
      plan = self.plan(for: managers)
      plans.append(plan)
    }
    running?.names = (queue[0].pending?.causes ?? []) + plan.prefix(1).map(\.new.theme.name)
    queue.removeFirst(managers.count)
    // The plan keeps the requested themes.
    for manager in managers { manager.pending = nil }
    apply(plan, for: managers)
    withExtendedLifetime(plans) {}
  }

  /// Plans the pending switches of some managers, which are applied together.
  private func plan(for managers: [ThemeManager]) -> [ThemeSwitch] {
    let chosen = Set(managers.map(ObjectIdentifier.init))
    var plan: [ThemeSwitch] = []
    for manager in managers where !manager.follows(chosen) {
      manager.addSwitches(to: &plan, over: manager.parent?.theme) {
        chosen.contains(ObjectIdentifier($0)) ? $0.pending?.request : nil
      }
    }
    return plan
  }

  /// Returns whether the plan of a manager above, which is one of the given ones, includes this manager.
  private func follows(_ managers: Set<ObjectIdentifier>) -> Bool {
    guard managers.count > 1, let parent else { return false }
    if managers.contains(ObjectIdentifier(parent)) { return true }
    return parent.overlay != nil && parent.follows(managers)
  }

  /// Plans the switch of this manager and of the scopes that follow it, each manager before its scopes.
  ///
  /// Planning calls no user code, so nothing changes between planning and the swap.
  ///
  /// - Parameters:
  ///   - plan: Receives the switches; none for a scope that does not follow the manager above, which stays as
  ///     it is, and so do its own scopes.
  ///   - base: The planned theme of the manager above, or `nil` if there is none.
  ///   - request: Returns the request for a manager, if there is one.
  private func addSwitches(
    to plan: inout [ThemeSwitch],
    over base: Theme?,
    _ request: (ThemeManager) -> ThemeRequest?
  ) {
    guard let requested = request(self) ?? overlay.map(ThemeRequest.overlay),
      let theme = requested.theme(over: base)
    else { return }
    let part = ThemeSwitch(self, to: theme, requested)
    plan.append(part)
    for scope in part.scopes { scope.addSwitches(to: &plan, over: theme, request) }
  }

  /// Performs one switch: swaps all themes, updates the views, and posts on the bus.
  ///
  /// Values are compared after the swap, because comparison calls user code.
  ///
  /// - Parameters:
  ///   - plan: The plan, which is free of cycles.
  ///   - managers: The managers that were requested to switch.
  private func apply(_ plan: [ThemeSwitch], for managers: [ThemeManager]) {
    for part in plan { part.manager.swap(part) }
    for part in plan { part.compare() }
    for part in plan { part.apply() }
    // A scope without changes posts nothing.
    for part in plan
    where !part.changes.isEmpty || managers.contains(where: { $0 === part.manager }) {
      let event = ThemeDidChange(
        manager: part.manager,
        old: part.old.theme,
        new: part.new.theme,
        changedKeys: Set(part.changes.keys)
      )
      part.manager.bus.post(.themeDidChange, event, from: part.manager)
    }
    // Last, because the end of a subscription may call user code.
    for part in plan { part.sweep() }
  }
}

// Overloads that only catch a mistake.
extension ThemeManager {
  /// Not available: a manager uses a theme.
  @_documentation(visibility: private)
  @available(*, unavailable, message: "write use(theme)")
  public func apply(_ theme: Theme) throws(ThemeError) {}

  /// Not available: a manager uses a theme.
  @_documentation(visibility: private)
  @available(*, unavailable, message: "write use(name)")
  public func apply(_ name: String) throws(ThemeError) {}
}
