internal import Synchronization

/// One object that follows a theme, whatever its type.
///
/// Everything but the flag belongs to the main actor.
@MainActor
internal class ThemeSubscription: RegistrySubscriber {
  private nonisolated let hasEnded = Atomic(false)

  /// Whether it has ended, so that nothing is handed to the object any more.
  internal nonisolated var isOver: Bool { hasEnded.load(ordering: .acquiring) }

  internal nonisolated func subscriptionDidEnd() { hasEnded.store(true, ordering: .releasing) }

  /// Whether the object lives.
  internal var isAlive: Bool { false }

  /// Hands values to the object, rule by rule, until the subscription ends.
  ///
  /// - Parameter value: The value to hand over for a key, or `nil` to leave the property alone.
  ///   Asked before each rule.
  internal func apply(_ value: (ThemeKeys) -> (any AnyThemeValue)?) {}
}

/// An object that follows a theme by a map, and is not kept.
internal final class ThemeBinding<Object: AnyObject>: ThemeSubscription {
  private weak var object: Object?
  private let rules: [any ThemeRule<Object>]

  internal init(_ object: Object, _ rules: [any ThemeRule<Object>]) {
    self.object = object
    self.rules = rules
  }

  override internal var isAlive: Bool { object != nil }

  override internal func apply(_ value: (ThemeKeys) -> (any AnyThemeValue)?) {
    // The reference is weak and not unowned: the last strong one may be dropped on another thread,
    // and the switch may come from the object's own `deinit`.
    guard !isOver, let object else { return }
    for rule in rules {
      guard let value = value(rule.key) else { continue }
      rule.apply(value, to: object)
      // The property's observers may have ended the subscription.
      guard !isOver else { return }
    }
  }
}
