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
    #expect(resumed == [true, false])
    #expect(step(&queue) == "run 17")
    #expect(step(&queue) == "done")
    let resumedAgain = queue.resume()
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
    #expect(step(&queue) == "run 0")
    #expect(queue.submit(1, for: "scope", isConsequence: true).former == nil)
    #expect(queue.submit(2, for: "root", isConsequence: true).former == nil)
    #expect(queue.submit(3, for: "scope", isConsequence: true).former == 1)
    #expect(queue.lastRequest(for: "scope") == 3)
    #expect(queue.lastRequest(for: "other") == nil)
    #expect(step(&queue) == "run 3 2")
    #expect(step(&queue) == "done")
  }

  @Test("A request waits until it has begun, and a later one replaces it")
  func pending() {
    var queue = SwitchQueue<String, Int>()
    _ = queue.submit(1, for: "root", isConsequence: true)
    _ = queue.submit(2, for: "scope", isConsequence: true)
    #expect(step(&queue) == "run 1 2")
    #expect(queue.lastRequest(for: "root") == 1 && queue.hasRequests)
    queue.begin("root")
    #expect(queue.lastRequest(for: "root") == nil && queue.lastRequest(for: "scope") == 2)
    _ = queue.submit(3, for: "scope", isConsequence: true)
    #expect(queue.lastRequest(for: "scope") == 3)
    queue.begin("scope")
    #expect(step(&queue) == "run 3")
    queue.begin("scope")
    #expect(!queue.hasRequests)
    #expect(step(&queue) == "done")
  }

  @Test("A postponed request belongs to the next round unless a later one exists")
  func postponed() {
    var queue = SwitchQueue<String, Int>()
    _ = queue.submit(1, for: "root", isConsequence: true)
    _ = queue.submit(2, for: "scope", isConsequence: true)
    _ = step(&queue)
    _ = queue.submit(3, for: "scope", isConsequence: true)
    queue.postpone([("root", 1), ("scope", 2)])
    #expect(step(&queue) == "run 3 1")
    #expect(step(&queue) == "done")
  }

  private func submit(
    _ queue: inout SwitchQueue<String, Int>,
    _ request: Int,
    isConsequence: Bool = true
  )
    -> Bool
  {
    queue.submit(request, for: "root", isConsequence: isConsequence).isRunner
  }

  private func step(_ queue: inout SwitchQueue<String, Int>) -> String {
    switch queue.next() {
    case .run(let round): (["run"] + round.map(String.init)).joined(separator: " ")
    case .done: "done"
    case .resume: "resume"
    }
  }
}
