/// The start order that results from `after:`, computed before any service starts.
///
/// A plain value. Without edges, the services form a chain, each after the previous one.
package struct ServiceGraph: Sendable, Equatable {
  /// The indices of the services that start before each service.
  package private(set) var dependencies: [[Int]]
  /// The layer of each service: zero, or one more than the highest layer among its dependencies.
  package private(set) var layers: [Int]
  /// A Boolean value that indicates whether no service names another.
  package private(set) var isChain: Bool

  /// Computes the order.
  ///
  /// - Parameter services: The services with unique names and the names that each comes after.
  /// - Throws: ``ServiceError`` with the code `unknown` or `cycle`.
  /// - Complexity: O(*n* + *e*) in the number of services and edges.
  package init(_ services: [(name: String, after: [String])]) throws(ServiceError) {
    isChain = services.allSatisfy(\.after.isEmpty)
    if isChain {
      dependencies = services.indices.map { $0 == 0 ? [] : [$0 - 1] }
      layers = Array(services.indices)
      return
    }
    let indices = Dictionary(
      services.enumerated().map { ($0.element.name, $0.offset) },
      uniquingKeysWith: { first, _ in first }
    )
    dependencies = []
    layers = Array(repeating: 0, count: services.count)
    for service in services {
      var own: [Int] = []
      for name in service.after {
        guard let index = indices[name] else {
          throw ServiceError(.unknown(name, neededBy: service.name))
        }
        own.append(index)
      }
      dependencies.append(own)
    }
    if let cycle = assignLayers() {
      throw ServiceError(.cycle(cycle.map { services[$0].name }))
    }
  }

  /// Assigns layers in topological order.
  ///
  /// - Returns: A cycle with its first service repeated at the end, or `nil` if there is none.
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

  /// Follows the blocked dependencies of a service until one repeats.
  private func cycle(from start: Int, _ isHeldUp: (Int) -> Bool) -> [Int] {
    var path: [Int] = []
    var indices: [Int: Int] = [:]
    var service = start
    while true {
      if let index = indices[service] { return Array(path[index...]) + [service] }
      indices[service] = path.count
      path.append(service)
      guard let next = dependencies[service].first(where: isHeldUp) else { return path }
      service = next
    }
  }
}

/// The services that may start now, in registration order.
///
/// A binary heap of service numbers.
struct ServiceQueue: Sendable {
  private var heap: [Int] = []

  init() {}

  var isEmpty: Bool { heap.isEmpty }

  /// Adds a service.
  ///
  /// - Complexity: O(log *n*).
  mutating func insert(_ service: Int) {
    heap.append(service)
    var index = heap.count - 1
    while index > 0, heap[index] < heap[(index - 1) / 2] {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Removes and returns the service with the lowest number.
  ///
  /// - Complexity: O(log *n*).
  mutating func popFirst() -> Int? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    if heap.isEmpty { return first }
    heap[0] = last
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < heap.count && heap[child] < heap[least] {
        least = child
      }
      if least == index { return first }
      heap.swapAt(index, least)
      index = least
    }
  }

  mutating func removeAll() { heap = [] }
}
