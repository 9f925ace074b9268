/// The last payloads of one event, for observers that come later.
///
/// A post records its payload, and gets its number, *before* it looks for observers; an observer is
/// linked *before* it asks for what was recorded. So every post either is among what the observer is
/// given, or finds the observer: ``ReplayGate`` tells which.
package final class ReplayBuffer<Payload: Sendable>: Sendable {
  /// One recorded post.
  package struct Entry: Sendable {
    /// What it carried.
    package let payload: Payload
    /// Where it came from.
    package let delivery: Delivery
    /// The sender's identity.
    package let sender: SenderIdentity?

    /// Whether an object, held by the caller, is the sender.
    package func isFrom(_ object: AnyObject) -> Bool { sender?.isSender(object) ?? false }
  }

  private struct State {
    var entries: [Entry] = []
    var newest: UInt = 0
  }

  private let state = Locked(State())

  /// Creates an empty buffer.
  package init() {}

  /// The last payload.
  package var latest: Payload? { state.withLock { $0.entries.last?.payload } }

  /// Records a post.
  ///
  /// - Parameters:
  ///   - payload: What it carries.
  ///   - delivery: Where it comes from.
  ///   - sender: Its sender's identity.
  ///   - limit: How many payloads to keep.
  /// - Returns: The number of the post among the posts of this event.
  package func record(
    _ payload: Payload,
    _ delivery: Delivery,
    from sender: SenderIdentity?,
    limit: Int
  ) -> UInt {
    let entry = Entry(payload: payload, delivery: delivery.forLater, sender: sender)
    let (number, evicted) = state.withLock { state in
      state.newest += 1
      state.entries.append(entry)
      let excess = max(0, state.entries.count - limit)
      let evicted = Array(state.entries[..<excess])
      state.entries.removeFirst(excess)
      return (state.newest, evicted)
    }
    withExtendedLifetime(evicted) {}
    return number
  }

  /// What is kept, oldest first, and the number of the newest post recorded.
  package func contents() -> (entries: [Entry], newest: UInt) {
    state.withLock { ($0.entries, $0.newest) }
  }

  /// Forgets what is kept.
  package func clear() {
    let evicted = state.withLock { state in
      defer { state.entries = [] }
      return state.entries
    }
    withExtendedLifetime(evicted) {}
  }
}

/// Stands in front of an observer while it is given what was posted before it came.
///
/// Live events that arrive meanwhile wait, for the registering thread to deliver them after the replayed
/// ones. Afterwards the gate lets everything through but the posts that were replayed.
///
/// It does not have the type of the payload: to look that up for the gate and its parts would cost a
/// registration more than the rest of it, and events that wait are few.
package final class ReplayGate: Sendable {
  /// A live event that waits, and whoever waits for it.
  package class Waiting: @unchecked Sendable {  // Reason: constant, like its subclass.
    /// Where it came from, with its number.
    package let delivery: Delivery

    fileprivate init(_ delivery: borrowing Delivery) {
      self.delivery = delivery.withoutPlace
      delivery.completion?.begin()
    }

    deinit { delivery.completion?.finish() }
  }

  /// A live event that waits, with what it carries.
  package final class WaitingEvent<Payload: Sendable>: Waiting,
    @unchecked Sendable  // Reason: constant.
  {
    /// What it carries.
    package let payload: Payload

    fileprivate init(_ payload: Payload, _ delivery: borrowing Delivery) {
      self.payload = payload
      super.init(delivery)
    }
  }

  /// What becomes of a live event.
  package enum Admission: Sendable {
    /// It goes on to the observer.
    case admitted
    /// It waits for the replayed ones.
    case waits
    /// It was replayed.
    case known
  }

  private struct State {
    var isOpen = false
    /// Posts up to this number are replayed.
    var baseline: UInt = 0
    var waiting: [Waiting] = []
  }

  private let state = Locked(State())

  /// Creates a closed gate.
  package init() {}

  /// Asks what is to become of a live event; one that must wait is kept.
  package func admit<Payload: Sendable>(
    _ payload: Payload,
    _ delivery: borrowing Delivery
  ) -> Admission {
    state.withLock { state in
      let isKnown = delivery.number != 0 && delivery.number <= state.baseline
      if state.isOpen { return isKnown ? .known : .admitted }
      if isKnown { return .known }
      state.waiting.append(WaitingEvent(payload, delivery))
      return .waits
    }
  }

  /// Takes note of the newest post that is replayed.
  package func setBaseline(_ number: UInt) { state.withLock { $0.baseline = number } }

  /// Takes out what waits and was not replayed; opens the gate when nothing does.
  ///
  /// - Returns: The events in the order they arrived, or `nil` once the gate is open.
  package func takeWaitingOrOpen() -> [Waiting]? {
    let (taken, baseline) = state.withLock { state in
      let taken = state.waiting
      state.waiting = []
      if taken.isEmpty { state.isOpen = true }
      return (taken, state.baseline)
    }
    return taken.isEmpty
      ? nil : taken.filter { $0.delivery.number == 0 || $0.delivery.number > baseline }
  }
}
