internal import Synchronization

/// Hooks as a bus keeps them, from their installation until their removal.
final class InstalledHooks: Sendable {
  let hooks: EventHooks
  /// The registration that a token ends; `nil` for hooks that the bus was made with.
  let registration: HookRegistration?
  /// The events that were reported as having many observers.
  private let crowded = Locked<Set<ObjectIdentifier>>([])
  private let hasRepeated = Atomic<Bool>(false)

  init(_ hooks: EventHooks, _ registration: HookRegistration? = nil) {
    (self.hooks, self.registration) = (hooks, registration)
  }

  /// Begins a call of a hook.
  ///
  /// - Returns: `false` when the hooks were removed or are paused; otherwise balance it with ``finish()``.
  func begin() -> Bool {
    guard let registration else { return true }
    return registration.isOpen && registration.beginCall()
  }

  /// A Boolean value that indicates whether the hooks are installed and paused.
  ///
  /// `false` for hooks that are being removed, with a bag or a lifetime that ends.
  var isPaused: Bool {
    guard let registration else { return false }
    return registration.isActive(0) && registration.isPaused
  }

  /// Ends a call of a hook.
  func finish() { registration?.finish() }

  /// Runs the asynchronous part of an interceptor, which may await the end of its own registration.
  func runAsync(_ body: () async -> Void) async {
    guard let registration else { return await body() }
    await RunningCall.run(inside: registration, body)
  }

  /// Whether an event now has more observers than these hooks allow, for the first time.
  func isCrowded(_ event: ObjectIdentifier, _ count: Int) -> Bool {
    guard hooks.onManyObservers != nil, count > hooks.manyObserversThreshold else { return false }
    return crowded.withLock { $0.insert(event).inserted }
  }

  /// Whether the interceptor has run a body twice for the first time.
  var isFirstRepeat: Bool { !hasRepeated.exchange(true, ordering: .acquiringAndReleasing) }
}

/// The registration of hooks that were added to a bus.
package final class HookRegistration: Registration, @unchecked Sendable {  // Reason: constant.
  /// Retained like the list of an observer; the bus ends the registration when it is released.
  private let hub: Hub

  init(_ hub: Hub) { self.hub = hub }

  override package func didEnd() { hub.removeHooks(of: self) }
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

  /// The flags of ``Hub/specialCases`` that the hooks ask for.
  var specialCases: UInt {
    (tracing.isEmpty ? 0 : Hub.traced) | (intercepting.isEmpty ? 0 : Hub.intercepted)
  }

  /// The flags of ``Hub/reports`` that the hooks ask for.
  var reports: UInt {
    (all.contains { $0.hooks.onUnhandled != nil } ? Hub.unhandled : 0)
      | (all.contains { $0.hooks.onManyObservers != nil } ? Hub.manyObservers : 0)
  }
}
