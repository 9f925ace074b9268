import EventBusNATS
import Testing

@Suite("The rule for the sequences of senders", .timeLimit(.minutes(5)))
struct SenderLedgerRuleTests {
  private struct Ledger {
    var ledger: SenderLedger
    init(limit: Int = 4096) { ledger = SenderLedger(limit: limit) }

    mutating func note(
      _ node: String,
      _ sequence: UInt64,
      _ incarnation: UInt64 = 1
    ) -> SenderLedger.Verdict {
      ledger.note(
        WireHeader(
          node: node,
          incarnation: incarnation,
          sequence: sequence,
          version: 1,
          contentType: "json"
        )
      )
    }
  }

  @Test("Gaps and events of the past are found for each sender by itself")
  func gaps() {
    var ledger = Ledger(limit: 2)
    #expect(ledger.note("a", 5) == .next)
    #expect(ledger.note("a", 6) == .next)
    #expect(ledger.note("b", 1) == .next)
    #expect(ledger.note("a", 9) == .afterGap(2))
    #expect(ledger.note("b", 2) == .next)
    #expect(ledger.note("b", 2) == .past)
    #expect(ledger.note("a", 8) == .past)
    #expect(ledger.note("a", 10) == .next)
    // A restarted process counts from one again.
    #expect(ledger.note("a", 1, 2) == .next)
    // Two senders are remembered, so the first one is new again.
    #expect(ledger.note("a", 3, 1) == .next)
  }

  @Test(
    "After a forged sequence a sender is heard again with its sixteenth event",
    arguments: [
      100 + SenderLedger.longestGap, 100 + SenderLedger.longestGap + 1, 1 << 40, 1 << 62,
    ] as [UInt64]
  )
  func forged(_ sequence: UInt64) {
    var ledger = Ledger()
    for number in 1...100 as ClosedRange<UInt64> { #expect(ledger.note("a", number) == .next) }
    _ = ledger.note("a", sequence)
    let verdicts = (101...200 as ClosedRange<UInt64>).map { ledger.note("a", $0) }
    // One that cannot be believed does no harm at all.
    let lost = sequence <= 101 + SenderLedger.longestGap ? 15 : 0
    #expect(verdicts.filter { $0 == .past }.count == lost)
    #expect(verdicts.suffix(100 - lost).allSatisfy { $0 == .next })
  }

  @Test("A sender whose first event was forged is heard again with its sixteenth")
  func forgedFirst() {
    var ledger = Ledger()
    #expect(ledger.note("a", 1 << 61) == .next)
    let verdicts = (1...20 as ClosedRange<UInt64>).map { ledger.note("a", $0) }
    #expect(verdicts == Array(repeating: .past, count: 15) + Array(repeating: .next, count: 5))
  }

  @Test("A sender that is far ahead after a long break is believed with its sixteenth event")
  func longBreak() {
    var ledger = Ledger()
    #expect(ledger.note("a", 1) == .next)
    let start = 1 + SenderLedger.longestGap * 2
    let verdicts = (start..<start + 18).map { ledger.note("a", $0) }
    #expect(
      verdicts == Array(repeating: .implausible, count: 15) + [.next, .next, .next]
    )
  }

  @Test("The longest gap that is believed fits 32 bits, and a longer one is not believed")
  func longest() {
    var ledger = Ledger()
    #expect(SenderLedger.longestGap <= UInt64(Int32.max))
    #expect(ledger.note("a", 1) == .next)
    #expect(ledger.note("a", 3 + SenderLedger.longestGap) == .implausible)
    #expect(ledger.note("a", 2 + SenderLedger.longestGap) == .afterGap(1 << 30))
  }

  @Test(
    "Late and repeated events among those that arrive are never believed, and none is next twice"
  )
  func disorder() {
    for seed in 1...20 as ClosedRange<UInt64> { disorder(seed) }
  }

  private func disorder(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var ledger = Ledger()
    var highest: UInt64 = 0
    for number in 1...5000 as ClosedRange<UInt64> {
      if !generator.happens(10) {
        let missing = highest == 0 ? 0 : Int(number - highest - 1)
        let expected: SenderLedger.Verdict = missing == 0 ? .next : .afterGap(missing)
        #expect(ledger.note("a", number) == expected, "seed \(seed)")
        highest = number
      }
      // Earlier events come again, in any order, at most this often between two new ones.
      let count = Int.random(in: 0..<SenderLedger.believedRun, using: &generator)
      for _ in 0..<count where highest > 0 {
        let late = UInt64.random(in: 1...highest, using: &generator)
        #expect(ledger.note("a", late) == .past, "seed \(seed)")
      }
    }
  }

  @Test("A run that does not ascend, and one that another event interrupts, is not believed")
  func brokenRuns() {
    var ledger = Ledger()
    #expect(ledger.note("a", 1000) == .next)
    for number in (1...100 as ClosedRange<UInt64>).reversed() {
      #expect(ledger.note("a", number) == .past)
    }
    for _ in 0..<100 { #expect(ledger.note("a", 7) == .past) }
    for round in 1...20 as ClosedRange<UInt64> {
      for number in 1...15 as ClosedRange<UInt64> { #expect(ledger.note("a", number) == .past) }
      #expect(ledger.note("a", 1000 + round) == .next)
    }
    // Another sender in between is no interruption.
    for number in 1...15 as ClosedRange<UInt64> {
      #expect(ledger.note("a", number) == .past)
      _ = ledger.note("b", number)
    }
    #expect(ledger.note("a", 16) == .next)
  }
}
