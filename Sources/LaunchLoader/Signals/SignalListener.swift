internal import EventBus

/// A listener for signals, active from its creation to its end.
///
/// ## Thread safety
///
/// Every member may be called from any thread. If several tasks wait, each signal reaches one of them.
final class SignalListener: Sendable {
  private let key: SignalCenter.Router.Key?

  /// Starts listening to signals.
  ///
  /// - Parameters:
  ///   - signals: The signals. Traps if one of them does not accept listeners.
  ///   - direct: Receives the signals; `nil` if they are taken with ``next()``.
  init(_ signals: [UnixSignal], _ direct: SignalCenter.DirectListener? = nil) {
    for signal in signals {
      guard let (reason, remedy) = signal.refusal else { continue }
      trap("\(signal) \(reason)", remedy: remedy)
    }
    key = SignalCenter.shared.open(Set(signals.map(\.rawValue)), direct)
  }

  deinit { end() }

  /// Waits for the next signal.
  ///
  /// - Returns: The signal, or `nil` after ``end()``.
  nonisolated(nonsending) func next() async -> UnixSignal? {
    guard let key else { return nil }
    return await SignalCenter.shared.next(key).map(UnixSignal.init(rawValue:))
  }

  /// Stops listening.
  ///
  /// Repeated calls have no effect.
  func end() {
    if let key { SignalCenter.shared.close(key) }
  }
}

extension UnixSignal {
  /// Returns the signals of this process as a stream for one task.
  ///
  /// Listening begins before this method returns: no signal is lost between the call and the iteration. While
  /// a signal has listeners, its previous disposition is suspended: the signal neither ends nor stops the
  /// process, and no other handler is called. Every listener receives the signal. The previous disposition is
  /// restored when the last listener has ended.
  ///
  /// Listening ends when the waiting task is cancelled, or when the stream and its iterators are released. A
  /// signal that arrived before and that no listener took is then sent to the process again, so that it has
  /// the effect it would have had without listeners. Keep the stream for as long as the program handles the
  /// signal.
  ///
  /// Signals are not counted: several of one kind that arrive before the task takes them coalesce
  /// (POSIX.1-2024, 2.4.1). Different signals keep their order.
  ///
  /// There are two limits. Signals that a thread raises by a fault, such as `SIGSEGV`, have no safe handler
  /// (POSIX.1-2024, 2.4.3: the behavior after the handler returns is undefined), and `SIGKILL` and `SIGSTOP`
  /// have none at all: requesting them traps. After `fork`, only `exec` is supported: the child has none of
  /// the threads of its parent, so nothing listens there, and a signal has its default effect.
  ///
  /// A program that closes descriptors it did not open, as daemons do, closes the pipe between the
  /// handler and the task as well. The pipe is then replaced, and one message reports it.
  ///
  /// - Parameter signals: The signals to listen to. Without any, the stream waits until it ends.
  /// - Returns: The stream. If the system has no descriptors or threads left, the stream ends immediately,
  ///   and a line on standard error reports it.
  /// - Complexity: O(*n*) in the number of listeners. Between a signal and the task are the thread that the
  ///   system interrupts and one thread that resumes the task.
  public static func stream(_ signals: UnixSignal...) -> AsyncStream<UnixSignal> {
    let listener = SignalListener(signals)
    return AsyncStream {
      await listener.next()
    } onCancel: {
      listener.end()
    }
  }

  /// Delivers a signal to its listeners without sending it to the process, for tests.
  ///
  /// It takes the path of a real signal, except for the signal handler itself. Without a listener that takes
  /// it, it has no effect.
  ///
  /// - Parameter signal: The signal to deliver.
  public static func inject(_ signal: UnixSignal) { SignalCenter.shared.inject(signal.rawValue) }
}
