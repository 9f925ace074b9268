import TestSupport
import Testing
import Theming

@Suite("Switch queue")
struct SwitchQueueTests {
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
