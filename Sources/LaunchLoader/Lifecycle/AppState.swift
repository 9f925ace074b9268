internal import EventBus

/// The state of a host.
///
///     notRunning ─▶ launching ─▶ inactive ◀─▶ active
///                       │            ▲
///                       └──────▶ background ◀─ (by way of inactive)
///     any of them ─▶ stopping ─▶ terminated
///
/// States can be read at any time. State changes are reported as events on the bus and to the
/// delegate.
public enum AppState: Hashable, Sendable {
  /// `run()` has not been called.
  case notRunning
  /// Launch work runs, then services start.
  case launching
  /// Services run, and the program is in the background.
  case background
  /// Services run, and the program is in the foreground without being active: on its way between the
  /// background and ``active``, or for as long as ``AppHost/report(_:isolation:)`` says so.
  case inactive
  /// All services have started, those with ``AppServiceOptions/reportsReadiness`` are ready, and the program is in
  /// the foreground.
  case active
  /// Services are stopping.
  case stopping
  /// `run()` is about to return, or has returned.
  case terminated
}

extension AppState {
  /// The activity level of the state; `nil` before the launch and from ``stopping`` on.
  public var level: Level? {
    switch self {
    case .launching: .launching
    case .background: .background
    case .inactive: .inactive
    case .active: .active
    case .notRunning, .stopping, .terminated: nil
    }
  }

  /// The stage in the life of the host; it never decreases.
  var stage: Int {
    switch self {
    case .notRunning: 0
    case .launching: 1
    case .background, .inactive, .active: 2
    case .stopping: 3
    case .terminated: 4
    }
  }

  /// Returns whether the host is in a state, or has passed one that occurs only once.
  func hasReached(_ state: AppState) -> Bool {
    state.stage == 2 ? self == state : stage >= state.stage
  }

  /// Returns whether the host is in a state or can still enter it.
  func mayReach(_ state: AppState) -> Bool { state.stage != 2 || stage <= 2 }
}

extension AppState {
  /// The activity level of a running host.
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
/// The activity of a program, as the system sees it: the argument of ``AppHost/report(_:isolation:)``.
public enum ReportedLevel: Hashable, Sendable {
  /// The user works with the program.
  case active
  /// The program is visible and not active, for example behind a dialog of the system.
  case inactive
  /// The program is not visible.
  case background
}

/// The error of a wait for a state that the host can no longer enter.
///
/// A service that throws it has not failed, because the host is stopping then.
public struct AppStateError: Error, CustomStringConvertible {
  /// The requested state.
  public let state: AppState

  /// A description of the failure.
  public var description: String {
    "The AppHost can no longer become \(state): it is stopping or has terminated."
  }
}

extension AppStateError: EndedWaitError {
  /// Always `true`.
  var isEndedWait: Bool { true }
}
