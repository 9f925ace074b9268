/// One registration in a roster: a row of the report in the making.
package struct LaunchRow: Sendable {
  /// How far a row has come.
  internal enum Status: Sendable {
    /// Its turn is to come.
    case waiting
    /// It was taken back before its turn.
    case withdrawn
    /// It was handed out and has not begun: its condition is asked, or it waits for its actor.
    case starting
    /// Its worker was called.
    case running
    /// Its outcome is certain and is being recorded.
    case ending
    /// It has its outcome.
    case ended
  }

  /// The registration.
  package let registration: LaunchRegistration
  /// The number that withdraws it; rows are in this order.
  internal let serial: UInt64
  /// The number of its name, or `nil` if it holds none.
  internal let name: Int?
  /// The how-manieth nameless one of its line it is; zero if it was given a name.
  package let number: Int
  /// How far it has come.
  internal var status: Status
  /// Its place in the order of its phase.
  internal var rank = 0
  /// The phase that it belongs to.
  package internal(set) var phase: LaunchPhase
  /// How many began before it; `nil` if it did not run.
  package internal(set) var turn: Int?
  /// Whether it takes up room in the width of the launch.
  internal var isCounted = false
  /// Whether it timed out and has not returned.
  internal var isAbandoned = false
  /// Whether its worker has not been called and still may be.
  internal var isPending: Bool { status == .waiting || status == .starting }
  /// When it ran, once it has.
  package internal(set) var times: LaunchTimes?
  /// How it ended, once it has.
  package internal(set) var outcome: LaunchOutcome?

  /// Creates a row that waits.
  internal init(
    _ registration: LaunchRegistration,
    serial: UInt64,
    name: Int?,
    number: Int,
    phase: LaunchPhase
  ) {
    self.registration = registration
    self.serial = serial
    self.name = name
    self.number = number
    self.phase = phase
    status = .waiting
  }

  /// The name, made from the place in the source if it was given none.
  package var id: LaunchID {
    registration.id ?? LaunchID(registration.site, number: number)
  }
}
