internal import LaunchLoader

/// The services of an application, as their announcements and its own list describe them.
struct ServiceTable: Sendable {
  /// A service.
  struct Row: Sendable {
    var name: String
    /// The state; `nil` before the service starts.
    var state: AppServiceState?
    /// The time of the last change, in nanoseconds since the recording began.
    var since: Int64
    /// The number of the current attempt, from 1.
    var attempt = 1
    /// The error because of which it has ended or started again last.
    var error: String?
    /// The services that it starts after.
    var dependencies: [String] = []
    /// True if others wait for the service to start, or the program for its end.
    var isWaitedFor = false
    var history: [(state: AppServiceState, time: Int64)] = []
  }

  /// The maximum number of services, and of changes of one service.
  static let limit = 500

  private(set) var rows: [Row] = []
  private var indices: [String: Int] = [:]
  /// The states of the application with their times.
  private(set) var states: [(state: AppState, time: Int64)] = []

  /// Notes a change of a service.
  mutating func note(
    _ service: String,
    _ state: AppServiceState,
    _ error: String? = nil,
    attempt: Int = 1,
    at time: Int64
  ) {
    guard let index = index(of: service, state) else { return }
    rows[index].state = state
    rows[index].attempt = attempt
    if [.pausing, .ended, .abandoned].contains(state) { rows[index].error = error }
    // A restart delays no other service, unless the list of services says so.
    rows[index].isWaitedFor =
      state == .starting && attempt == 1 || state == .stopping || state == .cancelled
    rows[index].since = time
    rows[index].history.append((state, time))
    if rows[index].history.count > Self.limit { rows[index].history.removeFirst() }
  }

  /// Notes the list of the services that have not ended, which has no services inside a group.
  mutating func note(_ services: [AppServiceStatus], at time: Int64) {
    for service in services {
      guard let index = index(of: service.name, nil, at: time) else { continue }
      rows[index].dependencies = service.dependencies
      rows[index].isWaitedFor = service.isWaitedFor
    }
  }

  /// Notes a state of the application.
  mutating func note(_ state: AppState, at time: Int64) {
    states.append((state, time))
    if states.count > Self.limit { states.removeFirst() }
  }

  private mutating func index(
    of service: String,
    _ state: AppServiceState?,
    at time: Int64 = 0
  ) -> Int? {
    if let index = indices[service] { return index }
    guard rows.count < Self.limit else { return nil }
    rows.append(Row(name: service, state: state, since: time))
    indices[service] = rows.count - 1
    return rows.count - 1
  }

  /// The table for the page, in which a service that has not started is `waiting`.
  var json: JSON {
    [
      "states": .array(states.map { ["state": .string("\($0.state)"), "time": JSON($0.time)] }),
      "rows": .array(
        rows.map { row in
          [
            "name": .string(row.name), "state": .string(row.state?.rawValue ?? "waiting"),
            "since": JSON(row.since), "attempt": JSON(row.attempt), "error": JSON(row.error),
            "isWaitedFor": .bool(row.isWaitedFor), "after": JSON(row.dependencies),
            "history": .array(
              row.history.map { ["state": .string($0.state.rawValue), "time": JSON($0.time)] }
            ),
          ]
        }
      ),
    ]
  }
}
