internal import Synchronization

/// A running call of a hook, or the delivery of an event that a hook has posted or enqueued; recorded so that
/// neither is reported to hooks.
final class RunningHook: Sendable {
  @TaskLocal private static var current: RunningHook?
  /// The number of hooks and such deliveries that are running: reading the task-local value takes longer than
  /// this.
  private static let runningCount = Atomic<Int>(0)
  private let isDelivery: Bool
  private let hasReturned = Atomic<Bool>(false)

  private init(isDelivery: Bool = false) {
    self.isDelivery = isDelivery
    Self.runningCount.add(1, ordering: .relaxed)
  }

  private func end() {
    hasReturned.store(true, ordering: .releasing)
    Self.runningCount.subtract(1, ordering: .relaxed)
  }

  private static var running: RunningHook? {
    // Code inside a hook runs after the count of that hook began and before it ends.
    guard runningCount.load(ordering: .relaxed) > 0, let current else { return nil }
    return current.hasReturned.load(ordering: .acquiring) ? nil : current
  }

  /// Whether the caller runs inside a hook, or inside the delivery of an event that a hook has caused.
  ///
  /// This is `false` in a task that a hook started, once the hook has returned.
  static var isRunning: Bool { running != nil }

  /// Whether the caller is a hook itself, and not a handler of an event that the hook has caused.
  static var isCaller: Bool { running?.isDelivery == false }

  /// Runs a hook.
  static func run(_ hook: () -> Void) {
    let call = RunningHook()
    $current.withValue(call, operation: hook)
    call.end()
  }

  /// Runs an asynchronous hook.
  static func run(_ hook: () async -> Void) async {
    let call = RunningHook()
    await $current.withValue(call, operation: hook)
    call.end()
  }

  /// Delivers an event that a hook has posted or enqueued.
  static func deliver<Result>(_ body: () -> Result) -> Result {
    let delivery = RunningHook(isDelivery: true)
    defer { delivery.end() }
    return $current.withValue(delivery, operation: body)
  }

  /// Runs code that a hook surrounds, and that is not part of it.
  static func suspend(_ body: () -> Void) { $current.withValue(nil, operation: body) }

  /// Runs asynchronous code that a hook surrounds, and that is not part of it.
  static func suspend(_ body: () async -> Void) async {
    await $current.withValue(nil, operation: body)
  }
}
