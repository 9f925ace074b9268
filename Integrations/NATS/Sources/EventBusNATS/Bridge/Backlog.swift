public import EventBus
private import _EventBusLocks

extension EventNames {
  /// Few events wait for the server again: a bridge posts the number, with itself as the sender, when it has fallen to
  /// half of ``EventBridge/Configuration/waitingMark``, or the bridge has ended, after it was above the mark.
  ///
  /// See ``EventBridge/waitingCount``.
  public static let waitingDidFall = EventName<Int>("bridge.waitingDidFall")
}

/// Announces that fewer events of a bridge wait for the server.
final class Backlog: Sendable {
  private let rule: Locked<BacklogRule>
  /// Its work is the announcement.
  let announcements = LazyPump("EventBusNATS.backlog")

  init(mark: Int) { rule = Locked(BacklogRule(mark: mark)) }

  /// Notes the number of waiting events.
  func note(_ count: Int) {
    if rule.withLock({ $0.note(count) }) { announcements.wake() }
  }
}

/// The rule for the announcement that fewer events wait.
package struct BacklogRule: Sendable {
  private let mark: Int
  private var wasAbove = false

  /// Creates a rule.
  ///
  /// - Parameter mark: The number of waiting events above which a fall is announced.
  package init(mark: Int) { self.mark = mark }

  /// Notes the number of waiting events.
  ///
  /// - Returns: Whether a fall is announced: to half of the mark or less, after a number above the mark.
  package mutating func note(_ count: Int) -> Bool {
    if count > mark { wasAbove = true }
    guard wasAbove, count <= mark / 2 else { return false }
    wasAbove = false
    return true
  }
}
