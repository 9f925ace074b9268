internal import Synchronization

/// What a bus reports to its hooks.
///
/// Every hook is called under no lock, in the order of installation. While a hook runs, nothing else is
/// reported on its thread.
extension Hub {
  /// Installs hooks until a token ends.
  func addHooks(_ hooks: EventHooks) -> Token {
    let registration = HookRegistration(self)
    let installed = InstalledHooks(hooks, registration)
    changeHooks { $0.append(installed) }
    return Token(registration, handle: 0)
  }

  /// Removes the hooks of a registration that has ended.
  func removeHooks(of registration: HookRegistration) {
    let removed = changeHooks { $0.remove(registration) }
    withExtendedLifetime(removed) {}
  }

  /// Removes all hooks that were added; called when the bus is released.
  func removeAddedHooks() {
    for installed in hookList.withLock({ $0.all }) { installed.registration?.endByItself() }
  }

  private func changeHooks<Result: Sendable>(_ change: (inout HookList) -> Result) -> Result {
    hookList.withLock { list in
      defer {
        // Under the lock, so that the flags follow the order of the changes.
        noteSpecialCases(list.specialCases, of: Self.traced | Self.intercepted)
        reports.store(list.reports, ordering: .releasing)
      }
      return change(&list)
    }
  }

  /// Sets the identity of the bus in traces.
  func identify(as bus: ObjectIdentifier) { hookList.withLock { $0.identity = bus } }

  private func hooks(where isMeant: (EventHooks) -> Bool) -> [InstalledHooks] {
    hookList.withLock { $0.all }.filter { isMeant($0.hooks) }
  }

  /// Calls hooks that are neither paused nor being removed.
  ///
  /// - Returns: `false` if none of them is installed, so that the library must print the report.
  @discardableResult
  private func call(_ hooks: [InstalledHooks], _ body: (EventHooks) -> Void) -> Bool {
    var isTaken = false
    for installed in hooks {
      if installed.begin() {
        RunningHook.run { body(installed.hooks) }
        installed.finish()
        isTaken = true
      } else if installed.isPaused {
        isTaken = true
      }
    }
    return isTaken
  }

  /// Reports an error that a handler threw.
  func report(_ failure: HandlerFailure) {
    if RunningHook.isRunning { return printError("EventBus: \(failure)") }
    let hooks = hooks { $0.onError != nil }
    if !call(hooks, { $0.onError?(failure) }) { message("EventBus: \(failure)") }
  }

  /// Reports a message of the library, or writes it to standard error if no hook takes it.
  func message(_ text: String) {
    if RunningHook.isRunning { return printError(text) }
    let hooks = hooks { $0.onMessage != nil }
    if !call(hooks, { $0.onMessage?(text) }) { printError(text) }
  }

  /// Reports an event that reached no handler.
  func unhandled(_ event: AnyEvent) {
    if RunningHook.isRunning { return }
    call(hooks { $0.onUnhandled != nil }) { $0.onUnhandled?(event) }
  }

  /// Reports that an event has many observers, once to each hook.
  func reportIfMany(_ event: AnyObject, _ name: String, count: () -> Int) {
    // Like other hooks it does not report what hooks do; the next registration outside one reports it.
    if RunningHook.isRunning { return }
    let count = count()
    let crowded = ObjectIdentifier(event)
    for installed in hooks(where: { $0.onManyObservers != nil }) where installed.begin() {
      if installed.isCrowded(crowded, count) {
        RunningHook.run { installed.hooks.onManyObservers?(name, count) }
      }
      installed.finish()
    }
  }

  /// Reports a step of a post.
  func trace(_ event: (TraceEvent.Bus) -> TraceEvent) {
    let (hooks, identity) = hookList.withLock { ($0.tracing, $0.identity) }
    if hooks.isEmpty || RunningHook.isRunning { return }
    let bus = TraceEvent.Bus(label: label, id: identity ?? ObjectIdentifier(self))
    let event = event(bus)
    call(hooks) { $0.onTrace?(event) }
  }

  /// Captures the values that interceptors carry to the handlers of an event.
  func capture(_ event: () -> AnyEvent) -> [Interception] {
    let hooks = hookList.withLock { $0.intercepting }
    if hooks.isEmpty { return [] }
    let event = event()
    var interceptions: [Interception] = []
    for installed in hooks where installed.begin() {
      RunningHook.run {
        if let captured = Interception.capture(event, by: installed) {
          interceptions.append(captured)
        }
      }
      installed.finish()
    }
    return interceptions
  }
}

extension EventBus {
  /// Adds hooks to the bus, for as long as a token lives.
  ///
  /// Hooks of several installations are all called, in the order of installation, after those that the bus
  /// was made with. A hook may remove itself while it runs. Hooks are not called for what happens while
  /// their token is paused, but still count as installed: while there is a paused ``EventHooks/onError``,
  /// errors are not written to standard error.
  ///
  /// ```swift
  /// let token = EventBus.default.addHooks(EventHooks(onTrace: { step in print(step) }))
  /// EventBus.default.post(EventName<Int>("sample"), 1)
  /// token.cancel()
  /// ```
  ///
  /// - Parameter hooks: The callbacks.
  /// - Returns: The token. Dropping it removes the hooks; their closures are released under no lock.
  /// - Complexity: O(*n*) in the number of installed hooks.
  public func addHooks(_ hooks: EventHooks) -> Token { hub.addHooks(hooks) }
}
