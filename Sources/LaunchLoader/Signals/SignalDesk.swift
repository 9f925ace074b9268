internal import EventBus

/// The state machine of signal delivery: which listeners receive a signal, and which signals are sent again.
///
/// A plain value. `Waiter` is the continuation type of listeners.
///
/// - A signal goes to all of its listeners. Until a listener takes it, further signals of the same number
///   coalesce with it.
/// - The handler of a signal is installed with its first listener. The previous disposition is restored with
///   the last.
/// - A direct listener receives signals when they arrive instead of taking them. It is responsible for all
///   signals that arrive while it listens: none of them is sent again after it is removed.
/// - A signal that no listener took is not swallowed: when its last listener is removed, it is sent again to
///   the restored disposition. So is a signal that arrives without a listener.
package struct SignalDesk<Waiter: Sendable>: Sendable {
  /// The key of a listener; never reused.
  package typealias Key = UInt

  /// The result of taking a signal.
  package enum Taking: Sendable, Equatable {
    /// The earliest signal.
    case signal(Int32)
    /// No signal yet; the waiter is kept and resumed later.
    case nothing
    /// The listener was removed.
    case ended
  }

  /// The actions that follow from the arrival of a signal.
  package struct Delivery: Sendable {
    /// The waiters to resume, those of the oldest listener first.
    package var waiters: [Waiter] = []
    /// The direct listeners to call, the oldest first.
    package var direct: [Key] = []
    /// Indicates that the signal must be sent again, to the disposition before the first listener.
    package var isUnheard = false
    /// Indicates that the last listener was a direct one and was responsible for signals in transit.
    package var isDropped = false
  }

  /// The actions that follow from the removal of a listener.
  package struct Closing: Sendable {
    /// The waiters to resume without a signal.
    package var waiters: [Waiter] = []
    /// The signals without a remaining listener, whose previous dispositions must be restored.
    package var restored: [Int32] = []
    /// The signals that no listener took, to be sent again after that.
    package var resent: [Int32] = []
  }

  private struct Arrival: Sendable {
    let number: Int32
    /// The serial number of the signal; of coalesced signals, that of the last.
    var serial: UInt
    var isInjected: Bool
  }

  private struct Listener: Sendable {
    let key: Key
    let numbers: Set<Int32>
    let isDirect: Bool
    var arrivals: [Arrival] = []
    var waiters: [Waiter] = []

    mutating func takeWaiter() -> Waiter? { waiters.isEmpty ? nil : waiters.removeFirst() }

    mutating func keep(_ new: Arrival) {
      guard let index = arrivals.firstIndex(where: { $0.number == new.number }) else {
        arrivals.append(new)
        return
      }
      arrivals[index].serial = new.serial
      arrivals[index].isInjected = arrivals[index].isInjected && new.isInjected
    }
  }

  /// The listeners, the oldest first.
  private var listeners: [Listener] = []
  private var nextKey: Key = 0
  private var serial: UInt = 0
  /// The serial of the last taken signal of each number.
  private var taken: [Int32: UInt] = [:]
  /// The signals whose last listener was a direct one.
  ///
  /// Signals in transit arrived before its removal.
  private var dropped: Set<Int32> = []

  /// Creates a desk without listeners.
  package init() {}

  /// Returns whether a signal has a listener.
  ///
  /// - Complexity: O(*n*) in the number of listeners.
  package func isHeard(_ number: Int32) -> Bool {
    listeners.contains { $0.numbers.contains(number) }
  }

  /// Adds a listener.
  ///
  /// - Parameters:
  ///   - numbers: The signals of the listener.
  ///   - isDirect: Whether the listener receives signals when they arrive.
  /// - Returns: The key of the listener, and the signals that had no listener before, ascending: their
  ///   handlers must be installed.
  /// - Complexity: O(*n*) in the number of listeners.
  package mutating func open(
    _ numbers: Set<Int32>,
    isDirect: Bool = false
  ) -> (key: Key, installed: [Int32]) {
    let installed = numbers.filter { !isHeard($0) }.sorted()
    defer { nextKey += 1 }
    dropped.subtract(numbers)
    listeners.append(Listener(key: nextKey, numbers: numbers, isDirect: isDirect))
    return (nextKey, installed)
  }

  /// Handles the arrival of a signal.
  ///
  /// - Parameters:
  ///   - number: The number of the signal.
  ///   - isInjected: Whether the signal was injected; such a signal is never sent again.
  /// - Returns: The actions to perform.
  /// - Complexity: O(*n*) in the number of listeners.
  package mutating func arrive(_ number: Int32, isInjected: Bool) -> Delivery {
    serial += 1
    let arrival = Arrival(number: number, serial: serial, isInjected: isInjected)
    let wasDropped = dropped.contains(number)
    var delivery = Delivery(
      isUnheard: !isInjected && !wasDropped,
      isDropped: !isInjected && wasDropped
    )
    for index in listeners.indices where listeners[index].numbers.contains(number) {
      delivery.isUnheard = false
      delivery.isDropped = false
      if listeners[index].isDirect {
        delivery.direct.append(listeners[index].key)
        taken[number] = serial
      } else if let waiter = listeners[index].takeWaiter() {
        delivery.waiters.append(waiter)
        taken[number] = serial
      } else {
        listeners[index].keep(arrival)
      }
    }
    return delivery
  }

  /// Takes the earliest signal of a listener, or keeps its waiter.
  ///
  /// - Parameters:
  ///   - key: The key of the listener.
  ///   - waiter: The waiter to keep if there is no signal.
  /// - Returns: The result for the listener.
  /// - Complexity: O(*n*) in the number of listeners.
  package mutating func take(_ key: Key, waiter: Waiter) -> Taking {
    guard let index = index(of: key) else { return .ended }
    if listeners[index].arrivals.isEmpty {
      listeners[index].waiters.append(waiter)
      return .nothing
    }
    let arrival = listeners[index].arrivals.removeFirst()
    taken[arrival.number] = max(arrival.serial, taken[arrival.number] ?? 0)
    return .signal(arrival.number)
  }

  /// Removes a listener.
  ///
  /// Repeated calls have no effect.
  ///
  /// - Parameter key: The key of the listener.
  /// - Returns: The actions to perform.
  /// - Complexity: O(*n*) in the number of listeners.
  package mutating func close(_ key: Key) -> Closing {
    guard let index = index(of: key) else { return Closing() }
    let listener = listeners.remove(at: index)
    let untaken = listener.arrivals.filter { arrival in
      let isTaken = arrival.serial <= taken[arrival.number] ?? 0
      return !arrival.isInjected && !isTaken && !isKept(arrival.number)
    }
    let restored = listener.numbers.filter { !isHeard($0) }.sorted()
    for number in restored { taken[number] = nil }
    if listener.isDirect { dropped.formUnion(restored) }
    return Closing(
      waiters: listener.waiters,
      restored: restored,
      resent: untaken.map(\.number)
    )
  }

  /// Removes all listeners.
  ///
  /// - Returns: The waiters to resume and the signals to restore; no signal is sent again.
  package mutating func closeAll() -> Closing {
    var closing = Closing()
    for key in listeners.map(\.key) {
      let one = close(key)
      closing.waiters += one.waiters
      closing.restored += one.restored
    }
    return closing
  }

  private func index(of key: Key) -> Int? { listeners.firstIndex { $0.key == key } }

  /// Returns whether a listener has a signal that it has not taken.
  private func isKept(_ number: Int32) -> Bool {
    listeners.contains { $0.arrivals.contains { $0.number == number } }
  }
}

