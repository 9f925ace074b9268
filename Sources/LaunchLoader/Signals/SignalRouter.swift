internal import EventBus

/// The state machine of signal delivery: which listeners receive a signal, and which signals are sent again.
///
/// A plain value. `Waiter` is the continuation type of listeners, and `Receiver` the type of direct
/// listeners. Its methods are not specialized for them, because signals are rare.
///
/// - A signal goes to all of its listeners. Until a listener takes it, further signals of the same number
///   coalesce with it.
/// - The handler of a signal is installed with its first listener. The previous disposition is restored with
///   the last.
/// - A direct listener receives signals when they arrive instead of taking them. It is responsible for all
///   signals that arrive while it listens: none of them is sent again after it is removed.
/// - A signal that no listener took is not swallowed: when its last listener is removed, it is sent again to
///   the restored disposition. So is a signal that arrives without a listener.
package struct SignalRouter<Waiter: Sendable, Receiver: Sendable>: Sendable {
  /// The key of a listener; never reused.
  package typealias Key = UInt

  /// The actions that follow from an event, in the order in which they are performed.
  package struct Actions: Sendable {
    /// The signals without a remaining listener, whose previous dispositions must be restored.
    package var restored: [Int32] = []
    /// The direct listeners that receive the signal, the oldest first, or that were removed.
    package var receivers: [Receiver] = []
    /// The waiters to resume, those of the oldest listener first, each with a signal, or with `nil` at the
    /// end.
    package var resumed: [(waiter: Waiter, number: Int32?)] = []
    /// The signals to send again.
    package var resent: [Int32] = []
  }

  private struct Listener: Sendable {
    let key: Key
    let numbers: Set<Int32>
    let receiver: Receiver?
    /// The signals that were not taken.
    ///
    /// The serial number is that of the last of coalesced signals.
    var arrivals: [(number: Int32, serial: UInt, isInjected: Bool)] = []
    var waiters = BoundedQueue<Waiter>()

    mutating func keep(_ number: Int32, _ serial: UInt, isInjected: Bool) {
      guard let index = arrivals.firstIndex(where: { $0.number == number }) else {
        arrivals.append((number, serial, isInjected))
        return
      }
      arrivals[index].serial = serial
      arrivals[index].isInjected = arrivals[index].isInjected && isInjected
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

  /// Creates a router without listeners.
  package init() {}

  /// The direct listeners, the oldest first.
  package var receivers: [Receiver] { listeners.compactMap(\.receiver) }

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
  ///   - receiver: The direct listener, if the listener receives signals when they arrive.
  /// - Returns: The key of the listener, and the signals that had no listener before, ascending: their
  ///   handlers must be installed.
  /// - Complexity: O(*n*) in the number of listeners.
  @_semantics("optimize.sil.specialize.generic.never")
  package mutating func open(
    _ numbers: Set<Int32>,
    _ receiver: Receiver? = nil
  ) -> (key: Key, installed: [Int32]) {
    let installed = numbers.filter { !isHeard($0) }.ordered(by: <)
    defer { nextKey += 1 }
    dropped.subtract(numbers)
    listeners.append(Listener(key: nextKey, numbers: numbers, receiver: receiver))
    return (nextKey, installed)
  }

  /// Handles the arrival of a signal.
  ///
  /// - Parameters:
  ///   - number: The number of the signal.
  ///   - isInjected: Whether the signal was injected; such a signal is never sent again.
  ///   - isInstalled: Whether the handler is installed. Evaluated only for a signal that was in transit when
  ///     its last listener, a direct one, was removed. Such a signal ends here, because its disposition was
  ///     restored then. If the handler is installed again, other code saved and restored it, and the signal
  ///     is new.
  /// - Returns: The actions to perform. A signal that is sent again must not return here, so its disposition
  ///   is restored first.
  /// - Complexity: O(*n*) in the number of listeners.
  @_semantics("optimize.sil.specialize.generic.never")
  package mutating func arrive(
    _ number: Int32,
    isInjected: Bool,
    isInstalled: @autoclosure () -> Bool
  ) -> Actions {
    serial += 1
    var actions = Actions()
    var isHeard = false
    for index in listeners.indices where listeners[index].numbers.contains(number) {
      isHeard = true
      if let receiver = listeners[index].receiver {
        actions.receivers.append(receiver)
        taken[number] = serial
      } else if let waiter = listeners[index].waiters.popFirst() {
        actions.resumed.append((waiter, number))
        taken[number] = serial
      } else {
        listeners[index].keep(number, serial, isInjected: isInjected)
      }
    }
    if !isHeard, !isInjected, !dropped.contains(number) || isInstalled() {
      actions.restored = [number]
      actions.resent = [number]
    }
    return actions
  }

  /// Takes the earliest signal of a listener, or keeps its waiter.
  ///
  /// - Parameters:
  ///   - key: The key of the listener.
  ///   - waiter: The waiter, which is kept if there is no signal.
  /// - Returns: The actions to perform: resume the waiter, unless it is kept.
  /// - Complexity: O(*n*) in the number of listeners.
  @_semantics("optimize.sil.specialize.generic.never")
  package mutating func take(_ key: Key, waiter: Waiter) -> Actions {
    guard let index = index(of: key) else { return Actions(resumed: [(waiter, nil)]) }
    if listeners[index].arrivals.isEmpty {
      _ = listeners[index].waiters.append(waiter)
      return Actions()
    }
    let arrival = listeners[index].arrivals.removeFirst()
    taken[arrival.number] = max(arrival.serial, taken[arrival.number] ?? 0)
    return Actions(resumed: [(waiter, arrival.number)])
  }

  /// Removes a listener.
  ///
  /// Repeated calls have no effect.
  ///
  /// - Parameter key: The key of the listener.
  /// - Returns: The actions to perform.
  /// - Complexity: O(*n*) in the number of listeners.
  @_semantics("optimize.sil.specialize.generic.never")
  package mutating func close(_ key: Key) -> Actions {
    guard let index = index(of: key) else { return Actions() }
    var listener = listeners.remove(at: index)
    let untaken = listener.arrivals.filter { arrival in
      let isTaken = arrival.serial <= taken[arrival.number] ?? 0
      return !arrival.isInjected && !isTaken && !isKept(arrival.number)
    }
    let restored = listener.numbers.filter { !isHeard($0) }.ordered(by: <)
    for number in restored { taken[number] = nil }
    if listener.receiver != nil { dropped.formUnion(restored) }
    return Actions(
      restored: restored,
      receivers: [listener.receiver].compactMap(\.self),
      resumed: listener.waiters.removeAll().map { ($0, nil) },
      resent: untaken.map(\.number)
    )
  }

  /// Removes all listeners.
  ///
  /// - Returns: The actions to perform; no signal is sent again.
  @_semantics("optimize.sil.specialize.generic.never")
  package mutating func closeAll() -> Actions {
    var all = Actions()
    for key in listeners.map(\.key) {
      let actions = close(key)
      all.restored += actions.restored
      all.receivers += actions.receivers
      all.resumed += actions.resumed
    }
    return all
  }

  private func index(of key: Key) -> Int? { listeners.firstIndex { $0.key == key } }

  /// Returns whether a listener has a signal that it has not taken.
  private func isKept(_ number: Int32) -> Bool {
    listeners.contains { $0.arrivals.contains { $0.number == number } }
  }
}
