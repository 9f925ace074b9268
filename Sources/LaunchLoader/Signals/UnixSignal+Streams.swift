extension UnixSignal {
  /// The signals that come to this process, for one task to take.
  ///
  /// Listening begins before this returns: no signal is lost between this call and the iteration. While
  /// anybody listens to a signal, what the process did with it before is suspended: it neither ends nor
  /// stops the process, and no other handler is called. Everybody who listens to a signal hears it. When
  /// the last one has gone, what was there before is restored.
  ///
  /// Listening ends when the task that waits is cancelled, or when the stream and its iterators are gone.
  /// A signal that has come by then and that nobody took is sent to the process again, so that it has the
  /// effect it would have had without anybody listening. Hold the stream for as long as the program has
  /// an answer to the signal.
  ///
  /// Signals are no counters: several of one kind that have come before the task takes them are one
  /// (POSIX.1-2024, 2.4.1). Different ones keep their order.
  ///
  /// Two things are not possible. Signals that a thread raises by what it does, such as `SIGSEGV`, cannot
  /// be heard (POSIX.1-2024, 2.4.3: what happens after their handler returns is undefined), nor can
  /// `SIGKILL` and `SIGSTOP`: asking for them stops the program. And after `fork` only `exec` is supported: the
  /// child has none of the threads of its parent, so nothing listens there, and a signal does what it does by
  /// default.
  ///
  /// A program that closes descriptors it did not open, as daemons do, closes the pipe between the handler and
  /// the task, too. It is replaced, and one line says so.
  ///
  /// - Parameter signals: What to listen to. Of no signal the stream waits until it ends.
  /// - Returns: The stream. It ends at once, and a line is written to standard error, when the system has no
  ///   descriptors or threads left.
  /// - Complexity: O(*n*) in the number of those who listen. Between a signal and the task stand the thread
  ///   that the system interrupts and one that resumes the task.
  public static func stream(_ signals: UnixSignal...) -> AsyncStream<UnixSignal> {
    let listener = SignalListener(signals)
    return AsyncStream {
      await listener.next()
    } onCancel: {
      listener.end()
    }
  }

  /// Lets those who listen to a signal hear it, without sending it to the process: for tests.
  ///
  /// It takes the way of a signal that has come, from the first step after the handler. If nobody listens,
  /// or nobody takes it, nothing happens.
  ///
  /// - Parameter signal: What they hear.
  public static func inject(_ signal: UnixSignal) { SignalCenter.shared.inject(signal.rawValue) }
}
