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
      testDescription: "their own limits",
      options: [
        with { $0.stopTimeout = .seconds(1) },
        with {
          $0.startTimeout = .seconds(1)
          $0.reportsReadiness = true
        },
      ]
    ),
    Cast(
      testDescription: "the first starts again",
      options: [
        with {
          $0.reportsReadiness = true
          $0.startTimeout = .seconds(1)
          $0.onThrow = .restart(RestartPolicy(limit: 1))
          $0.onReturn = .restart(RestartPolicy(limit: nil))
        }, AppServiceOptions(),
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
          for isObedient in [true, false] {
            var finished = next
            finished.finish(isObedient: isObedient)
            if let complaint = finished.complaints.first {
              Issue.record("\(complaint) after \(finished.events)")
              return
            }
          }
          if depth < cast.depth { longer.append(next) }
        }
      }
      walks = longer
    }
    #expect(count > size(40, full: 200))
  }

  /// Options at random.
  private static func options(
    _ id: Int,
    hasEdges: Bool,
    _ numbers: inout SampleNumbers
  ) -> AppServiceOptions {
    func ending() -> AppServiceOptions.EndPolicy {
      let endings: [AppServiceOptions.EndPolicy] = [
        .cancel, .fail, .ignore, .shutdown, .restart(RestartPolicy(limit: 2)),
        .restart(RestartPolicy(limit: nil, resetAfter: .seconds(1))),
      ]
      return endings[numbers.next(below: endings.count)]
    }
    return with {
      $0.reportsReadiness = numbers.next(below: 3) == 0
      if numbers.next(below: 3) == 0 { $0.stopTimeout = .seconds(1 + numbers.next(below: 8)) }
      if numbers.next(below: 3) == 0 { $0.startTimeout = .seconds(1 + numbers.next(below: 8)) }
      $0.onReturn = ending()
      $0.onThrow = ending()
      if hasEdges, id > 0, numbers.next(below: 3) > 0 { $0.after = ["\(numbers.next(below: id))"] }
    }
  }

  @Test(
    "Services keep every rule on long paths: state changes, readiness, limits, restarts, cancellations"
  )
  func atRandom() throws {
    var numbers = SampleNumbers(seed: 1)
    var restarts = 0
    for _ in 0..<size(2_000, full: 100_000) {
      let hasEdges = numbers.next(below: 2) == 0
      let options = (0..<numbers.next(below: 7)).map {
        Self.options($0, hasEdges: hasEdges, &numbers)
      }
      var walk = try ServiceWalk(options, asks: numbers.next(below: 2) == 0)
      if numbers.next(below: 8) > 0 { walk.send(.begin) }
      for _ in 0..<40 where walk.outcome == nil {
        // The end is likely as soon as it is possible, so it is made rare.
        let events = walk.possibleEvents.filter {
          ![.shutdown, .cancel, .fail].contains($0) || numbers.next(below: 20) == 0
        }
        if events.isEmpty { continue }
        walk.send(events[numbers.next(below: events.count)])
      }
      if numbers.next(below: 10) == 0 { walk.send(.abandonAll) }
      if walk.outcome == nil { walk.finish(isObedient: numbers.next(below: 2) == 0) }
      restarts += walk.restarts
      if let complaint = walk.complaints.first {
        Issue.record("\(complaint) after \(walk.events)")
        return
      }
    }
    #expect(restarts > 300)
  }

  @Test("A service may be added again under a name that is free again")
  func nameIsFree() throws {
    var machine = ServiceMachine()
    let options = AppServiceOptions(onReturn: .ignore)
    _ = try machine.add("a", options)
    _ = try machine.add("b", options)
    machine.begin()
    #expect(throws: AppServiceError.self) { try machine.add("a", options) }
    machine.ended(0, attempt: 1, nil)
    _ = try machine.add("a", options)
    machine._checkInvariants()
  }

  @Test(
    "Services stop when one ends before it was ready while the program stops",
    arguments: [true, false],
    [true, false]
  )
  func endsUnreadyDuringTheStop(missesItsLimit: Bool, fails: Bool) throws {
    var machine = ServiceMachine()
    let slow = Self.with {
      $0.reportsReadiness = true
      $0.startTimeout = .seconds(1)
      $0.onThrow = .restart(RestartPolicy())
    }
    for (name, options) in [("a", AppServiceOptions()), ("b", slow), ("c", AppServiceOptions())] {
      _ = try machine.add(name, options)
    }
    machine.begin()
    machine.entered(0, attempt: 1)
    if missesItsLimit {
      machine.advance(to: .seconds(1))
      machine.timePassed()
    }
    // A group is asked to stop only in its turn.
    let error = fails ? Failed(name: "b") : nil
    machine.ended(1, attempt: 1, error, isProgramStopping: true)
    machine.endEvent()
    let isStopping = machine.takeActions().contains {
      if case .stopping = $0 { true } else { false }
    }
    #expect(isStopping)
    machine.permitStop()
    machine.ended(0, attempt: 1, nil)
    #expect(machine.isOver)
    #expect(machine.outcome.count == (fails ? 1 : 0))
  }

  @Test(
    "A pause grows by its factor up to the longest one, and never overflows",
    arguments: [
      (RestartPolicy(), [100, 200, 400, 800, 1_600]),
      (RestartPolicy(pause: .seconds(1), growingBy: 1), [1_000, 1_000, 1_000]),
      (
        RestartPolicy(pause: .seconds(8), growingBy: 3, atMost: .seconds(30)),
        [8_000, 24_000, 30_000]
      ),
      (RestartPolicy(pause: .seconds(40), atMost: .seconds(30)), [30_000, 30_000]),
      (RestartPolicy(pause: .zero), [0, 0, 0]),
    ]
  )
  func pauses(policy: RestartPolicy, milliseconds: [Int]) {
    for (restarts, pause) in milliseconds.enumerated() {
      #expect(policy.pause(after: restarts) == .milliseconds(pause))
    }
    #expect(policy.pause(after: 1_000_000) <= policy.atMost)
  }
}
