internal import EventBus

/// The services of a run and their names.
///
/// A plain value. Services have ascending identifiers, which are never reused.
struct ServiceRoster<Handle: Sendable>: Sendable {
  typealias ID = Int

  /// The services.
  ///
  /// Those that have ended are removed when they outnumber the others.
  private(set) var records: [ServiceRecord] = []
  /// The handle of each record; `nil` once the service has ended.
  private(set) var handles: [Handle?] = []
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
  mutating func append(_ handle: Handle, _ name: String, _ options: AppServiceOptions) -> ID? {
    defer { checkInvariants(ofSize: records.count, _checkInvariants()) }
    let id = nextID
    if let former = names.updateValue(id, forKey: name) {
      names[name] = former
      return nil
    }
    nextID += 1
    count += 1
    records.append(ServiceRecord(id: id, name: name, options: options))
    handles.append(handle)
    return id
  }

  /// Removes a service.
  ///
  /// - Returns: Its handle.
  @discardableResult
  mutating func remove(_ id: ID) -> Handle? {
    defer { checkInvariants(ofSize: records.count, _checkInvariants()) }
    guard let index = index(of: id) else { return nil }
    let handle = handles[index].take()
    records[index].isLiving = false
    names[records[index].name] = nil
    count -= 1
    if records.count > max(8, 2 * count) {
      records.removeAll { !$0.isLiving }
      handles.removeAll { $0 == nil }
    }
    return handle
  }

  /// Stops the program if the parts contradict each other.
  ///
  /// - Complexity: O(*n*) in the number of services.
  func _checkInvariants() {
    let living = living
    assert(
      zip(records, handles).allSatisfy { record, handle in
        record.isLiving ? handle != nil && index(of: record.id) != nil : handle == nil
      },
      "a service without a handle, or a handle without a service"
    )
    assert(living.count == count, "the services are miscounted")
    assert(records.count - count <= max(8, count), "too many records of services that have ended")
    assert(
      names.count == count && living.allSatisfy { names[$0.name] == $0.id },
      "a name belongs to no service, or to another one"
    )
  }
}
