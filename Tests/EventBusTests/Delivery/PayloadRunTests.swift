import EventBus
import TestSupport
import Testing

@Suite("Runs of payloads")
struct PayloadRunTests {
  private struct Fold<Part: Sendable>: Sendable {
    let parts: (Part, Part, Part, Part)

    init(_ part: Part) { parts = (part, part, part, part) }
  }

  @Test("A run has room for 512 payloads, for fewer where they are large, and for at least one")
  func limits() {
    func check<Payload>(_ payload: Payload, _ limit: Int) {
      var run = PayloadRun(payload)
      var count = 1
      while run.hasRoom, count < 1_000 {
        run.append(payload)
        count += 1
      }
      let held = run.count
      #expect((count, held) == (limit, limit), "\(Payload.self)")
    }
    check((), 512)
    check(UInt8(1), 512)
    check("text", 512)
    let half = SIMD64<Double>(repeating: 1)
    check(half, 128)
    check(Fold(half), 32)
    check(Fold(Fold(half)), 8)
    check(Fold(Fold(Fold(half))), 2)
    check(Fold(Fold(Fold(Fold(half)))), 1)
  }

  @Test("A run returns its payloads in order and frees each once: where removed, or at its end")
  func releases() {
    for count in [1, 2, 8, 9, 17] {
      for removed in 0...count {
        let freed = Log<Int>()
        func payload(_ number: Int) -> AtDeinit { AtDeinit { freed.append(number) } }
        do {
          var run = PayloadRun(payload(0))
          for number in 1..<max(1, count) { run.append(payload(number)) }
          for number in 0..<removed {
            run.removeFirst().touch()
            #expect(freed.entries == Array(0...number))
          }
          let left = run.count
          #expect(left == count - removed)
        }
        #expect(freed.entries == Array(0..<count))
      }
    }
  }
}
