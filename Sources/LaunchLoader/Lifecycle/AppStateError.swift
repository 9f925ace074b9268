/// A state was waited for that the application will not be in any more.
public struct AppStateError: Error, CustomStringConvertible {
  /// The state.
  public let state: AppState

  /// What went wrong.
  public var description: String {
    "the application will not be \(state) any more: it is stopping, or has terminated"
  }
}
