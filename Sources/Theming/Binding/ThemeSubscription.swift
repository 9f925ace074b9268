internal import Synchronization

/// One object that follows a theme by a map, and is not kept.
///
/// Everything but the flag belongs to the main actor.
@MainActor
internal final class ThemeSubscription {
  private nonisolated let hasEnded = Atomic(false)
  private weak var object: AnyObject?
  private let rules: [ThemeRule]

  internal init(_ object: AnyObject, _ rules: [ThemeRule]) {
    self.object = object
    self.rules = rules
  }

  /// Whether it has ended, so that nothing is handed to the object any more.
  internal nonisolated var isOver: Bool { hasEnded.load(ordering: .acquiring) }

  /// Ends it: no call begins any more.
  internal nonisolated func end() { hasEnded.store(true, ordering: .releasing) }

  /// Whether the object lives; asked outside every lock.
  internal var isAlive: Bool { object != nil }

  /// Hands values to the object, rule by rule, until the subscription ends.
  ///
  /// - Parameter value: The value to hand over for a key, or `nil` to leave the property alone.
  ///   Asked before each rule.
  internal func apply(_ value: (ThemeKeys) -> (any AnyThemeValue)?) {
    // The reference is weak and not unowned: the last strong one may be dropped on another thread,
    // and the switch may come from the object's own `deinit`.
    guard !isOver, let object else { return }
    for rule in rules {
      guard let value = value(rule.key) else { continue }
      rule.write(object, value)
      // The property's observers may have ended the subscription.
      guard !isOver else { return }
    }
  }
}
