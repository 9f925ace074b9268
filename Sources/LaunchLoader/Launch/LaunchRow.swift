/// One registration in a roster: a row of the report in the making.
package struct LaunchRow: Sendable {
  /// The registration, for its outcome and its place in the source.
  package let registration: LaunchRegistration
  /// The name; `nil` until a launch makes one from the place in the source.
  package internal(set) var id: LaunchID?
  /// Whether the work waits for its turn.
  package internal(set) var isWaiting: Bool
  /// When it ran, once it has.
  package internal(set) var times: LaunchTimes?
}
