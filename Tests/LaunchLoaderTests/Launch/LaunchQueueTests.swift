import LaunchLoader
import TestSupport
import Testing

@Suite("Launch queue")
struct LaunchQueueTests {
  @Test("Entries leave the queue by rank, in any order of insertion and removal")
  func byRank() { for seed in 1...size(2, full: 50) { check(seed) } }

  private func check(_ seed: Int) {
    var numbers = SampleNumbers(seed: seed)
    var queue = LaunchQueue()
    var model: [Int] = []
    var next = 0
    for _ in 0..<500 {
      switch numbers.next(below: 3) {
      case 0:
        next += 10
        queue.insert(RankedRow(rank: next, row: next))
        model.append(next)
      case 1:
        let rank = next - numbers.next(below: 100) * 10 - 5
        guard !model.contains(rank) else { continue }
        queue.insert(RankedRow(rank: rank, row: rank))
        model.append(rank)
      default:
        #expect(queue.first?.rank == model.min(), "seed \(seed)")
        #expect(queue.popFirst()?.row == model.min(), "seed \(seed)")
        if let least = model.min() { model.removeAll { $0 == least } }
      }
      queue._checkInvariants()
    }
    while let turn = queue.popFirst() {
      #expect(turn.rank == model.min(), "seed \(seed)")
      model.removeAll { $0 == turn.rank }
    }
    #expect(model.isEmpty, "seed \(seed)")
  }
}
