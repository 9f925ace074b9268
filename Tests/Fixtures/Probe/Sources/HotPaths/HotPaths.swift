public import EventBus

extension EventNames {
  /// Carries a number.
  public static let numberDidChange = EventName<Int>("probe.numberDidChange")
  /// Carries nothing.
  public static let didPing = EventName<Void>("probe.didPing")
}

/// Posts numbers.
public func post(on bus: EventBus, times: Int) -> Int {
  var reached = 0
  for number in 0..<times { reached += bus.post(.numberDidChange, number) }
  return reached
}

/// Posts events that carry nothing.
public func ping(on bus: EventBus, times: Int) -> Int {
  var reached = 0
  for _ in 0..<times { reached += bus.post(.didPing) }
  return reached
}

/// Sends numbers.
public func send(on signal: Signal<Int>, times: Int) -> Int {
  var reached = 0
  for number in 0..<times { reached += signal.send(number) }
  return reached
}

/// Takes numbers from a stream.
public func take(from events: inout EventStream<Int>.Iterator, times: Int) async -> Int {
  var total = 0
  for _ in 0..<times { total += await events.next(isolation: nil) ?? 0 }
  return total
}

/// Asks for a stream of numbers.
public func stream(of bus: EventBus) -> EventStream<Int> { bus.events(.numberDidChange) }
