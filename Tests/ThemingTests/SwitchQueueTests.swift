import Testing
import Theming

@Suite("SwitchQueue")
struct SwitchQueueTests {
  @Test("The first caller runs, and who comes meanwhile does not")
  func oneRunner() {
    var queue = SwitchQueue<Int>()
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
    var queue = SwitchQueue<Int>()
    _ = queue.submit(1)
    _ = step(&queue)
    for wish in 2...5 { _ = queue.submit(wish) }
    #expect(step(&queue) == "run 5")
    #expect(step(&queue) == "done")
  }

  @Test("An idle queue has nothing to do")
  func idle() {
    var queue = SwitchQueue<Int>()
    #expect(step(&queue) == "done")
  }

  @Test("Sixteen rounds are run, the next wish is given up, and the queue is idle again")
  func givesUp() {
    var queue = SwitchQueue<Int>()
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

  private func submit(_ queue: inout SwitchQueue<Int>, _ wish: Int) -> Bool { queue.submit(wish) }

  private func step(_ queue: inout SwitchQueue<Int>) -> String {
    switch queue.next() {
    case .run(let wish): "run \(wish)"
    case .done: "done"
    case .givenUp(let wish): "given up \(wish)"
    }
  }
}
