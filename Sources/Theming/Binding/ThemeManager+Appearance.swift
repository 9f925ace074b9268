internal import EventBus

extension ThemeManager {
  /// Which of its two themes a manager shows that was made with a light and a dark one.
  ///
  /// Setting it switches to that theme, even when another theme was put to use meanwhile by name or
  /// value. It begins with ``AppearancePreference/system``. With one theme to choose from it has no
  /// effect. A scope has the preference of the manager it was made from.
  ///
  /// What would be thrown by ``use(_:)-(Theme)`` cannot be thrown here: it is written to standard
  /// error, and the theme stays.
  public var preference: AppearancePreference {
    get { root.catalogue.preference }
    set {
      root.catalogue.preference = newValue
      root.wearChoice()
    }
  }

  /// What the system shows, or `nil` when that is not known: to be set by whoever finds out.
  ///
  /// While the ``preference`` is ``AppearancePreference/system``, a change switches to the theme for
  /// the new appearance, even when another theme was put to use meanwhile; `nil` counts as dark.
  /// Reporting the same appearance again does nothing.
  public var systemAppearance: Appearance? {
    get { root.catalogue.systemAppearance }
    set {
      let before = root.catalogue.appearance
      root.catalogue.systemAppearance = newValue
      if root.catalogue.appearance != before { root.wearChoice() }
    }
  }

  private func wearChoice() {
    guard let choice = catalogue.choice else { return }
    do throws(ThemeError) {
      try use(choice)
    } catch {
      StandardError.print("Theming: \(error)")
    }
  }
}
