/// The error of waiting for a state that the application can no longer enter.
///
/// A service that lets it out has not failed, because the application is stopping then.
public struct AppStateError: Error, CustomStringConvertible {
  /// The requested state.
  public let state: AppState

  /// A description of the failure.
  public var description: String {
    "the application can no longer become \(state): it is stopping or has terminated"
  }
}

extension AppStateError: EndedWaitError {
  /// Always `true`.
  var isEndedWait: Bool { true }
}
