import EventBus
import Testing

/// Additions and turns of a lane, in every order.
private struct LaneModel {
  var lane = Lane<Int>()
  /// The turns that were scheduled and have not begun.
  var scheduled = 0
  var isRunning = false
  var nextElement = 0
  var taken: [Int] = []

  enum Step: CaseIterable {
    case add, begin, take, end
  }

  /// Takes a step, if it is possible.
  mutating func take(_ step: Step) -> Bool {
    switch step {
    case .add:
      _ = lane.waiting.append(nextElement)
      nextElement += 1
      if lane.requestTurn() { scheduled += 1 }
    case .begin:
      guard scheduled > 0, !isRunning else { return false }
      scheduled -= 1
      isRunning = true
    case .take:
      guard isRunning, let element = lane.waiting.popFirst() else { return false }
      taken.append(element)
    case .end:
      guard isRunning else { return false }
      isRunning = false
      if lane.endTurn() { scheduled += 1 }
    }
    return true
  }
}

@Suite("Lanes")
struct LaneTests {
  @Test("Elements never wait without a turn, and no two turns overlap, in every order of ten steps")
  func everyOrder() {
    var orders = 0
    func search(_ model: LaneModel, _ depth: Int) {
      model.lane._checkInvariants()
      let turns = model.scheduled + (model.isRunning ? 1 : 0)
      #expect(turns <= 1)
      #expect(turns == 1 || model.lane.waiting.isEmpty)
      #expect(model.lane.isScheduled == (turns == 1))
      #expect(model.taken == Array(0..<model.taken.count))
      guard depth < 10 else { return orders += 1 }
      for step in LaneModel.Step.allCases {
        var next = model
        if next.take(step) { search(next, depth + 1) }
      }
    }
    search(LaneModel(), 0)
    #expect(orders > 1_000)
  }
}
