import LaunchLoader
import TestSupport
import Testing

/// The order that follows from `after:`; the names of the services are their numbers.
@Suite("Service layers")
struct ServiceLayerTests {
  private typealias Event = ServiceWalk.Event

  private func walk(_ after: [[String]]) throws -> ServiceWalk {
    var walk = try ServiceWalk(after.map { AppServiceOptions(after: $0) }, asks: false)
    walk.send(.begin)
    return walk
  }

  /// Starts all services, and stops each layer when the previous one has ended.
  private func run(_ after: [[String]]) throws -> (started: [Int], layers: [[Int]]) {
    var walk = try walk(after)
    // Each lets those start that come after it.
    var entered: Set<Int> = []
    while let id = walk.running.first(where: { !entered.contains($0) }) {
      entered.insert(id)
      walk.send(.entered(id))
    }
    let started = walk.started
    walk.send(.shutdown)
    var layers: [[Int]] = []
    while walk.outcome == nil {
      let layer = Array(walk.stopOrder.dropFirst(layers.joined().count))
      if layer.isEmpty { break }
      layers.append(layer)
      for id in layer { walk.send(.returned(id)) }
    }
    #expect(walk.complaints.isEmpty)
    return (started, layers)
  }

  @Test("A service's layer is one more than the highest layer it depends on")
  func layers() throws {
    let (web, database, cache, clock) = (0, 1, 2, 3)
    let (started, layers) = try run([["\(cache)", "\(database)"], [], ["\(database)"], []])
    #expect(started == [database, clock, cache, web])
    #expect(layers == [[web], [cache], [clock, database]])
  }

  @Test(
    "A cycle is refused with its path and without services that only lead to it",
    arguments: [
      ([["0"]], "0 → 0"),
      ([["1"], ["0"]], "0 → 1 → 0"),
      ([["1"], ["2"], ["3"], ["1"], []], "1 → 2 → 3 → 1"),
    ]
  )
  func cycle(after: [[String]], path: String) throws {
    let error = try walk(after).outcome?.first as? AppServiceError
    #expect(error?.description.contains(": \(path).") == true)
  }

  @Test("A long chain of services uses no stack")
  func deep() {
    // A stack with no room for as many calls.
    onStack(of: 256 << 10) {
      var machine = ServiceMachine()
      let last = size(6_000, full: 100_000) - 1
      for id in 0...last {
        let options = AppServiceOptions(after: id < last ? ["\(id + 1)"] : [])
        _ = try? machine.add("\(id)", options)
      }
      machine.begin()
      for id in (0...last).reversed() { machine.entered(id, attempt: 1) }
      let started = machine.takeActions().compactMap {
        if case .start(let id, _) = $0 { id } else { nil }
      }
      #expect(started == (0...last).reversed())
      machine.shutdown()
      let stopped = machine.takeActions().compactMap {
        if case .stop(let id) = $0 { id } else { nil }
      }
      #expect(stopped == [0])
    }
  }
}
