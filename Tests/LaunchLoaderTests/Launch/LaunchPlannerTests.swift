import LaunchLoader
import TestSupport
import Testing

@Suite("Launch planner")
struct LaunchPlannerTests {
  typealias Worker = LaunchItem

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let workers: [Worker]
    let layers: [[LaunchID]]
  }

  static let cases = [
    Case(
      testDescription: "phases follow one another",
      workers: [
        worker("idle", phase: .idle), worker("late", phase: .late), worker("standard"),
        worker("early", phase: .early),
      ],
      layers: [["early"], ["standard"], ["late"], ["idle"]]
    ),
    Case(
      testDescription: "dependencies come first, of the others the one registered first",
      workers: [worker("a", ["c"]), worker("b"), worker("c"), worker("d", ["a"])],
      layers: [["b", "c"], ["a"], ["d"]]
    ),
    Case(
      testDescription: "a dependency beats its phase, and so does what it depends on itself",
      workers: [
        worker("a", ["b"], phase: .early), worker("b", ["c"], phase: .late),
        worker("c", phase: .idle), worker("d", phase: .early),
      ],
      layers: [["c", "d"], ["b"], ["a"]]
    ),
    Case(
      testDescription: "work without a name is planned, and nobody can name it",
      workers: [worker(nil), worker("a", soft: [""])],
      layers: [["?", "a"]]
    ),
  ]

  @Test("Work is ordered by phase, then dependencies, then registration", arguments: cases)
  func table(_ each: Case) {
    let schedule = Self.plan(each.workers)
    #expect(schedule.problems.isEmpty && schedule.excluded.isEmpty)
    #expect(schedule.layers.map { $0.map { each.workers[$0].id ?? "?" } } == each.layers)
  }

  @Test("A cycle is found with its whole path; only it and its dependants are excluded")
  func cycle() {
    let workers = [
      Self.worker("a", ["b"]), Self.worker("b", soft: ["c"]), Self.worker("c", ["a"]),
      Self.worker("d", ["c"]), Self.worker("e", ["d"]), Self.worker("f", soft: ["a"]),
      Self.worker("g"),
    ]
    let schedule = Self.plan(workers)
    #expect(schedule.problems.map(Self.text) == ["cycle a b c a"])
    #expect(schedule.excluded == [0: "b", 1: "c", 2: "a", 3: "c", 4: "d"])
    #expect(schedule.order == [5, 6])
  }

  @Test("In random graphs the order respects every edge and phase, is complete, and is repeatable")
  func randomGraphs() {
    for seed in 1...size(25, full: 100) {
      var numbers = SampleNumbers(seed: seed)
      let workers = Self.acyclic(&numbers)
      let schedule = Self.plan(workers)
      #expect(schedule.problems.isEmpty && schedule.excluded.isEmpty, "seed \(seed)")
      #expect(schedule.order.sorted() == Array(workers.indices), "seed \(seed)")
      #expect(Self.plan(workers).order == schedule.order, "seed \(seed)")
      expectOrdered(workers, schedule, seed)
      #expect(schedule.layers.flatMap(\.self).sorted() == Array(workers.indices), "seed \(seed)")
    }
  }

  @Test("In random graphs with cycles each reported path is a cycle, and the rest is ordered")
  func randomCycles() { for seed in 1...size(25, full: 100) { checkCycles(seed) } }

  private func checkCycles(_ seed: Int) {
    var numbers = SampleNumbers(seed: 1_000 + seed)
    let workers = Self.anything(&numbers)
    let schedule = Self.plan(workers)
    var indices: [LaunchID: Int] = [:]
    for (index, worker) in workers.enumerated() { if let id = worker.id { indices[id] = index } }
    for problem in schedule.problems {
      switch problem.code {
      case .cycle(let path):
        #expect(path.count > 1 && path.first == path.last, "seed \(seed)")
        #expect(Set(path.dropLast()).count == path.count - 1, "seed \(seed)")
        for (from, target) in zip(path, path.dropFirst()) {
          let worker = indices[from].map { workers[$0] }
          #expect(
            worker.map { ($0.after + $0.afterIfPresent).contains(target) } == true,
            "seed \(seed)"
          )
        }
      case .unknown(let id, let needer):
        let worker = indices[needer].map { workers[$0] }
        #expect(indices[id] == nil && worker?.after.contains(id) == true, "seed \(seed)")
      default: Issue.record("\(problem), seed \(seed)")
      }
    }
    #expect(Set(schedule.order).isDisjoint(with: schedule.excluded.keys), "seed \(seed)")
    #expect(schedule.order.count + schedule.excluded.count == workers.count, "seed \(seed)")
    #expect(schedule.problems.isEmpty == schedule.excluded.isEmpty, "seed \(seed)")
    expectOrdered(workers, schedule, seed)
    // A worker is excluded because a worker it waits for is excluded or missing.
    for (index, id) in schedule.excluded {
      #expect((workers[index].after + workers[index].afterIfPresent).contains(id), "seed \(seed)")
      #expect(indices[id].map { schedule.excluded[$0] != nil } ?? true, "seed \(seed)")
    }
  }

  private func expectOrdered(_ workers: [Worker], _ schedule: LaunchPlanner, _ seed: Int) {
    var turns: [Int: Int] = [:]
    for (turn, index) in schedule.order.enumerated() { turns[index] = turn }
    var dependants: [Int: [Int]] = [:]
    var isRespected = true
    for index in schedule.order {
      schedule.forEachDependency(of: index) { target, _ in
        guard let turn = turns[target] else { return }
        isRespected = isRespected && turn < (turns[index] ?? -1)
        dependants[target, default: []].append(index)
      }
    }
    #expect(isRespected, "seed \(seed)")
    let phases = schedule.order.map { schedule.phases[$0] }
    #expect(phases == phases.sorted(), "seed \(seed)")
    // The phase of a worker is its own, or the earliest of those that wait for it.
    let expected = schedule.order.map { index in
      ((dependants[index] ?? []).map { schedule.phases[$0] } + [workers[index].phase]).min()
    }
    #expect(phases == expected, "seed \(seed)")
  }

  private static func acyclic(_ numbers: inout SampleNumbers) -> [Worker] {
    let count = 1 + numbers.next(below: 200)
    var order = Array(0..<count)
    for index in order.indices { order.swapAt(index, numbers.next(below: count)) }
    var workers = Array(repeating: worker(nil), count: count)
    for (rank, index) in order.enumerated() {
      var hard: [LaunchID] = []
      var soft: [LaunchID] = []
      for _ in 0..<numbers.next(below: 4) where rank > 0 {
        let id = name(order[numbers.next(below: rank)])
        if numbers.next(below: 2) == 0 { hard.append(id) } else { soft.append(id) }
      }
      let phase = LaunchPhase.allCases[numbers.next(below: 4)]
      workers[index] = worker(name(index), hard, soft: soft, phase: phase)
    }
    return workers
  }

  private static func anything(_ numbers: inout SampleNumbers) -> [Worker] {
    let count = 1 + numbers.next(below: 200)
    return (0..<count).map { index in
      var hard: [LaunchID] = []
      var soft: [LaunchID] = []
      for _ in 0..<numbers.next(below: 3) {
        let id = name(numbers.next(below: count + 2))
        if numbers.next(below: 3) > 0 { hard.append(id) } else { soft.append(id) }
      }
      return worker(
        name(index),
        hard,
        soft: soft,
        phase: LaunchPhase.allCases[numbers.next(below: 4)]
      )
    }
  }

  private static func name(_ number: Int) -> LaunchID { LaunchID("\(number)") }

  private static func plan(_ workers: [Worker]) -> LaunchPlanner {
    var machine = LaunchMachine()
    for worker in workers { _ = machine.register(worker) }
    return machine.planner()
  }

  private static func text(_ problem: LaunchError) -> String {
    switch problem.code {
    case .cycle(let path): "cycle " + path.map(\.rawValue).joined(separator: " ")
    case .unknown(let id, let needer): "\(needer) needs \(id)"
    default: "\(problem)"
    }
  }

  private static func worker(
    _ id: LaunchID?,
    _ hard: [LaunchID] = [],
    soft: [LaunchID] = [],
    phase: LaunchPhase = .standard
  ) -> Worker {
    LaunchItem(id: id, after: hard, afterIfPresent: soft, phase: phase)
  }
}
