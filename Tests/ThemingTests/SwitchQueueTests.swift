import Testing
import Theming

@Suite("SwitchQueue")
struct SwitchQueueTests {
  @Test("The first caller runs, and who comes meanwhile does not")
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

  @Test("Of several wishes the last one is left")
  func lastWins() {
    var queue = SwitchQueue<String, Int>()
    _ = submit(&queue, 1)
    _ = step(&queue)
    for wish in 2...5 { _ = submit(&queue, wish) }
    #expect(step(&queue) == "run 5")
    #expect(step(&queue) == "done")
  }

  @Test("An idle queue has nothing to do")
  func idle() {
    var queue = SwitchQueue<String, Int>()
    #expect(step(&queue) == "done")
  }

  @Test("The sixteenth round is the last; what was accepted in it waits for a later runner")
  func lastRound() {
    var queue = SwitchQueue<String, Int>()
    #expect(submit(&queue, 1))
    for round in 1...16 {
      #expect(!queue.isLastRound)
      #expect(step(&queue) == "run \(round)")
      #expect(!submit(&queue, round + 1, isLed: round < 16))
    }
    #expect(queue.isLastRound)
    #expect(step(&queue) == "resume")
    #expect(!queue.isLastRound && queue.isWaiting)
    let resumed = [queue.resume(), queue.resume()]
    #expect(resumed == [true, false])
    #expect(step(&queue) == "run 17")
    #expect(step(&queue) == "done")
    let resumedAgain = queue.resume()
    #expect(!resumedAgain)
  }

  @Test("A wish that was not led to is left for a later runner, unless one that was comes after it")
  func notLedTo() {
    var queue = SwitchQueue<String, Int>()
    _ = submit(&queue, 1)
    #expect(step(&queue) == "run 1")
    _ = submit(&queue, 2, isLed: false)
    _ = submit(&queue, 3, isLed: true)
    #expect(step(&queue) == "run 3")
    _ = submit(&queue, 4, isLed: true)
    _ = submit(&queue, 5, isLed: false)
    #expect(step(&queue) == "resume")
    #expect(submit(&queue, 6))
    #expect(step(&queue) == "run 6")
    #expect(step(&queue) == "done")
  }

  @Test("A round takes the last wish for each target, in the order in which they were first named")
  func targets() {
    var queue = SwitchQueue<String, Int>()
    #expect(!queue.isRunning)
    #expect(queue.submit(0, for: "root", isLed: true).isRunner)
    #expect(queue.isRunning)
    #expect(step(&queue) == "run 0")
    #expect(queue.submit(1, for: "scope", isLed: true).former == nil)
    #expect(queue.submit(2, for: "root", isLed: true).former == nil)
    #expect(queue.submit(3, for: "scope", isLed: true).former == 1)
    #expect(queue.wish(for: "scope") == 3)
    #expect(queue.wish(for: "other") == nil)
    #expect(step(&queue) == "run 3 2")
    #expect(queue.wish(for: "scope") == nil)
    #expect(step(&queue) == "done")
  }

  @Test("A wish counts as waiting until it has begun, and a later one goes before it")
  func waiting() {
    var queue = SwitchQueue<String, Int>()
    _ = queue.submit(1, for: "root", isLed: true)
    _ = queue.submit(2, for: "scope", isLed: true)
    #expect(step(&queue) == "run 1 2")
    #expect(queue.lastWish(for: "root") == 1 && queue.isWaiting)
    queue.begin("root")
    #expect(queue.lastWish(for: "root") == nil && queue.lastWish(for: "scope") == 2)
    _ = queue.submit(3, for: "scope", isLed: true)
    #expect(queue.lastWish(for: "scope") == 3)
    queue.begin("scope")
    #expect(step(&queue) == "run 3")
    queue.begin("scope")
    #expect(!queue.isWaiting)
    #expect(step(&queue) == "done")
  }

  @Test("A postponed wish is of the next round, unless there is a later one")
  func postponed() {
    var queue = SwitchQueue<String, Int>()
    _ = queue.submit(1, for: "root", isLed: true)
    _ = queue.submit(2, for: "scope", isLed: true)
    _ = step(&queue)
    _ = queue.submit(3, for: "scope", isLed: true)
    queue.postpone([("root", 1), ("scope", 2)])
    #expect(step(&queue) == "run 3 1")
    #expect(step(&queue) == "done")
  }

  private func submit(_ queue: inout SwitchQueue<String, Int>, _ wish: Int, isLed: Bool = true)
    -> Bool
  {
    queue.submit(wish, for: "root", isLed: isLed).isRunner
  }

  private func step(_ queue: inout SwitchQueue<String, Int>) -> String {
    switch queue.next() {
    case .run(let round): (["run"] + round.map(String.init)).joined(separator: " ")
    case .done: "done"
    case .resume: "resume"
    }
  }
}
