import EventBus
import TestSupport
import Testing

@Suite("Probe for dead owners")
struct SweepProbeTests {
  /// Returns the number of slots that a probe looks at, and whether it then requests a sweep.
  private func probe(_ isDead: [Bool], seed: UInt) -> (looks: Int, sweeps: Bool) {
    var probe = SweepProbe(total: isDead.count, seed: seed)
    var looks = 0
    while let place = probe.next() {
      looks += 1
      probe.record(isDead: isDead[place])
    }
    return (looks, probe.shouldSweep)
  }

  @Test("The probe looks at eight slots if all owners live")
  func looksAtFew() {
    for total in [25, 64, 100, 10_000] {
      for seed: UInt in 0..<100 {
        let result = probe(Array(repeating: false, count: total), seed: seed)
        #expect(result == (8, false), "\(total) slots, seed \(seed)")
      }
    }
  }

  @Test("The probe starts a sweep if most owners are dead, in any pattern")
  func sweepsWhenManyDied() {
    let (total, dead) = (1_000, 700)
    let patterns: [[Bool]] = [
      (0..<total).map { $0 < dead },
      (0..<total).map { $0 >= total - dead },
      (0..<total).map { ($0 * 7919) % total < dead },
    ]
    for pattern in patterns {
      for seed: UInt in 0..<100 { #expect(probe(pattern, seed: seed).sweeps) }
    }
  }

  @Test("In a small list of living owners, the probe looks at half of them")
  func looksAtHalf() {
    for total in 0...24 {
      for seed: UInt in 0..<30 {
        let result = probe(Array(repeating: false, count: total), seed: seed)
        #expect(result == ((total + 1) / 2, false), "\(total) slots, seed \(seed)")
      }
    }
  }

  @Test("A small list without a sweep has as many living owners as others")
  func provesHalf() { for total in 1...size(5, full: 7) { provesHalf(of: total) } }

  private func provesHalf(of total: Int) {
    let answers: [Bool?] = [false, true, nil]
    let combinations = (0..<total).reduce(1) { product, _ in 3 * product }
    for combination in 0..<combinations {
      var rest = combination
      let isDead = (0..<total).map { _ in
        defer { rest /= 3 }
        return answers[rest % 3]
      }
      for seed: UInt in 0..<8 {
        var probe = SweepProbe(total: total, seed: seed)
        var looked: Set<Int> = []
        while let place = probe.next() {
          #expect(looked.insert(place).inserted)
          probe.record(isDead: isDead[place])
        }
        // Without a sweep, half of the owners were seen alive, or the owners that cannot be checked here
        // were all found.
        if probe.shouldSweep { continue }
        let living = looked.count { isDead[$0] == false }
        #expect(2 * living >= total || looked.count == total)
        #expect(looked.allSatisfy { isDead[$0] != true })
      }
    }
  }

  @Test("Every dead owner of a small list leads to a sweep sooner or later")
  func findsEach() {
    for total in 1...24 {
      for dead in 0..<total {
        let isDead = (0..<total).map { $0 == dead }
        #expect((0..<24).contains { probe(isDead, seed: $0).sweeps }, "\(dead) of \(total)")
      }
    }
  }
}
