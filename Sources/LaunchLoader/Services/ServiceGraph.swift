/// The order that `after:` asks for, worked out before anything starts.
///
/// A plain value. Without a single edge the services are a chain, each after the one before it.
package struct ServiceGraph: Sendable, Equatable {
  /// For each service the places of those that start before it.
  package private(set) var dependencies: [[Int]]
  /// For each service its layer: one more than the highest of those before it, from zero.
  package private(set) var layers: [Int]
  /// Whether no service named another.
  package private(set) var isChain: Bool

  /// Works out the order.
  ///
  /// - Parameter services: The names, all different, and what each comes after.
  /// - Throws: ``ServiceError`` with the code `unknown` or `cycle`.
  /// - Complexity: O(*n* + *e*) in the number of services and edges.
  package init(_ services: [(name: String, after: [String])]) throws(ServiceError) {
    isChain = services.allSatisfy(\.after.isEmpty)
    if isChain {
      dependencies = services.indices.map { $0 == 0 ? [] : [$0 - 1] }
      layers = Array(services.indices)
      return
    }
    let places = Dictionary(
      services.enumerated().map { ($0.element.name, $0.offset) },
      uniquingKeysWith: { first, _ in first }
    )
    dependencies = []
    layers = Array(repeating: 0, count: services.count)
    for service in services {
      var own: [Int] = []
      for name in service.after {
        guard let place = places[name] else {
          throw ServiceError(.unknown(name, neededBy: service.name))
        }
        own.append(place)
      }
      dependencies.append(own)
    }
    if let cycle = assignLayers() {
      throw ServiceError(.cycle(cycle.map { services[$0].name }))
    }
  }

  /// Assigns layers.
  ///
  /// - Returns: A cycle, its first service again at the end, if there is one.
  private mutating func assignLayers() -> [Int]? {
    var missing = dependencies.map(\.count)
    var dependants: [[Int]] = Array(repeating: [], count: missing.count)
    for (service, own) in dependencies.enumerated() {
      for dependency in own { dependants[dependency].append(service) }
    }
    var free = missing.indices.filter { missing[$0] == 0 }
    var next = 0
    while next < free.count {
      let service = free[next]
      next += 1
      for dependant in dependants[service] {
        layers[dependant] = max(layers[dependant], layers[service] + 1)
        missing[dependant] -= 1
        if missing[dependant] == 0 { free.append(dependant) }
      }
    }
    guard let start = missing.firstIndex(where: { $0 > 0 }) else { return nil }
    return cycle(from: start) { missing[$0] > 0 }
  }

  /// Walks backwards from a service that cannot start until a service is met again.
  private func cycle(from start: Int, _ isHeldUp: (Int) -> Bool) -> [Int] {
    var path: [Int] = []
    var places: [Int: Int] = [:]
    var service = start
    while true {
      if let place = places[service] { return Array(path[place...]) + [service] }
      places[service] = path.count
      path.append(service)
      guard let next = dependencies[service].first(where: isHeldUp) else { return path }
      service = next
    }
  }
}

/// The services that may start now, the one registered first in front.
///
/// A plain value: a binary heap of numbers.
struct ServiceQueue: Sendable {
  private var heap: [Int] = []

  /// Creates an empty queue.
  init() {}

  /// Whether nobody may start.
  var isEmpty: Bool { heap.isEmpty }

  /// Adds a service.
  ///
  /// - Complexity: O(log *n*).
  mutating func insert(_ service: Int) {
    heap.append(service)
    var place = heap.count - 1
    while place > 0, heap[place] < heap[(place - 1) / 2] {
      heap.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Takes the first service.
  ///
  /// - Complexity: O(log *n*).
  mutating func popFirst() -> Int? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    if heap.isEmpty { return first }
    heap[0] = last
    var place = 0
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2]
      where child < heap.count && heap[child] < heap[least] {
        least = child
      }
      if least == place { return first }
      heap.swapAt(place, least)
      place = least
    }
  }

  /// Forgets everybody.
  mutating func removeAll() { heap = [] }
}
