internal import EventBus

/// A service of a run.
struct ServiceRecord: Sendable {
  /// The constant part, in one object, so that a copy of a record is small.
  final class Constants: Sendable {
    let name: String
    let options: AppServiceOptions

    init(_ name: String, _ options: AppServiceOptions) {
      (self.name, self.options) = (name, options)
    }
  }

  let id: Int
  let constants: Constants
  /// The state; `nil` while it waits for its first start.
  var state: AppServiceState?
  /// The time at which it entered the state.
  var since = Duration.zero
  /// The time at which the state lasts too long or, in a pause, long enough.
  var deadline: Duration?
  /// True if it was not removed.
  var isLiving = true
  /// The layer; services in higher layers stop earlier.
  var layer = 0
  /// The number of dependencies that have not started.
  var blockers = 0
  /// The services that wait for its first start.
  var dependants: [Int] = []
  /// True if its dependants may start: it has started once and, if it reports its readiness, was ready.
  var isSatisfied = false
  /// The number of the current attempt, from 1.
  var attempt = 0
  /// The time at which the attempt began.
  var began = Duration.zero
  /// The number of restarts in a row.
  var restarts = 0
  /// True if the attempt has exceeded the limit of its start.
  var missedStart = false

  var name: String { constants.name }
  var options: AppServiceOptions { constants.options }

  /// True if it has a task that was neither asked to stop nor cancelled.
  var isRunning: Bool {
    // A switch, because `==` compares the raw values, which are strings.
    switch state {
    case .starting, .ready, .unready: true
    default: false
    }
  }

  /// True if it was asked to stop or cancelled, and has not ended.
  var isEnding: Bool {
    switch state {
    case .stopping, .cancelled: true
    default: false
    }
  }

  /// True if it has a task.
  var hasTask: Bool { isRunning || isEnding }

  /// True if ending now would be a failed start.
  var failsToStart: Bool {
    if case .starting = state { options.reportsReadiness } else { false }
  }
}

/// The services of a run and their names.
///
/// A plain value. Services have ascending identifiers, which are never reused.
struct ServiceTable: Sendable {
  typealias ID = Int

  /// The services.
  ///
  /// Those that have ended are removed when they outnumber the others.
  private(set) var records: [ServiceRecord] = []
  /// The number of services that have not ended.
  private(set) var count = 0
  private var nextID = 0
  /// The identifiers of the services that have not ended, by name.
  private var names: [String: ID] = [:]
  /// The next numbers of names that several services have.
  private var numbers: [String: Int] = [:]

  /// The record at an index.
  subscript(index: Int) -> ServiceRecord {
    get { records[index] }
    _modify { yield &records[index] }
  }

  /// The services that have not ended, in registration order.
  var living: [ServiceRecord] { records.filter(\.isLiving) }

  /// Returns the identifiers of the services that have not ended and satisfy a predicate, in registration order.
  func ids(where isMeant: (ServiceRecord) -> Bool = { _ in true }) -> [ID] {
    // By index: an iteration would copy each record.
    records.indices.filter { records[$0].isLiving && isMeant(records[$0]) }.map { records[$0].id }
  }

  /// Returns the index of a service that has not ended.
  ///
  /// - Complexity: O(1); O(log *n*) after services were removed.
  func index(of id: ID) -> Int? {
    guard let index = records.indices.index(ofNumber: id, { records[$0].id }) else { return nil }
    return records[index].isLiving ? index : nil
  }

  /// Returns the index of a service in one of its attempts, unless that has ended.
  func index(of id: ID, attempt: Int) -> Int? {
    guard let index = index(of: id), records[index].attempt == attempt, records[index].hasTask
    else {
      return nil
    }
    return index
  }

  /// Returns a name that is free: the given one, or the one with the next number.
  ///
  /// - Complexity: Amortized O(1).
  mutating func freeName(_ name: String) -> String {
    if id(of: name) == nil { return name }
    var numbered: String
    repeat {
      let number = numbers[name, default: 2]
      numbers[name] = number + 1
      numbered = "\(name) \(number)"
    } while id(of: numbered) != nil
    return numbered
  }

  /// Returns the service of a name, unless it has ended.
  func id(of name: String) -> ID? { names[name] }

  /// Appends a service.
  ///
  /// - Returns: Its identifier; `nil` if the name is taken.
  mutating func append(_ name: String, _ options: AppServiceOptions) -> ID? {
    defer { checkInvariants(ofSize: records.count, _checkInvariants()) }
    let id = nextID
    if let former = names.updateValue(id, forKey: name) {
      names[name] = former
      return nil
    }
    nextID += 1
    count += 1
    records.append(ServiceRecord(id: id, constants: ServiceRecord.Constants(name, options)))
    return id
  }

  /// Removes a service.
  mutating func remove(_ id: ID) {
    defer { checkInvariants(ofSize: records.count, _checkInvariants()) }
    guard let index = index(of: id) else { return }
    records[index].isLiving = false
    names[records[index].name] = nil
    count -= 1
    if records.count > max(8, 2 * count) { records.removeAll { !$0.isLiving } }
  }

  /// Stops the program if the parts contradict each other.
  ///
  /// - Complexity: O(*n*) in the number of services.
  func _checkInvariants() {
    let living = living
    assert(living.allSatisfy { index(of: $0.id) != nil }, "a service cannot be found")
    assert(living.count == count, "the services are miscounted")
    assert(records.count - count <= max(8, count), "too many records of services that have ended")
    assert(
      names.count == count && living.allSatisfy { names[$0.name] == $0.id },
      "a name belongs to no service, or to another one"
    )
  }
}
