public import EventBus

/// A recorder of the events of a bus, for tests.
///
/// ```swift
/// extension EventNames {
///   static let userDidLogIn = EventName<String>("user.didLogIn")
/// }
///
/// let bus = EventBus()
/// let recorder = EventRecorder(bus)
/// bus.post(.userDidLogIn, "Ada")
/// print(recorder.events.map(\.name))  // ["user.didLogIn"]
/// print(recorder.payloads(of: .userDidLogIn))  // ["Ada"]
/// ```
///
/// To test code that posts later, wait with a deadline: ``wait(for:count:within:clock:fileID:line:)`` throws an error that
/// fails the test, and ``next(within:clock:)`` returns `nil`. Pass a ``ManualClock`` to control the time.
///
/// A recorder receives every event, in delivery order, on the posting thread, after observers of the same
/// priority that were registered before it. It does not count as a handler of the event. It records until
/// it or the bus is deallocated.
///
/// ## Thread safety
///
/// Every member may be used from any thread.
public final class EventRecorder: Sendable {
  private final class Tape: Sendable {
    private struct State {
      var events: [AnyEvent] = []
      /// The buffers that receive every recorded event, after it has been recorded.
      var listeners: [StreamBuffer<AnyEvent>] = []
    }

    private let state = Locked(State())

    var events: [AnyEvent] { state.withLock { $0.events } }

    func record(_ event: AnyEvent) {
      let listeners = state.withLock { state in
        state.events.append(event)
        return state.listeners
      }
      for listener in listeners { listener.add(event) }
    }

    func add(_ listener: StreamBuffer<AnyEvent>) {
      state.withLock { $0.listeners.append(listener) }
    }

    func remove(_ listener: StreamBuffer<AnyEvent>) {
      state.withLock { state in state.listeners.removeAll { $0 === listener } }
    }
  }

  /// An error that ends a wait before the events have occurred.
  public struct WaitError: Error, CustomStringConvertible {
    /// The reasons for which a wait ends early.
    public enum Code: Sendable {
      /// The time has passed.
      case timedOut
      /// The bus has been released, so no further event can occur.
      case busReleased
    }

    /// The reason.
    public let code: Code
    /// The string of the event's name.
    public let name: String
    /// The number of events that the wait was for.
    public let expected: Int
    /// The number of events of that name that were recorded.
    public let recorded: Int
    /// The longest time to wait.
    public let limit: Duration
    /// The source site of the wait.
    public let site: SourceSite

    /// A line with the site, the reason and the numbers of events; control characters in the name are escaped.
    public var description: String {
      let events = "\(expected) \"\(name.onOneLine)\" \(expected == 1 ? "event" : "events")"
      return switch code {
      case .timedOut:
        "\(site): Timed out after \(limit) waiting for \(events): recorded \(recorded)."
          + " Post earlier, or pass a longer limit."
      case .busReleased:
        "\(site): The bus was released before \(events) occurred: recorded \(recorded)."
          + " Retain the bus until then."
      }
    }
  }

  private let tape = Tape()
  private let unread: EventStream<AnyEvent>
  private let wildcards: SignalCore<AnyEvent>

  /// Creates a recorder and starts recording.
  ///
  /// - Parameters:
  ///   - bus: The bus. The recorder does not keep it alive.
  ///   - fileID: The file of the call, supplied by the compiler.
  ///   - line: The line of the call, supplied by the compiler.
  public init(_ bus: EventBus, fileID: StaticString = #fileID, line: UInt = #line) {
    wildcards = bus.wildcards
    unread = wildcards.stream(nil, nil, .unbounded, until: nil, at: CallSite(fileID, line)) {
      [tape] unread, event, delivery in
      tape.record(event)
      return unread.add(event, delivery)
    }
  }

  /// Not available: a recorder records the events of every name.
  @_documentation(visibility: private)
  @available(
    *,
    unavailable,
    message: "a recorder records every event: write EventRecorder(bus), and payloads(of: name)"
  )
  public convenience init<Payload>(_ bus: EventBus, _ name: EventName<Payload>) {
    self.init(bus)
  }

  /// The recorded events, oldest first.
  public var events: [AnyEvent] { tape.events }

  /// Returns the recorded payloads of one event, oldest first.
  ///
  /// - Parameter name: The name of the event.
  /// - Returns: The payloads of the events with this name and payload type.
  /// - Complexity: O(*n*) in the number of recorded events.
  public func payloads<Payload>(of name: EventName<Payload>) -> [Payload] {
    Self.payloads(of: name, in: events)
  }

