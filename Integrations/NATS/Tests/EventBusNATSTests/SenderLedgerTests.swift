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
    "After a forged sequence, a sender is accepted again with its sixteenth event",
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

  @Test("A sender whose first event was forged is accepted again with its sixteenth")
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
    // Another sender in between is not an interruption.
    _ = ledger.note("a", 5000)
    for number in 1...15 as ClosedRange<UInt64> {
      #expect(ledger.note("a", 1020 + number) == .past)
      _ = ledger.note("b", number)
    }
    #expect(ledger.note("a", 1036) == .next)
  }

  @Test("Late events, however many, are past once a later event has been confirmed")
  func late() {
    for length in [2, 20, 500] as [UInt64] {
      var ledger = Ledger()
      for number in 1...10 as ClosedRange<UInt64> { #expect(ledger.note("a", number) == .next) }
      #expect(ledger.note("a", 1001) == .afterGap(990))
      for number in 1002..<1001 + length { #expect(ledger.note("a", number) == .next) }
      for number in 11...1000 as ClosedRange<UInt64> { #expect(ledger.note("a", number) == .past) }
      #expect(ledger.note("a", 1001 + length) == .next)
    }
  }

  @Test("Events of two servers that arrive alternately are delivered in order, and counted once")
  func interleaved() {
    var ledger = Ledger()
    for number in 1...10 as ClosedRange<UInt64> { #expect(ledger.note("a", number) == .next) }
    #expect(ledger.note("a", 101) == .afterGap(90))
    for number in 11...100 as ClosedRange<UInt64> {
      #expect(ledger.note("a", number) == .past)
      #expect(ledger.note("a", number + 91) == .next)
    }
  }

  @Test("A forged sequence in the middle of late events gives up nothing that was confirmed")
  func forgedAmongLate() {
    var ledger = Ledger()
    for number in 1...10 as ClosedRange<UInt64> { #expect(ledger.note("a", number) == .next) }
    #expect(ledger.note("a", 41) == .afterGap(30))
    for number in 42...60 as ClosedRange<UInt64> { #expect(ledger.note("a", number) == .next) }
    for number in 11...25 as ClosedRange<UInt64> { #expect(ledger.note("a", number) == .past) }
    #expect(ledger.note("a", 5000) == .afterGap(4939))
    for number in 26...40 as ClosedRange<UInt64> { #expect(ledger.note("a", number) == .past) }
    for number in 61...75 as ClosedRange<UInt64> { #expect(ledger.note("a", number) == .past) }
    #expect(ledger.note("a", 76) == .next)
  }

  @Test("An event confirms the one before it although a forged one came between them")
  func confirmedAfterForgery() {
    var ledger = Ledger()
    for number in 1...10 as ClosedRange<UInt64> { #expect(ledger.note("a", number) == .next) }
    #expect(ledger.note("a", 41) == .afterGap(30))
    #expect(ledger.note("a", 5000) == .afterGap(4958))
    #expect(ledger.note("a", 42) == .past)
    for number in 11...40 as ClosedRange<UInt64> { #expect(ledger.note("a", number) == .past) }
    for number in 43...56 as ClosedRange<UInt64> { #expect(ledger.note("a", number) == .past) }
    #expect(ledger.note("a", 57) == .next)
  }

  @Test("A sequence that is far ahead is confirmed by the next one, or by two that are close")
  func confirmation() {
    for (following, isConfirmed) in [
      ([], false), ([42], true), ([43], false), ([50], false), ([43, 45], true), ([57, 73], true),
      ([58, 59], true), ([58, 70], false), ([58, 75], false), ([43, 44], true),
    ] as [([UInt64], Bool)] {
      var ledger = Ledger()
      for number in 1...10 as ClosedRange<UInt64> { #expect(ledger.note("a", number) == .next) }
      #expect(ledger.note("a", 41) == .afterGap(30))
      for number in following { #expect(ledger.note("a", number) != .past) }
      let late = (11...40 as ClosedRange<UInt64>).map { ledger.note("a", $0) }
      #expect(late.allSatisfy { $0 == .past } == isConfirmed, "\(following)")
      #expect(late.prefix(15).allSatisfy { $0 == .past }, "\(following)")
    }
  }

  @Test(
    "After two forged sequences, close or far, a sender is accepted again with its sixteenth event"
  )
  func twoForgeries() {
    for second in [1000, 1002, 1016, 1017, 2000, 900, 50, 1 << 40, 1 << 62, .max] as [UInt64] {
      for count in 0...15 as ClosedRange<UInt64> {
        var ledger = Ledger()
        for number in 1...100 as ClosedRange<UInt64> { #expect(ledger.note("a", number) == .next) }
        #expect(ledger.note("a", 1000) == .afterGap(899))
        // The second one comes at any time.
        for number in 101..<101 + count { #expect(ledger.note("a", number) == .past) }
        _ = ledger.note("a", second)
        var heard = 101 + count
        while ledger.note("a", heard) == .past, heard < 200 { heard += 1 }
        #expect(heard <= 116 + count && heard >= 116, "\(second) after \(count): \(heard)")
        #expect(ledger.note("a", heard + 1) == .next)
      }
    }
  }

  @Test("However many sequences are forged, the sixteenth event in a row is accepted")
  func manyForgeries() {
    var ledger = Ledger()
    for number in 1...100 as ClosedRange<UInt64> { #expect(ledger.note("a", number) == .next) }
    for index in 1...50 as ClosedRange<UInt64> {
      #expect(ledger.note("a", 1000 * index) == .afterGap(index == 1 ? 899 : 999))
    }
    // Lower forgeries, and copies, are late in any case.
    for number in [7000, 3000, 3000, 100, 1, .max, 1 << 62] as [UInt64] {
      _ = ledger.note("a", number)
    }
    for number in 101...115 as ClosedRange<UInt64> {
      #expect(ledger.note("a", number) == .past)
      #expect(ledger.note("a", number) == .past, "a copy")
      if number == 110 { #expect(ledger.note("a", 90_000) == .afterGap(39_999)) }
    }
    #expect(ledger.note("a", 116) == .next)
    #expect(ledger.note("a", 117) == .next)
  }

  @Test(
    "Events of a sender that arrive are delivered in order, and the others are counted, whatever happens"
  )
  func model() {
    for seed in 1...UInt64(size(200, full: 20_000)) {
      var model = LedgerModel(seed: seed)
      model.run()
    }
  }
}

/// A sender whose events take two ways, with losses, copies and restarts, and a forger; and the verdicts that are
/// promised, from the knowledge of what is genuine.
private struct LedgerModel {
  private struct Sender {
    let incarnation: UInt64
    /// The last event that was sent.
    var sent: UInt64 = 0
    /// The last genuine event that was accepted.
    var accepted: UInt64 = 0
    /// The sequence that was forged last, if it makes genuine events late.
    var forged: UInt64?
    /// The genuine events that came since, and the number of forged ones.
    var run = 0
    var forgeries = 0
    /// The events that a stopped server has.
    var held: [UInt64] = []
  }

  private let seed: UInt64
  private var generator: SeededGenerator
  private var ledger = SenderLedger()
  private var senders: [Sender] = [Sender(incarnation: 1)]

  init(seed: UInt64) {
    self.seed = seed
    generator = SeededGenerator(seed: seed)
  }

  mutating func run() {
    // The first event is confirmed by the next one.
    for _ in 0..<2 { deliver(0) }
    for _ in 0..<100 {
      let newest = senders.count - 1
      switch Int.random(in: 0..<12, using: &generator) {
      case 0: stop(newest)
      case 1: release(Int.random(in: 0..<senders.count, using: &generator))
      case 2: forge(newest)
      case 3: restart()
      case 4: repeated(Int.random(in: 0..<senders.count, using: &generator))
      case 5: extreme(newest)
      case 6 where senders[newest].forgeries < 2:
        // Lost; not after two forged ones, for the same reason as below.
        senders[newest].sent += UInt64.random(in: 1...100, using: &generator)
        for _ in 0..<2 { deliver(newest) }
      default: deliver(newest)
      }
    }
    for index in senders.indices { release(index) }
  }

  /// The next event arrives.
  private mutating func deliver(_ index: Int) {
    senders[index].sent += 1
    arrive(index, senders[index].sent)
  }

  /// A genuine event after the last accepted one arrives.
  private mutating func arrive(_ index: Int, _ sequence: UInt64) {
    let sender = senders[index]
    let last = sender.forged ?? sender.accepted
    if sequence < last, sender.run + 1 < SenderLedger.believedRun {
      senders[index].run += 1
      return note(index, sequence, .past)
    }
    (senders[index].forged, senders[index].accepted) = (nil, sequence)
    (senders[index].run, senders[index].forgeries) = (0, 0)
    if sequence == last {
      // The forged one has taken its place, and is confirmed by the next one.
      note(index, sequence, .past)
      return deliver(index)
    }
    let missing = sequence < last || last == 0 ? 0 : Int(sequence - last - 1)
    note(index, sequence, missing == 0 ? .next : .afterGap(missing))
  }

  /// A server stops, and the next events arrive over another one, two or more.
  private mutating func stop(_ index: Int) {
    // While a forged one is believed, the first sixteen in a row are, late or not.
    while senders[index].forged != nil { deliver(index) }
    let first = senders[index].sent + 1
    senders[index].sent += UInt64.random(in: 1...60, using: &generator)
    senders[index].held += Array(first...senders[index].sent)
    for _ in 0..<Int.random(in: 2...30, using: &generator) { deliver(index) }
  }

  /// The stopped server goes on, and passes on what it has; some is lost, some comes twice.
  private mutating func release(_ index: Int) {
    let held = senders[index].held
    senders[index].held = []
    for sequence in held where !generator.happens(10) {
      if generator.happens(10) { note(index, sequence, .past) }
      note(index, sequence, .past)
      // The next one over the other server, and a forged one, in between.
      if index == senders.count - 1 {
        if generator.happens(10) { deliver(index) }
        if generator.happens(1) { forge(index) }
      }
    }
  }

  /// An event of a sequence that was accepted or missed before arrives.
  private mutating func repeated(_ index: Int) {
    guard senders[index].accepted > 0 else { return }
    note(index, UInt64.random(in: 1...senders[index].accepted, using: &generator), .past)
  }

  private mutating func restart() {
    senders.append(Sender(incarnation: UInt64(senders.count + 1)))
    for _ in 0..<2 { deliver(senders.count - 1) }
  }

  /// A sequence that is far ahead arrives.
  private mutating func forge(_ index: Int) {
    let sender = senders[index]
    // After a loss, a genuine event close to the first forged one would confirm that.
    guard sender.forged == nil || sender.sent == sender.accepted + UInt64(sender.run) else {
      return
    }
    let last = sender.forged ?? sender.accepted
    let gap = UInt64.random(in: 20...1000, using: &generator)
    senders[index].forged = last + gap + 1
    senders[index].forgeries += 1
    note(index, last + gap + 1, .afterGap(Int(gap)))
  }

  private mutating func extreme(_ index: Int) {
    for sequence in [.max, 1 << 63, (1 << 62) + 1] as [UInt64] {
      note(index, sequence, .implausible)
    }
    note(index, 0, .past)
  }

  private mutating func note(_ index: Int, _ sequence: UInt64, _ expected: SenderLedger.Verdict) {
    let incarnation = senders[index].incarnation
    let header = WireHeader(
      node: "a",
      incarnation: incarnation,
      sequence: sequence,
      version: 1,
      contentType: "json"
    )
    let verdict = ledger.note(header)
    #expect(verdict == expected, "seed \(seed): event \(sequence) of process \(incarnation)")
  }
}
