import EventBus
import Testing

@Suite("Chains of events")
struct EventChainTests {
  private static func chain(after turns: UInt32, from start: EventChain = .none) -> EventChain {
    (0..<turns).reduce(start) { chain, _ in chain.next }
  }

  @Test("Turns are counted up to one more than the limit")
  func turns() {
    #expect(EventChain.none.turns == 0)
    for turns in [1, 2, 65_535, 65_536, 65_537, 99_999, 100_000] as [UInt32] {
      #expect(Self.chain(after: turns).turns == turns)
    }
    #expect(Self.chain(after: 100_001).turns == 100_001)
    #expect(Self.chain(after: 100_500).turns == 100_001)
  }

  @Test("A chain is too long once, however many of its events are the hundred-thousandth")
  func once() {
    let halfway = Self.chain(after: 70_000)
    let (one, other) = (
      Self.chain(after: 30_000, from: halfway), Self.chain(after: 30_000, from: halfway)
    )
    #expect(!Self.chain(after: 29_999, from: halfway).isFirstTooLong)
    #expect(one.isFirstTooLong)
    #expect(!other.isFirstTooLong)
    #expect(!one.next.isFirstTooLong)
    // Another chain.
    #expect(Self.chain(after: 100_000).isFirstTooLong)
  }
}
