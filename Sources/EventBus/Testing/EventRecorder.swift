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
/// records until it dies.
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
    let unread = StreamBuffer<AnyEvent>(.unlimited)
  }

  private let tape = Tape()
  private let token: Token

  /// Begins to record.
  ///
  /// - Parameters:
  ///   - bus: The bus. It is not kept.
  ///   - fileID: Where the recorder was made; filled in by the compiler.
  ///   - line: Its line.
  public init(_ bus: EventBus, fileID: StaticString = #fileID, line: UInt = #line) {
    token = bus.observeAll(fileID: fileID, line: line) { [tape] event in
      tape.state.withLock { $0.events.append(event) }
      tape.unread.add(event)
    }
  }

  deinit { tape.unread.finish() }

  /// What was recorded so far, oldest first.
  public var events: [AnyEvent] { tape.state.withLock { $0.events } }

  /// Waits for the next event that no call of this method has returned yet.
  ///
  /// - Returns: The event, or `nil` when the waiting task is cancelled first.
  public func next() async -> AnyEvent? { await tape.unread.next() }
}
