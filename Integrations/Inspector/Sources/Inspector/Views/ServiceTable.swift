internal import LaunchLoader

/// The services of an application, as their announcements describe them.
struct ServiceTable: Sendable {
  /// A service.
  struct Row: Sendable {
    var name: String
    var state: ServiceState
    /// The time of the last change, in nanoseconds since the recording began.
    var since: Int64
    var error: String?
    var history: [(state: ServiceState, time: Int64)] = []
  }

  /// The maximum number of services, and of changes of one service.
  static let limit = 500

  private(set) var rows: [Row] = []
  private var indices: [String: Int] = [:]
  /// The states of the application with their times.
  private(set) var states: [(state: AppState, time: Int64)] = []

  /// Notes a change of a service.
  mutating func note(_ service: String, _ state: ServiceState, at time: Int64) {
    guard let index = index(of: service, state) else { return }
    rows[index].state = state
    rows[index].since = time
    rows[index].history.append((state, time))
    if rows[index].history.count > Self.limit { rows[index].history.removeFirst() }
  }

  /// Notes the error of a service.
  mutating func note(failureOf service: String, _ error: String) {
    guard let index = index(of: service, .ended) else { return }
    rows[index].error = error
  }

  /// Notes a state of the application.
  mutating func note(_ state: AppState, at time: Int64) {
    states.append((state, time))
    if states.count > Self.limit { states.removeFirst() }
  }

  private mutating func index(of service: String, _ state: ServiceState) -> Int? {
    if let index = indices[service] { return index }
    guard rows.count < Self.limit else { return nil }
    rows.append(Row(name: service, state: state, since: 0))
    indices[service] = rows.count - 1
    return rows.count - 1
  }

  /// The table for the page.
  ///
  /// Others wait for a service while it starts, and while it stops.
  var json: JSON {
    [
      "states": .array(states.map { ["state": .string("\($0.state)"), "time": JSON($0.time)] }),
      "rows": .array(
        rows.map { row in
          [
            "name": .string(row.name), "state": .string(row.state.rawValue),
            "since": JSON(row.since), "error": JSON(row.error),
            "isWaitedFor": .bool([.starting, .stopping, .cancelled].contains(row.state)),
            "history": .array(
              row.history.map { ["state": .string($0.state.rawValue), "time": JSON($0.time)] }
            ),
          ]
        }
      ),
    ]
  }
}
