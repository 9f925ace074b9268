internal import Synchronization

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

  /// A Boolean value that indicates whether the hooks are installed and paused.
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

  /// Whether the interceptor has run a body twice for the first time.
  var isFirstRepeat: Bool { !hasRepeated.exchange(true, ordering: .acquiringAndReleasing) }
}
