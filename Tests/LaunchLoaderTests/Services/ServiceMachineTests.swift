import LaunchLoader
import TestSupport
import Testing

@Suite("Service state machine", .timeLimit(.minutes(5)))
struct ServiceMachineTests {
  /// A set of services with a description.
  struct Cast: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let options: [AppServiceOptions]
    var asks = false
    var depth = size(4, full: 6)
  }

  static let casts = [
    Cast(testDescription: "no services", options: []),
    Cast(testDescription: "two in a chain", options: [AppServiceOptions(), AppServiceOptions()]),
    Cast(
      testDescription: "two in a chain, stopping only with permission",
      options: [AppServiceOptions(), AppServiceOptions()],
      asks: true
    ),
    Cast(
      testDescription: "the first waits to be ready",
      options: [with { $0.reportsReadiness = true }, AppServiceOptions()]
    ),
    Cast(
      testDescription: "endings are ignored",
      options: [
        with {
          $0.onReturn = .ignore
          $0.onThrow = .ignore
        }, with { $0.onThrow = .cancel },
      ]
    ),
    Cast(
      testDescription: "limits of their own",
      options: [
        with { $0.stopTimeout = .seconds(1) },
        with {
          $0.startTimeout = .seconds(1)
          $0.reportsReadiness = true
        },
      ]
    ),
    Cast(
      testDescription: "ends cancel",
      options: [with { $0.onReturn = .cancel }, with { $0.onThrow = .cancel }],
      asks: true
    ),
    Cast(
      testDescription: "two after one that waits to be ready",
      options: [
        with { $0.reportsReadiness = true }, with { $0.after = ["0"] }, with { $0.after = ["0"] },
      ]
    ),
    Cast(
      testDescription: "three in a chain, from the end",
      options: [
        with { $0.after = ["1"] }, with { $0.after = ["2"] }, with { $0.onReturn = .ignore },
      ]
    ),
  ]

  private static func with(_ change: (inout AppServiceOptions) -> Void) -> AppServiceOptions {
    var options = AppServiceOptions()
    change(&options)
    return options
  }

  @Test(
    "For any sequence of inputs, every started service ends once, in reverse order",
    arguments: casts
  )
  func exhaustively(cast: Cast) throws {
    var walks = [try ServiceWalk(cast.options, asks: cast.asks)]
    var count = 0
    for depth in 1...cast.depth {
      var longer: [ServiceWalk] = []
      for walk in walks {
        for event in walk.possibleEvents {
          var next = walk
          next.send(event)
          count += 1
          var finished = next
          finished.finish()
          if let complaint = finished.complaints.first {
            Issue.record("\(complaint) after \(finished.events)")
            return
          }
          if depth < cast.depth { longer.append(next) }
        }
      }
      walks = longer
    }
    #expect(count > size(40, full: 200))
  }

  @Test("Started services end once, in reverse order, on long paths through many services")
  func atRandom() throws {
    var numbers = SampleNumbers(seed: 1)
    for _ in 0..<size(150, full: 3_000) {
      var options: [AppServiceOptions] = []
      let hasEdges = numbers.next(below: 2) == 0
      for id in 0..<(3 + numbers.next(below: 4)) {
        options.append(
          Self.with {
            $0.reportsReadiness = numbers.next(below: 3) == 0
            let endings: [AppServiceOptions.EndPolicy] = [.cancel, .fail, .ignore, .shutdown]
            if numbers.next(below: 3) == 0 { $0.stopTimeout = .seconds(1) }
            if numbers.next(below: 3) == 0 { $0.startTimeout = .seconds(1) }
            $0.onReturn = endings[numbers.next(below: 4)]
            $0.onThrow = endings[numbers.next(below: 4)]
            if hasEdges, id > 0, numbers.next(below: 3) > 0 {
              $0.after = ["\(numbers.next(below: id))"]
            }
          }
        )
      }
      var walk = try ServiceWalk(options, asks: numbers.next(below: 2) == 0)
      walk.send(.begin)
      for _ in 0..<40 where walk.outcome == nil {
        // The end is likely as soon as it is possible, so it is made rare.
        let events = walk.possibleEvents.filter {
          ![.shutdown, .cancel, .fail, .allTimedOut(.stop)].contains($0)
            || numbers.next(below: 20) == 0
        }
        if events.isEmpty { continue }
        walk.send(events[numbers.next(below: events.count)])
      }
      walk.finish()
      if let complaint = walk.complaints.first {
        Issue.record("\(complaint) after \(walk.events)")
        return
      }
    }
  }

  @Test("A service may be added again under a name that is free again")
  func nameIsFree() throws {
    var machine = ServiceMachine<Int>()
    let options = AppServiceOptions(onReturn: .ignore)
    _ = try machine.add(0, name: "a", options)
    _ = try machine.add(1, name: "b", options)
    machine.begin()
    guard case .startServices(let turn) = machine.takeActions().last else {
      Issue.record("nothing starts")
      return
    }
    #expect(machine.takeStart(after: nil, in: turn)?.handle == 0)
    #expect(throws: AppServiceError.self) { try machine.add(2, name: "a", options) }
    machine.ended(0, nil)
    _ = try machine.add(2, name: "a", options)
    machine._checkInvariants()
  }
}
