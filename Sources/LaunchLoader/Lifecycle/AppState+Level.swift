extension AppState {
  /// How alive a running application is, to be compared.
  public enum Level: Comparable, Sendable {
    /// At least ``AppState/launching``.
    case launching
    /// At least ``AppState/background``: services run.
    case background
    /// At least ``AppState/inactive``.
    case inactive
    /// ``AppState/active``.
    case active
  }
}
