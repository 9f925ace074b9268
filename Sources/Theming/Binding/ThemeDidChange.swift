public import EventBus

/// The payload of `themeDidChange`: a switch was made, and every view has its new values.
public struct ThemeDidChange: Sendable {
  /// The manager that switched, which is also the sender of the event.
  public let manager: ThemeManager
  /// The theme before.
  public let old: Theme
  /// The theme now.
  public let new: Theme
  /// The keys that read something else than before.
  ///
  /// Empty when the themes differ in their names alone.
  public let changedKeys: Set<ThemeKeys>
}

extension EventNames {
  /// Posted by a ``ThemeManager`` on its bus after a switch, with the manager as the sender.
  public static let themeDidChange = EventName<ThemeDidChange>("theme.didChange")
}
