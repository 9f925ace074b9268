/// What an application is doing.
///
///     notRunning ─▶ launching ─▶ inactive ◀─▶ active
///                       │            ▲
///                       └──────▶ background ◀─ (by way of inactive)
///     any of them ─▶ stopping ─▶ terminated
///
/// States are values: ask for them at any time. The edges between them are events, on the bus and at the
/// delegate.
public enum AppState: Hashable, Sendable {
  /// Nobody has called `run()`.
  case notRunning
  /// Launch work runs, then services start.
  case launching
  /// Services run; the user has sent the program to the background.
  case background
  /// Services run; the program is on its way between the background and the foreground.
  case inactive
  /// Services have started, and are ready where that was asked for.
  case active
  /// Services are being stopped.
  case stopping
  /// `run()` is about to return, or did.
  case terminated
}

extension AppState {
  /// How alive the state is; `nil` before the launch and from ``stopping`` on.
  public var level: Level? {
    switch self {
    case .launching: .launching
    case .background: .background
    case .inactive: .inactive
    case .active: .active
    case .notRunning, .stopping, .terminated: nil
    }
  }

  /// How far the life of the application has come; it never goes back.
  var stage: Int {
    switch self {
    case .notRunning: 0
    case .launching: 1
    case .background, .inactive, .active: 2
    case .stopping: 3
    case .terminated: 4
    }
  }
}

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

/// A state was waited for that the application will not be in any more.
public struct AppStateError: Error, CustomStringConvertible {
  /// The state.
  public let state: AppState

  /// What went wrong.
  public var description: String {
    "the application will not be \(state) any more: it is stopping, or has terminated"
  }
}
