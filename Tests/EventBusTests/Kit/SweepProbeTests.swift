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
      if isDead[place] { probe.foundDead() }
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

  @Test("The probe always sweeps a small list")
  func sweepsSmallLists() {
    #expect(probe(Array(repeating: false, count: 24), seed: 3).sweeps)
  }
}
