internal import EventBus

extension ThemeManager {
  /// The uppermost manager of the tree.
  var root: ThemeManager { parent?.root ?? self }

  /// The theme of this manager once all pending switches have been applied.
  ///
  /// - Complexity: O(1), or O(*d*) in the number of managers above while switches are pending.
  var upcoming: Theme {
    guard root.queue.hasRequests else { return theme }
    return upcomingRequest?.theme(over: parent?.upcoming) ?? theme
  }

  /// The last pending request for this manager, or the overrides of a scope without one.
  private var upcomingRequest: ThemeRequest? { pendingRequest ?? overlay.map(ThemeRequest.overlay) }

  /// The last pending request for this manager.
  private var pendingRequest: ThemeRequest? {
    root.queue.lastRequest(for: ObjectIdentifier(self))?.request
  }

  /// Switches to a theme.
  ///
  /// On return, every property whose key changed has its new value, and the switch has been posted.
  /// A call made while a switch is being applied or posted instead records the theme, which is used
  /// after that switch; the last recorded theme wins. Using the theme already in use is a switch
  /// without changes, and is posted too.
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
  /// On a manager with a light and a dark theme, the theme in use is then a choice: changes of
  /// ``systemAppearance`` replace it only after ``appearancePreference`` has been set. A switch of a scope is no choice for
  /// the manager above.
  ///
  /// - Parameter theme: The theme.
  /// - Throws: ``ThemeError``. The code is ``ThemeError/Code/aliasCycle`` if aliases of the theme
  ///   form a cycle, alone or together with those of a scope; nothing has changed then. The code is
  ///   ``ThemeError/Code/switchLoop`` if each of 16 switches triggered another one; both the caller
  ///   that requests the next switch, which is not recorded, and the caller that began the chain
  ///   receive the error, and the theme of the last round stays in use.
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
  /// theme, so that neither is lost; where both set a key, the outer edit counts.
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
  ///   - isChoice: Pass `true` if it ends that the manager follows the system's appearance.
  /// - Throws: ``ThemeError``, as ``use(_:)-(Theme)`` does.
  func submit(_ request: ThemeRequest, isChoice: Bool = false) throws(ThemeError) {
    let root = root
    var plan: [ThemeSwitch] = []
    addSwitches(to: &plan, over: parent?.upcoming) { $0 === self ? request : $0.pendingRequest }
    try plan.check()
    let isConsequence = bus.openings(on: MainActor.shared) <= root.chain.openings
    if isConsequence, root.queue.isLastRound {
      let name = request.theme(over: parent?.upcoming)?.name ?? ""
      let refusal = ThemeError(.switchLoop, themes: root.chain.names + [name])
      root.chain.refusal = root.chain.refusal ?? refusal
      throw refusal
    }
    requestCount += 1
    if isChoice, parent == nil { catalog.isChosen = true }
    let isAlone = !root.queue.hasRequests
    let (isRunner, former) = root.queue.submit(
      (self, request),
      for: ObjectIdentifier(self),
      isConsequence: isConsequence
    )
    if isRunner { try root.runQueue(isAlone ? plan : nil) }
    withExtendedLifetime((plan, former)) {}
  }

  /// Performs rounds until none triggers another.
  ///
  /// - Parameter first: The plan of the only request, or `nil` to create the first plan, too.
  /// - Throws: ``ThemeError`` with the code ``ThemeError/Code/switchLoop``.
  private func runQueue(_ first: [ThemeSwitch]?) throws(ThemeError) {
    var first = first
    var former: [(manager: ThemeManager, request: ThemeRequest)] = []
    chain = Chain(openings: bus.openings(on: MainActor.shared))
    while true {
      let (next, replaced) = queue.next()
      former += replaced
      guard let round = next else { break }
      // A request that forms a cycle without later ones is applied together with those.
      var open: [(manager: ThemeManager, request: ThemeRequest)] = []
      for entry in round {
        open.append(entry)
        let plan = first.take() ?? plan(for: open)
        guard plan.isSound else { continue }
        let managers = open.map(\.manager)
        open = []
        apply(plan, for: managers)
      }
      // A scope created in the meantime may depend on requests of the next round.
      queue.postpone(open.map { (ObjectIdentifier($0.manager), $0) })
    }
    if queue.hasRequests { Task { self.resume() } }
    let refusal = chain.refusal
    // Last, because the `deinit` of a value may switch, which begins another chain.
    withExtendedLifetime(former) {}
    if let refusal { throw refusal }
  }

  /// Performs the pending requests in a separate job of the main actor.
  private func resume() {
    guard queue.resume() else { return }
    reportingError { () throws(ThemeError) in try runQueue(nil) }
  }

  /// Reports an error that there is no caller for to the hooks of the bus.
  func reportingError(_ body: () throws(ThemeError) -> Void) {
    do throws(ThemeError) {
      try body()
    } catch {
      bus.report("Theming: \(error)")
    }
  }

  /// Plans requests that are applied together.
  private func plan(
    for entries: [(manager: ThemeManager, request: ThemeRequest)]
  ) -> [ThemeSwitch] {
    let requests = Dictionary(entries.map { (ObjectIdentifier($0.manager), $0.request) }) { $1 }
    var plan: [ThemeSwitch] = []
    for (manager, _) in entries where !manager.isReached(by: requests) {
      manager.addSwitches(to: &plan, over: manager.parent?.theme) {
        requests[ObjectIdentifier($0)]
      }
    }
    return plan
  }

  /// A Boolean value that indicates whether the plan of a manager above, for which there is a
  /// request, includes this manager.
  private func isReached(by requests: [ObjectIdentifier: ThemeRequest]) -> Bool {
    guard requests.count > 1, let parent else { return false }
    if requests[ObjectIdentifier(parent)] != nil { return true }
    return parent.overlay != nil && parent.isReached(by: requests)
  }

  /// Performs one switch: swaps all themes, updates the views, and posts on the bus.
  ///
  /// Values are compared after the swap, because comparison calls user code.
  ///
  /// - Parameters:
  ///   - plan: The plan, which is free of cycles.
  ///   - managers: The managers that were requested to switch.
  private func apply(_ plan: [ThemeSwitch], for managers: [ThemeManager]) {
    for manager in managers { queue.begin(ObjectIdentifier(manager)) }
    for part in plan { part.manager.swap(part) }
    chain.names += managers.map(\.theme.name)
    for part in plan { part.compare() }
    for part in plan { part.collect() }
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