/// The reason why a signal does not accept listeners.
package struct SignalRefusal: Sendable, Equatable {
  /// The reason, phrased to follow the name of the signal.
  package let reason: String
  /// The alternative.
  package let remedy: String

  /// Creates the refusal of a signal, or returns `nil` if the signal accepts listeners.
  package init?(_ signal: UnixSignal) {
    let number = signal.rawValue
    if SignalNumber.unstoppable.contains(number) {
      reason = "accepts no handler"
      remedy = "Listen to SIGTERM or SIGTSTP, which request the same"
    } else if SignalNumber.faults.contains(number) {
      reason = "comes from a fault that repeats after its handler returns"
      remedy = "Leave it to the system, or to a crash reporter"
    } else if !SignalNumber.range.contains(number) || SignalNumber.reserved.contains(number) {
      let range = SignalNumber.range
      reason = "is not a signal of this system"
      remedy = "Use one from \(range.lowerBound) to \(range.upperBound), or a member of UnixSignal"
    } else {
      return nil
    }
  }

  /// Traps if a signal does not accept listeners.
  static func check(_ signals: some Sequence<UnixSignal>) {
    for signal in signals {
      guard let refusal = SignalRefusal(signal) else { continue }
      trap("\(signal) \(refusal.reason)", remedy: refusal.remedy)
    }
  }
}
