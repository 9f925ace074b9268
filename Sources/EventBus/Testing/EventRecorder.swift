/// Records the events of a bus, for tests.
///
/// ```swift
/// let recorder = EventRecorder(bus)
/// bus.post(.userDidLogIn, "Ada")
/// print(recorder.events.map(\.name))  // ["user.didLogIn"]
/// ```
///
/// It hears every event, in the order of delivery, on the posting thread, after observers of the same
/// priority that were registered before it. It does not count as somebody who handled an event. It
/// records until it dies, or the bus does.
///
/// ## Thread safety
///
/// Every member may be used from any thread.
public final class EventRecorder: Sendable {
  private struct State {
    var events: [AnyEvent] = []
  }

  private final class Tape: Sendable {
    let state = Locked(State())
  }

  private let tape = Tape()
  private let unread: EventStream<AnyEvent>

  /// Begins to record.
  ///
  /// - Parameters:
  ///   - bus: The bus. It is not kept.
  ///   - fileID: Where the recorder was made; filled in by the compiler.
  ///   - line: Its line.
  public init(_ bus: EventBus, fileID: StaticString = #fileID, line: UInt = #line) {
    unread = bus.allEvents(fileID: fileID, line: line) { [tape] unread, event in
      tape.state.withLock { $0.events.append(event) }
      return unread.add(event)
    }
  }

  /// What was recorded so far, oldest first.
  public var events: [AnyEvent] { tape.state.withLock { $0.events } }

  /// Waits for the next event that no call of this method has returned yet.
  ///
  /// - Returns: The event, or `nil` when the waiting task is cancelled first, or when the bus has died and
  ///   every event was returned.
  public func next() async -> AnyEvent? { await unread.buffer.next() }
}
