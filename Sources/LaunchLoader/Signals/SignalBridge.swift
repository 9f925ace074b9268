internal import EventBus

/// Translates the signals of the process into requests to a host.
///
/// - Signals that request the end are passed on by the thread that reads signals, so that no answer to another
///   signal can delay them. The closure `interrupt` may end the process there, which works even if services
///   block every thread of the concurrency runtime.
/// - Reload requests are handled one after the other, separately from the rest, because a reload may take
///   long.
/// - After the answer to a signal that requests the background, the process stops if it has a controlling
///   terminal.
///
/// Signals that were ignored when the program started stay ignored. Shells protect background jobs this way,
/// as does `nohup` (The GNU C Library, "Initial Signal Actions": check whether the signal is ignored before
/// you handle it). A ``DispositionWatch`` reports those that neither ignores.
///
/// Listening starts in the initializer, so that signals before ``run()`` are not lost. Signals that are
/// unanswered at the end are dropped.
///
/// ## Thread safety
///
/// `onMessage`, `interrupt` and `hangup` run on the thread that reads signals and must not run user code, except
/// the clock of a host.
/// The closure `answer` runs in the isolation in which it was formed. No lock is held during any of them.
package final class SignalBridge: Sendable {
  /// Answers a signal with this meaning.
  package typealias Answer = @isolated(any) @Sendable (UnixSignal.Meaning) async -> Void

  private let table: [UnixSignal: UnixSignal.Meaning]
  private let answer: Answer
  private let isEnding: @Sendable () -> Bool
  private let requests = SignalQueue()
  private let reloads = SignalQueue()
  private let listener: SignalListener?
  private let watch: DispositionWatch?

  /// Starts listening.
  ///
  /// - Parameters:
  ///   - table: The meanings of signals.
  ///   - watch: Reports the signals that other code handles.
  ///   - onMessage: Called with errors of the operating system, on any thread.
  ///   - interrupt: Called with the number of a signal that requests the end.
  ///   - hangup: Called when `SIGHUP` requests the end.
  ///   - isEnding: Returns whether the end was requested. If it is requested during the answer to
  ///     `background`, the process does not stop.
  ///   - answer: Called with the other meanings. The process does not stop before the answer to
  ///     `background` returns.
  package init(
    _ table: [UnixSignal: UnixSignal.Meaning] = UnixSignal.Meaning.standard,
    watch: DispositionWatch? = nil,
    onMessage: @escaping @Sendable (String) -> Void = { _ in },
    interrupt: @escaping @Sendable (Int32) -> Void,
    hangup: @escaping @Sendable () -> Void,
    isEnding: @escaping @Sendable () -> Bool = { false },
    @_inheritActorContext answer: @escaping Answer
  ) {
    self.table = table
    self.answer = answer
    self.isEnding = isEnding
    self.watch = watch
    let ignored = table.filter { SignalCenter.shared.isIgnored($0.key.rawValue) }
    let taken = table.filter { ignored[$0.key] == nil }
    let hadTerminal = ServiceProcess.hasTerminal
    let (requests, reloads) = (requests, reloads)
    let direct = SignalCenter.DirectListener(onMessage: onMessage) { number in
      let signal = UnixSignal(rawValue: number)
      switch table[signal] {
      case .shutdown where signal != .hangup: interrupt(number)
      case .shutdown: hangup()
      case .reload where signal == .hangup && hadTerminal && !ServiceProcess.hasTerminal: hangup()
      case .reload: reloads.append(number)
      case .background, .foreground: requests.append(number)
      case .ignore, nil: break
      }
      watch?.compare()
    }
    listener = taken.isEmpty ? nil : SignalListener(Array(taken.keys), direct)
    watch?.begin(taken, ignored: ignored)
  }

  /// Answers signals until the task is cancelled, and then restores the previous dispositions.
  ///
  /// Call it once.
  nonisolated(nonsending) package func run() async {
    await withTaskCancellationHandler {  // Reason: only starts two tasks.
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.answerReloads() }
        group.addTask { await self.answerRequests() }
      }
    } onCancel: {
      // Immediately, even during an answer.
      end()
    }
    end()
  }

  /// Stops listening.
  ///
  /// Repeated calls have no effect.
  package func end() {
    watch?.end()
    listener?.end()
    requests.end()
    reloads.end()
  }

  nonisolated(nonsending) private func answerReloads() async {
    while await reloads.next() != nil { await answer(.reload) }
  }

  nonisolated(nonsending) private func answerRequests() async {
    var job = JobState()
    while let number = await requests.next() {
      switch table[UnixSignal(rawValue: number)] {
      case .background:
        let isOnTerminal = ServiceProcess.hasTerminal
        let wasEnding = isEnding()
        if job.stop(isOnTerminal: isOnTerminal) { await answer(.background) }
        if isOnTerminal, wasEnding || !isEnding() {
          SignalCenter.shared.stopProcess()
          await answer(.foreground)
        }
      case .foreground: if job.resume() { await answer(.foreground) }
      case .shutdown, .reload, .ignore, nil: break
      }
    }
  }
}

/// A queue of signals for one task; equal signals coalesce.
///
/// ## Thread safety
///
/// Every member may be called from any thread, except that only one task may call ``next()``.
private final class SignalQueue: Sendable {
  /// The queued signals; `nil` after the end.
  private let waiting = Locked<[Int32]?>([])
  private let bell = Doorbell()

  /// Appends a signal, unless an equal one is queued.
  func append(_ number: Int32) {
    waiting.withLock { if $0?.contains(number) == false { $0?.append(number) } }
    bell.ring()
  }

  /// Drops queued and future signals.
  func end() {
    waiting.withLock { $0 = nil }
    bell.ring()
  }

  /// Waits for the next signal.
  ///
  /// - Returns: The number of the signal, or `nil` after ``end()``.
  nonisolated(nonsending) func next() async -> Int32? {
    while true {
      let (number, hasEnded) = waiting.withLock { waiting in
        (waiting?.isEmpty == false ? waiting?.removeFirst() : nil, waiting == nil)
      }
      if number != nil || hasEnded { return number }
      await bell.wait()
    }
  }
}
