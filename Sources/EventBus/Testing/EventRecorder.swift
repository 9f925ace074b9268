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
/// ```
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
    let events = Locked<[AnyEvent]>([])
  }

  private let tape = Tape()
  private let unread: EventStream<AnyEvent>

  /// Creates a recorder and starts recording.
  ///
  /// - Parameters:
  ///   - bus: The bus. The recorder does not keep it alive.
  ///   - fileID: The file of the call, supplied by the compiler.
  ///   - line: The line of the call, supplied by the compiler.
  public init(_ bus: EventBus, fileID: StaticString = #fileID, line: UInt = #line) {
    unread = bus.wildcards.stream(nil, nil, .unbounded, until: nil, fileID: fileID, line: line) {
      [tape] unread, event in
      tape.events.withLock { $0.append(event) }
      return unread.add(event)
    }
  }

  /// The recorded events, oldest first.
  public var events: [AnyEvent] { tape.events.withLock { $0 } }

  /// Waits for the next event that this method has not yet returned.
  ///
  /// - Returns: The event, or `nil` if the waiting task is cancelled first, or if the bus has been deallocated
  ///   and all events have been returned.
  public func next() async -> AnyEvent? { await unread.buffer.next() }
}
