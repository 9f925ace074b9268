import LaunchLoader
import TestSupport
import Testing

@Suite("Set of ranks")
struct RankSetTests {
  @Test("The lowest number leaves first, in any order of insertion and removal")
  func lowestFirst() { for seed in 1...size(5, full: 50) { check(seed) } }

  private func check(_ seed: Int) {
    var numbers = SampleNumbers(seed: seed)
    var (set, model) = (RankSet(), Set<Int>())
    for _ in 0..<1_000 {
      if numbers.next(below: 2) == 0 {
        let number = numbers.next(below: 400)
        set.insert(number)
        model.insert(number)
      } else {
        #expect(set.first == model.min(), "seed \(seed)")
        #expect(set.popFirst() == model.min(), "seed \(seed)")
        if let least = model.min() { model.remove(least) }
      }
    }
    while let number = set.popFirst() { #expect(number == model.min().map { model.remove($0) }) }
    #expect(model.isEmpty, "seed \(seed)")
  }
}
