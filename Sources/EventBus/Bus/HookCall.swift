internal import Synchronization

/// Whether this thread is inside a hook, so that a failure in a hook does not call the hook again.
internal final class HookCall: Sendable {
  @TaskLocal private static var current: HookCall?
  private let hasReturned = Atomic<Bool>(false)

  /// Whether the caller runs inside a hook.
  ///
  /// A task that a hook has started does not, once it returned.
  internal static var isRunning: Bool {
    guard let current else { return false }
    return !current.hasReturned.load(ordering: .acquiring)
  }

  /// Calls a hook.
  internal static func run(_ hook: () -> Void) {
    let call = HookCall()
    $current.withValue(call, operation: hook)
    call.hasReturned.store(true, ordering: .releasing)
  }
}
