internal import Synchronization

/// How many turns of queues have led to an event, one after another: a handler that a queue calls causes the next event.
///
/// The word holds the number of turns and, for long chains, a number of the chain, which all events have in common that
/// follow from one event halfway.
package struct EventChain: Equatable, Sendable {
  /// The number of turns after which a chain is reported.
  package static let limit: UInt32 = 100_000
  private static let halfway: UInt32 = 1 << 16
  private static let turnBits: UInt32 = 17
  private static let newest = Atomic<UInt32>(0)
  /// The numbers of the chains that have been reported.
  private static let reported = Locked(Set<UInt32>())

  private var word: UInt32

  /// The chain of an event that no queue has caused.
  package static let none = EventChain(word: 0)

  private init(word: UInt32) { self.word = word }

  /// The number of turns, which no longer grows beyond the limit.
  package var turns: UInt32 { word & ((1 << Self.turnBits) - 1) }

  /// The chain of the events that a handler of this event causes.
  package var next: EventChain {
    switch turns {
    case Self.limit...: EventChain(word: word + (turns == Self.limit ? 1 : 0))
    case Self.halfway - 1: EventChain(word: Self.newNumber() << Self.turnBits | Self.halfway)
    default: EventChain(word: word + 1)
    }
  }

  /// Returns whether this event is the first of its chain that has reached the limit.
  package var isFirstTooLong: Bool {
    guard turns == Self.limit else { return false }
    let number = word >> Self.turnBits
    return Self.reported.withLock { $0.insert(number).inserted }
  }

  /// Returns a number of 15 bits for a chain.
  private static func newNumber() -> UInt32 {
    let mask: UInt32 = 1 << (UInt32.bitWidth - Int(turnBits)) - 1
    let number = newest.wrappingAdd(1, ordering: .relaxed).newValue & mask
    // An earlier chain may have had the number.
    reported.withLock { _ = $0.remove(number) }
    return number
  }
}
