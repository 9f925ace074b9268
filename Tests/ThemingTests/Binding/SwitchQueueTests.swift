import TestSupport
import Testing
import Theming

@Suite("Switch queue")
struct SwitchQueueTests {
  @Test("The first caller runs, and callers in the meantime do not")
  func oneRunner() {
    var queue = SwitchQueue<String, Int>()
    #expect(submit(&queue, 1))
    #expect(!submit(&queue, 2))
    #expect(step(&queue) == "run 2")
    #expect(!submit(&queue, 3))
    #expect(step(&queue) == "run 3")
    #expect(step(&queue) == "done")
    #expect(submit(&queue, 4))
  }

  @Test("Of several requests the last one remains")
  func lastWins() {
    var queue = SwitchQueue<String, Int>()
    _ = submit(&queue, 1)
    _ = step(&queue)
    for request in 2...5 { _ = submit(&queue, request) }
    #expect(step(&queue) == "run 5")
    #expect(step(&queue) == "done")
  }

  @Test("Any sequence of submissions and rounds leaves the queue consistent")
  func anySequence() {
    var random = SampleNumbers(seed: 4)
    var queue = SwitchQueue<Int, Int>()
    // The requests that neither began nor were replaced, in order of their targets.
    var pending: [(target: Int, request: Int)] = []
    for request in 0..<2_000 {
      let target = Int.random(in: 0..<4, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        if let round = queue.next().round {
          #expect(round == pending.map(\.request))
          pending = []
        }
      case 1: queue.begin(target)
      case 2: _ = queue.resume()
      case 3 where !pending.contains(where: { $0.target == target }):
        queue.postpone([(target, request)])
        pending.append((target, request))
      default:
        let isConsequence = Bool.random(using: &random)
        let former = queue.submit(request, for: target, isConsequence: isConsequence).former
        let index = pending.firstIndex { $0.target == target }
        #expect(former == index.map { pending[$0].request })
        if let index {
          pending[index].request = request
        } else {
          pending.append((target, request))
        }
        #expect(queue.lastRequest(for: target) == request)
      }
      queue._checkInvariants()
      #expect(queue.hasRequests || pending.isEmpty)
    }
  }

  @Test("An empty queue has no work")
  func idle() {
    var queue = SwitchQueue<String, Int>()
    #expect(step(&queue) == "done")
  }

  @Test("The sixteenth round is the last; requests accepted in it wait for a later runner")
  func lastRound() {
    var queue = SwitchQueue<String, Int>()
    #expect(submit(&queue, 1))
    for round in 1...16 {
      #expect(!queue.isLastRound)
      #expect(step(&queue) == "run \(round)")
      #expect(!submit(&queue, round + 1, isConsequence: round < 16))
    }
    #expect(queue.isLastRound)
    #expect(step(&queue) == "resume")
    #expect(!queue.isLastRound && queue.hasRequests)
    let resumed = [queue.resume(), queue.resume()]
    queue._checkInvariants()
    #expect(resumed == [true, false])
    #expect(step(&queue) == "run 17")
    #expect(step(&queue) == "done")
    let resumedAgain = queue.resume()
    queue._checkInvariants()
    #expect(!resumedAgain)
  }

  @Test("An outside request is left for a later runner unless a nested one follows it")
  func notLedTo() {
    var queue = SwitchQueue<String, Int>()
    _ = submit(&queue, 1)
    #expect(step(&queue) == "run 1")
    _ = submit(&queue, 2, isConsequence: false)
    _ = submit(&queue, 3, isConsequence: true)
    #expect(step(&queue) == "run 3")
    _ = submit(&queue, 4, isConsequence: true)
    _ = submit(&queue, 5, isConsequence: false)
    #expect(step(&queue) == "resume")
    #expect(submit(&queue, 6))
    #expect(step(&queue) == "run 6")
    #expect(step(&queue) == "done")
  }

  @Test("A round takes the last request per target, in order of first mention")
  func targets() {
    var queue = SwitchQueue<String, Int>()
    #expect(queue.submit(0, for: "root", isConsequence: true).isRunner)
    queue._checkInvariants()
    #expect(step(&queue) == "run 0")
    #expect(queue.submit(1, for: "scope", isConsequence: true).former == nil)
    queue._checkInvariants()
    #expect(queue.submit(2, for: "root", isConsequence: true).former == nil)
    queue._checkInvariants()
    #expect(queue.submit(3, for: "scope", isConsequence: true).former == 1)
    queue._checkInvariants()
    #expect(queue.lastRequest(for: "scope") == 3)
    #expect(queue.lastRequest(for: "other") == nil)
    #expect(step(&queue) == "run 3 2")
    #expect(step(&queue) == "done")
  }

  @Test("A request waits until it has begun, and a later one replaces it")
  func pending() {
    var queue = SwitchQueue<String, Int>()
    _ = queue.submit(1, for: "root", isConsequence: true)
    queue._checkInvariants()
    _ = queue.submit(2, for: "scope", isConsequence: true)
    queue._checkInvariants()
    #expect(step(&queue) == "run 1 2")
    #expect(queue.lastRequest(for: "root") == 1 && queue.hasRequests)
    queue.begin("root")
    queue._checkInvariants()
    #expect(queue.lastRequest(for: "root") == nil && queue.lastRequest(for: "scope") == 2)
    _ = queue.submit(3, for: "scope", isConsequence: true)
    queue._checkInvariants()
    #expect(queue.lastRequest(for: "scope") == 3)
    queue.begin("scope")
    queue._checkInvariants()
    #expect(step(&queue) == "run 3")
    queue.begin("scope")
    queue._checkInvariants()
    #expect(!queue.hasRequests)
    #expect(step(&queue) == "done")
  }

  @Test("A postponed request belongs to the next round unless a later one exists")
  func postponed() {
    var queue = SwitchQueue<String, Int>()
    _ = queue.submit(1, for: "root", isConsequence: true)
    queue._checkInvariants()
    _ = queue.submit(2, for: "scope", isConsequence: true)
    queue._checkInvariants()
    _ = step(&queue)
    _ = queue.submit(3, for: "scope", isConsequence: true)
    queue._checkInvariants()
    queue.postpone([("root", 1), ("scope", 2)])
    queue._checkInvariants()
    #expect(step(&queue) == "run 3 1")
    #expect(step(&queue) == "done")
  }

  @Test("The queue hands every request it removes to its caller")
  func releases() {
    var queue = SwitchQueue<String, Int>()
    _ = queue.submit(1, for: "root", isConsequence: true)
    _ = queue.submit(2, for: "scope", isConsequence: true)
    #expect(queue.next().former.isEmpty)
    #expect(queue.begin("root") == 1)
    #expect(queue.begin("root") == nil)
    _ = queue.submit(3, for: "scope", isConsequence: true)
    queue._checkInvariants()
    // The second request was replaced before it began.
    let (round, former) = queue.next()
    #expect(round == [3] && former == [2])
    queue._checkInvariants()
  }

  private func submit(
    _ queue: inout SwitchQueue<String, Int>,
    _ request: Int,
    isConsequence: Bool = true
  )
    -> Bool
  {
    defer { queue._checkInvariants() }
    return queue.submit(request, for: "root", isConsequence: isConsequence).isRunner
  }

  private func step(_ queue: inout SwitchQueue<String, Int>) -> String {
    defer { queue._checkInvariants() }
    guard let round = queue.next().round else { return queue.hasRequests ? "resume" : "done" }
    return (["run"] + round.map(String.init)).joined(separator: " ")
  }
}
