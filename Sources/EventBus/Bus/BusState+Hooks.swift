internal import Synchronization

/// Reports of a bus to its hooks.
///
/// Every hook is called with no lock held, in the order of installation. While a hook runs, nothing
/// else is reported on its thread; nor is an event that it enqueues, until that has been delivered.
extension BusState {
  /// Installs hooks until a token ends.
  func addHooks(_ hooks: EventHooks) -> Token {
    let registration = HookRegistration(self)
    let installed = InstalledHooks(hooks, registration)
    changeHooks { $0.append(installed) }
    return Token(registration)
  }

  /// Removes the hooks of a registration that has ended.
  func removeHooks(of registration: HookRegistration) {
    let removed = changeHooks { $0.remove(registration) }
    withExtendedLifetime(removed) {}
  }

  /// Removes all hooks that were added; called when the bus is released.
  func removeAddedHooks() {
    for installed in hookList.withLock({ $0.all }) { installed.registration?.end() }
  }

  private func changeHooks<Result: Sendable>(_ change: (inout HookList) -> Result) -> Result {
    hookList.withLock { list in
      defer {
        // Under the lock, so that the flags follow the order of the changes.
        noteHookCases(list.hookCases, of: Self.traced | Self.intercepted)
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
        run { body(installed.hooks) }
        installed.finish()
        isTaken = true
      } else if installed.isPaused {
        isTaken = true
      }
    }
    return isTaken
  }

  /// Runs a hook.
  ///
  /// Meanwhile posts take the general path, which looks for running hooks.
  private func run(_ hook: () -> Void) {
    hookCases.wrappingAdd(Self.oneHook, ordering: .acquiringAndReleasing)
    RunningHook.run(hook)
    hookCases.wrappingSubtract(Self.oneHook, ordering: .acquiringAndReleasing)
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

  /// Reports a step of a post.
  func trace(_ event: (TraceStep.Bus) -> TraceStep) {
    let (hooks, identity) = hookList.withLock { ($0.tracing, $0.identity) }
    if hooks.isEmpty || RunningHook.isRunning { return }
    let bus = TraceStep.Bus(label: label, id: identity ?? ObjectIdentifier(self))
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
        if let captured = Interception(event, by: installed) { interceptions.append(captured) }
      }
      installed.finish()
    }
    return interceptions
  }
}

extension BusState {
  /// Runs a body inside interceptors, the first outermost.
  func intercept(_ interceptions: ArraySlice<Interception>, _ body: () -> Void) {
    guard let first = interceptions.first else { return body() }
    let repeating = first.run { intercept(interceptions.dropFirst(), body) }
    if let repeating { warnOfRepetition(by: repeating) }
  }

  /// Runs an asynchronous body inside interceptors, the first outermost.
  func intercept(_ interceptions: ArraySlice<Interception>, _ body: () async -> Void) async {
    guard let first = interceptions.first else { return await body() }
    let repeating = await first.run { await intercept(interceptions.dropFirst(), body) }
    if let repeating { warnOfRepetition(by: repeating) }
  }

  private func warnOfRepetition(by installed: InstalledHooks) {
    guard installed.isFirstRepeat, let interceptor = installed.hooks.interceptor else { return }
    message(
      "EventBus: The interceptor \(type(of: interceptor)) ran the body of a handler more than once."
        + " The later runs were ignored. Call the body once."
    )
  }
}

/// The registration of hooks that were added to a bus.
package final class HookRegistration: Registration, @unchecked Sendable {  // Reason: constant.
  /// Retained like the list of an observer; the bus ends the registration when it is released.
  private let busState: BusState

  init(_ busState: BusState) { self.busState = busState }

  override func didEnd() { busState.removeHooks(of: self) }
}

/// The hooks of one bus, in the order of their installation.
///
/// A plain value; removals return what they remove.
struct HookList: Sendable {
  private(set) var all: [InstalledHooks] = []
  /// Those with a trace hook.
  private(set) var tracing: [InstalledHooks] = []
  /// Those with an interceptor.
  private(set) var intercepting: [InstalledHooks] = []
  /// The identity of the bus, or of a signal without one.
  var identity: ObjectIdentifier?

  /// Adds hooks behind all others.
  ///
  /// - Complexity: Amortized O(1).
  mutating func append(_ installed: InstalledHooks) {
    all.append(installed)
    if installed.hooks.onTrace != nil { tracing.append(installed) }
    if installed.hooks.interceptor != nil { intercepting.append(installed) }
  }

  /// Removes the hooks of a registration.
  ///
  /// - Returns: The hooks, which the caller releases outside its lock.
  /// - Complexity: O(*n*) in the number of hooks.
  mutating func remove(_ registration: HookRegistration) -> InstalledHooks? {
    guard let index = all.firstIndex(where: { $0.registration === registration }) else {
      return nil
    }
    let removed = all.remove(at: index)
    tracing.removeAll { $0 === removed }
    intercepting.removeAll { $0 === removed }
    return removed
  }

  /// The flags of ``BusState/hookCases`` that the hooks ask for.
  var hookCases: UInt {
    (tracing.isEmpty ? 0 : BusState.traced) | (intercepting.isEmpty ? 0 : BusState.intercepted)
  }

  /// The flags of ``BusState/reports`` that the hooks ask for.
  var reports: UInt {
    all.contains { $0.hooks.onUnhandled != nil } ? BusState.unhandled : 0
  }
}

/// Hooks as a bus keeps them, from their installation until their removal.
final class InstalledHooks: Sendable {
  let hooks: EventHooks
  /// The registration that a token ends; `nil` for hooks that the bus was made with.
  let registration: Registration?
  private let hasRepeated = Atomic<Bool>(false)

  init(_ hooks: EventHooks, _ registration: Registration? = nil) {
    (self.hooks, self.registration) = (hooks, registration)
  }

  /// Begins a call of a hook.
  ///
  /// - Returns: `false` when the hooks were removed or are paused; otherwise balance it with ``finish()``.
  func begin() -> Bool {
    guard let registration else { return true }
    return registration.isOpen && registration.beginCall()
  }

  /// True if the hooks are installed and paused.
  ///
  /// `false` for hooks that are being removed, with a bag or a lifetime that ends.
  var isPaused: Bool {
    guard let registration else { return false }
    return registration.isActive && registration.isPaused
  }

  /// Ends a call of a hook.
  func finish() { registration?.finish() }

  /// Runs the asynchronous part of an interceptor, which may await the end of its own registration.
  func runAsync(_ body: () async -> Void) async {
    guard let registration else { return await body() }
    await RunningCall.run(inside: registration, body)
  }

  /// Whether this is the first time that the interceptor has run a body twice; `true` only once.
  var isFirstRepeat: Bool { !hasRepeated.exchange(true, ordering: .acquiringAndReleasing) }
}
