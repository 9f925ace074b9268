import EventBus
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

  @Test("The probe looks at eight slots if all owners live", arguments: [25, 64, 100, 100_000])
  func looksAtFew(_ total: Int) {
    for seed: UInt in 0..<100 {
      let result = probe(Array(repeating: false, count: total), seed: seed)
      #expect(result.looks == 8)
      #expect(!result.sweeps)
    }
  }

  @Test(
    "The probe starts a sweep if most owners are dead, in any pattern",
    arguments: [70, 80, 90, 99]
  )
  func sweepsWhenManyDied(_ percent: Int) {
    let total = 1_000
    let dead = total * percent / 100
    let patterns: [[Bool]] = [
      (0..<total).map { $0 < dead },
      (0..<total).map { $0 >= total - dead },
      (0..<total).map { ($0 * 7919) % total < dead },
    ]
    for pattern in patterns {
      for seed: UInt in 0..<100 { #expect(probe(pattern, seed: seed).sweeps) }
    }
  }

  @Test("In a small list of living owners, the probe looks at half of them", arguments: 0...24)
  func looksAtHalf(_ total: Int) {
    for seed: UInt in 0..<30 {
      let result = probe(Array(repeating: false, count: total), seed: seed)
      #expect(result.looks == (total + 1) / 2)
      #expect(!result.sweeps)
    }
  }

  @Test("A small list without a sweep has as many living owners as others", arguments: 1...7)
  func provesHalf(_ total: Int) {
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

  @Test("Every dead owner of a small list leads to a sweep sooner or later", arguments: 1...24)
  func findsEach(_ total: Int) {
    for dead in 0..<total {
      let isDead = (0..<total).map { $0 == dead }
      #expect((0..<24).contains { probe(isDead, seed: $0).sweeps })
    }
  }
}
