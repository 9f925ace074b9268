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

  @Test("Sixteen rounds are run, the next wish is given up, and the queue is idle again")
  func givesUp() {
    var queue = SwitchQueue<String, Int>()
    for lap in 0..<2 {
      #expect(submit(&queue, 1))
      for round in 1...16 {
        #expect(step(&queue) == "run \(round)", "lap \(lap)")
        #expect(!submit(&queue, round + 1))
      }
      #expect(step(&queue) == "given up 17")
      #expect(step(&queue) == "done")
    }
  }

  @Test("A round takes the last wish for each target, in the order in which they were first named")
  func targets() {
    var queue = SwitchQueue<String, Int>()
    #expect(!queue.isRunning)
    #expect(queue.submit(0, for: "root").isRunner)
    #expect(queue.isRunning)
    #expect(step(&queue) == "run 0")
    #expect(queue.submit(1, for: "scope").former == nil)
    #expect(queue.submit(2, for: "root").former == nil)
    #expect(queue.submit(3, for: "scope").former == 1)
    #expect(queue.wish(for: "scope") == 3)
    #expect(queue.wish(for: "other") == nil)
    #expect(step(&queue) == "run 3 2")
    #expect(queue.wish(for: "scope") == nil)
    #expect(step(&queue) == "done")
  }

  private func submit(_ queue: inout SwitchQueue<String, Int>, _ wish: Int) -> Bool {
    queue.submit(wish, for: "root").isRunner
  }

  private func step(_ queue: inout SwitchQueue<String, Int>) -> String {
    switch queue.next() {
    case .run(let round): (["run"] + round.map(String.init)).joined(separator: " ")
    case .done: "done"
    case .givenUp(let round): (["given up"] + round.map(String.init)).joined(separator: " ")
    }
  }
}
