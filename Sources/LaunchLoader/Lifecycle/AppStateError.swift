/// The error of waiting for a state that the application can no longer enter.
public struct AppStateError: Error, CustomStringConvertible {
  /// The requested state.
  public let state: AppState

  /// A description of the failure.
  public var description: String {
    "the application can no longer become \(state): it is stopping or has terminated"
  }
}
