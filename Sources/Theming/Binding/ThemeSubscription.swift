internal import Synchronization

/// One object that follows a theme by a map, and is not kept.
///
/// Everything but the state belongs to the main actor.
@MainActor
internal final class ThemeSubscription {
  private nonisolated static let ended: UInt = 1
  private nonisolated static let onePause: UInt = 2

  /// Zero while values are handed over: else the bit of the end, and above it the number of pauses.
  private nonisolated let state = Atomic<UInt>(0)
  private weak var object: AnyObject?
  private let rules: [ThemeRule]

  internal init(_ object: AnyObject, _ rules: [ThemeRule]) {
    self.object = object
    self.rules = rules
  }

  /// Whether it has ended or is paused, so that nothing is handed to the object.
  private var isSilent: Bool { state.load(ordering: .acquiring) != 0 }

  /// Ends it: no call begins any more.
  internal nonisolated func end() { state.bitwiseOr(Self.ended, ordering: .releasing) }

  /// Adds a pause, or ends one that was added before.
  internal nonisolated func changePauses(by change: Int) {
    state.wrappingAdd(Self.onePause &* UInt(bitPattern: change), ordering: .releasing)
  }

  /// Whether the object lives; asked outside every lock.
  internal var isAlive: Bool { object != nil }

  /// Hands values to the object, rule by rule, until the subscription ends or is paused.
  ///
  /// - Parameter value: The value to hand over for a key, or `nil` to leave the property alone.
  ///   Asked before each rule.
  internal func apply(_ value: (ThemeKeys) -> (any AnyThemeValue)?) {
    // The reference is weak and not unowned: the last strong one may be dropped on another thread,
    // and the switch may come from the object's own `deinit`.
    guard !isSilent, let object else { return }
    for rule in rules {
      guard let value = value(rule.key) else { continue }
      rule.write(object, value)
      // The property's observers may have ended or paused the subscription.
      guard !isSilent else { return }
    }
  }
}
