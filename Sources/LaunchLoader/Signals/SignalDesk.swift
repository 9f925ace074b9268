internal import EventBus

/// The rule of listening: who hears which signal, and what the process does with the others.
///
/// A plain value; `Waiter` is whatever a listener leaves behind to be called back by.
///
/// - A signal goes to everybody who listens to it. Until a listener takes it, further ones of the same
///   number are one with it.
/// - The handler of a signal is installed with the first who listens to it, and what was there before is
///   restored with the last.
/// - A direct listener does not take signals: they are handed to it when they come. It answers for what came
///   while it listened: nothing of that is sent again after it has gone.
/// - A signal that nobody took is not swallowed: when its last listener goes, it is sent again, to what
///   was restored. So is one that comes when nobody listens any more.
package struct SignalDesk<Waiter: Sendable>: Sendable {
  /// Stands for one listener.
  package typealias Key = UInt

  /// What a listener who asks gets.
  package enum Taking: Sendable, Equatable {
    /// The signal that came first.
    case signal(Int32)
    /// Nothing yet; the waiter will be called.
    case nothing
    /// Nothing ever again.
    case ended
  }

  /// What is to be done when a signal has come.
  package struct Delivery: Sendable {
    /// Those who waited for it, the one who listens longest first.
    package var waiters: [Waiter] = []
    /// The direct listeners, the one who listens longest first.
    package var direct: [Key] = []
    /// Whether it is to be sent again, to whatever the process did before anybody listened.
    package var isUnheard = false
    /// Whether a direct listener was the last one who listened, and so answers for what was under way.
    package var isDropped = false
  }

  /// What is to be done when a listener has gone.
  package struct Closing: Sendable {
    /// Those who wait in vain.
    package var waiters: [Waiter] = []
    /// The signals that nobody listens to any more: what was there before is to be restored.
    package var restored: [Int32] = []
    /// The signals that nobody took, which are then to be sent again.
    package var resent: [Int32] = []
  }

  private struct Arrival: Sendable {
    let number: Int32
    /// Counts the signals; of several that became one, that of the last.
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

  /// Oldest first.
  private var listeners: [Listener] = []
  private var nextKey: Key = 0
  private var serial: UInt = 0
  /// The last signal of a number that a listener took.
  private var taken: [Int32: UInt] = [:]
  /// The signals whose last listener was a direct one: what is still on its way came before that had gone.
  private var dropped: Set<Int32> = []

  /// Creates the rule of a process in which nobody listens.
  package init() {}

  /// Whether somebody listens to a signal.
  ///
  /// - Complexity: O(*n*) in the number of listeners.
  package func isHeard(_ number: Int32) -> Bool {
    listeners.contains { $0.numbers.contains(number) }
  }

  /// Adds a listener.
  ///
  /// - Parameters:
  ///   - numbers: What it listens to.
  ///   - isDirect: Whether signals are handed to it when they come.
  /// - Returns: What stands for it, and the signals that nobody listened to before, ascending: their
  ///   handlers are to be installed.
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

  /// Takes in a signal.
  ///
  /// - Parameters:
  ///   - number: Its number.
  ///   - isInjected: Whether it was injected; such a one is never sent again.
  /// - Returns: What is to be done.
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

  /// Takes a signal out for a listener, or keeps its waiter.
  ///
  /// - Parameters:
  ///   - key: What stands for the listener.
  ///   - waiter: Is kept if there is no signal.
  /// - Returns: What the listener gets.
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

  /// Removes a listener; doing so again does nothing.
  ///
  /// - Parameter key: What stands for it.
  /// - Returns: What is to be done.
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
  /// - Returns: The waiters, and the signals whose former effect is to be restored; none is sent again.
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

  /// Whether a listener has a signal that it did not take yet.
  private func isKept(_ number: Int32) -> Bool {
    listeners.contains { $0.arrivals.contains { $0.number == number } }
  }
}

/// Why nobody can listen to a signal.
package struct SignalRefusal: Sendable, Equatable {
  /// What is wrong with it, after its name.
  package let reason: String
  /// What to do instead.
  package let remedy: String

  /// Finds the reason, or `nil` if the signal can be listened to.
  package init?(_ signal: UnixSignal) {
    let number = signal.rawValue
    if SignalNumber.unstoppable.contains(number) {
      reason = "cannot be listened to by anybody"
      remedy = "Listen to SIGTERM or SIGTSTP, which ask for the same"
    } else if SignalNumber.faults.contains(number) {
      reason = "comes from a fault, which would come again and again after a handler"
      remedy = "Leave it to the system, or to a crash reporter"
    } else if !SignalNumber.range.contains(number) || SignalNumber.reserved.contains(number) {
      let range = SignalNumber.range
      reason = "is no signal that this system has"
      remedy = "Use one from \(range.lowerBound) to \(range.upperBound), or a member of UnixSignal"
    } else {
      return nil
    }
  }

  /// Traps if there is a signal that cannot be listened to.
  static func check(_ signals: some Sequence<UnixSignal>) {
    for signal in signals {
      guard let refusal = SignalRefusal(signal) else { continue }
      trap("\(signal) \(refusal.reason)", remedy: refusal.remedy)
    }
  }
}