  /// Waits for the next event that no call of this method has returned yet.
  ///
  /// - Returns: The event, or `nil` if the waiting task is cancelled first, or if the bus has been deallocated
  ///   and all events have been returned.
  public func next() async -> AnyEvent? { await unread.buffer.next() }

  /// Waits for the next event that no call of `next` has returned yet, but not beyond a deadline.
  ///
  /// - Parameters:
  ///   - duration: The longest time to wait. A recorded event is returned even if the duration is zero.
  ///   - clock: The clock that measures the time.
  /// - Returns: The event, or `nil` if the time has passed, if the waiting task is cancelled first, or if the
  ///   bus has been deallocated and all events have been returned.
  public func next(
    within duration: Duration,
    clock: any Clock<Duration> = ContinuousClock()
  ) async -> AnyEvent? {
    let buffer = unread.buffer
    if Task.isCancelled { return nil }
    if let event = buffer.nextIfAvailable() { return event }
    // An event that arrives at the deadline may have been handed to the task that was cancelled then.
    if let event = await Self.result(within: duration, clock, of: { await buffer.next() }) {
      return event
    }
    return Task.isCancelled ? nil : buffer.nextIfAvailable()
  }

  /// Waits until an event has been recorded a number of times since the recorder was created.
  ///
  /// Events are counted whether or not `next` has returned them.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - count: The number of events to wait for.
  ///   - duration: The longest time to wait.
  ///   - clock: The clock that measures the time.
  ///   - fileID: The file of the call, supplied by the compiler.
  ///   - line: The line of the call, supplied by the compiler.
  /// - Returns: The payloads of the first `count` events.
  /// - Throws: A ``WaitError`` if the time has passed, or if the bus has been deallocated, before as many
  ///   events were recorded; `CancellationError` if the waiting task is cancelled first.
  @discardableResult
  public func wait<Payload>(
    for name: EventName<Payload>,
    count: Int = 1,
    within duration: Duration,
    clock: any Clock<Duration> = ContinuousClock(),
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) async throws -> [Payload] {
    // The bus ends the stream and delivers nothing to it: a post that has begun would not find it. The tape
    // does, from before the first look at it.
    let ticks = wildcards.stream(
      nil,
      { _ in false },
      .bufferingNewest(1),
      until: nil,
      at: CallSite(fileID, line)
    ) { $0.add($1, $2) }
    let tape = tape
    tape.add(ticks.buffer)
    defer { tape.remove(ticks.buffer) }
    let hasEnded = await Self.result(within: duration, clock) {
      while Self.payloads(of: name, in: tape.events).count < count {
        if await ticks.buffer.next() == nil { return !Task.isCancelled }
      }
      return false
    }
    let payloads = payloads(of: name)
    if payloads.count >= count { return Array(payloads.prefix(max(0, count))) }
    try Task.checkCancellation()
    throw WaitError(
      code: hasEnded == true ? .busReleased : .timedOut,
      name: name.name,
      expected: count,
      recorded: payloads.count,
      limit: duration,
      site: SourceSite(fileID: "\(fileID)", line: line)
    )
  }

  private static func payloads<Payload>(
    of name: EventName<Payload>,
    in events: [AnyEvent]
  ) -> [Payload] {
    events.compactMap { $0.name == name.name ? $0.payload as? Payload : nil }
  }

  /// Runs an operation, and cancels it at a deadline.
  ///
  /// - Returns: The result of the operation, even if it arrives with the cancellation.
  private static func result<Value: Sendable>(
    within duration: Duration,
    _ clock: any Clock<Duration>,
    of operation: @escaping @Sendable () async -> Value?
  ) async -> Value? {
    await withTaskGroup(of: Value??.self) { group in
      group.addTask { .some(await operation()) }
      group.addTask {
        try? await Self.sleep(for: duration, on: clock)  // Reason: a cancelled sleep is over.
        return .none
      }
      defer { group.cancelAll() }
      for await value in group {
        group.cancelAll()
        if let value { return value }
      }
      return nil
    }
  }

  private static func sleep<C: Clock<Duration>>(for duration: Duration, on clock: C) async throws {
    try await clock.sleep(until: duration, after: clock.now)
  }
}
