internal import EventBus

/// Hands the signals of the process to an application, as what they mean to it.
///
/// - Signals that ask for the end are handed over on the thread that reads signals: neither an answer to
///   another signal nor services that block every thread of the concurrency runtime hold them up.
/// - Requests for a reload are answered one after the other, apart from the rest: an answer may take long.
/// - A signal that asks for the background is answered; when that is done, the process really stops, if a
///   terminal controls it.
///
/// Signals that the program was started with ignored are left alone: that is how a shell shields what it
/// runs in the background, and how `nohup` works (The GNU C Library, "Initial Signal Actions": check whether
/// the signal is ignored before you handle it).
///
/// It listens from its making; so a signal that comes before ``run()`` is not lost. What has come by its end
/// and was not answered is dropped.
///
/// ## Thread safety
///
/// `onMessage`, `interrupt` and `hangup` run on the thread that reads signals, and so must not run code of
/// users. The other closures run in the isolation they were written in; nothing is held meanwhile.
package final class SignalBridge: Sendable {
  /// An answer to a signal.
  package typealias Answer = @isolated(any) @Sendable () async -> Void

  private struct Answers: Sendable {
    let background: Answer
    let foreground: Answer
    let reload: Answer
    let resize: Answer
  }

  private let table: [UnixSignal: SignalMeaning]
  private let answers: Answers
  private let requests = SignalQueue()
  private let reloads = SignalQueue()
  private let key: SignalDesk<SignalCenter.Waiter>.Key?

  /// Listens.
  ///
  /// - Parameters:
  ///   - table: What signals mean.
  ///   - onMessage: Called with what the operating system refuses, on any thread.
  ///   - interrupt: Called with the number of a signal that asks for the end.
  ///   - hangup: Called when `SIGHUP` asks for the end.
  ///   - background: Sends the program to the background; the process does not stop before it has returned.
  ///   - foreground: Brings it back.
  ///   - reload: Has it read its configuration again.
  ///   - resize: Says that its terminal has another size.
  package init(
    _ table: [UnixSignal: SignalMeaning] = SignalMeaning.usual,
    onMessage: @escaping @Sendable (String) -> Void = { _ in },
    interrupt: @escaping @Sendable (Int32) -> Void,
    hangup: @escaping @Sendable () -> Void,
    @_inheritActorContext background: @escaping Answer,
    @_inheritActorContext foreground: @escaping Answer,
    @_inheritActorContext reload: @escaping Answer,
    @_inheritActorContext resize: @escaping Answer
  ) {
    self.table = table
    answers = Answers(
      background: background,
      foreground: foreground,
      reload: reload,
      resize: resize
    )
    let signals = table.keys.filter { !SignalCenter.shared.isIgnored($0.rawValue) }
    SignalRefusal.check(signals)
    let hadTerminal = JobControl.hasTerminal
    let (requests, reloads) = (requests, reloads)
    let listener = SignalCenter.DirectListener(onMessage: onMessage) { number in
      let signal = UnixSignal(rawValue: number)
      switch table[signal] {
      case .graceful where signal != .hangup: interrupt(number)
      case .graceful: hangup()
      case .reload where signal == .hangup && hadTerminal && !JobControl.hasTerminal: hangup()
      case .reload: reloads.append(number)
      case .background, .foreground, .resize: requests.append(number)
      case .ignore, nil: break
      }
    }
    key = signals.isEmpty ? nil : SignalCenter.shared.open(Set(signals.map(\.rawValue)), listener)
  }

  deinit { end() }

  /// Answers the signals until the task is cancelled; then what the process did before is restored.
  ///
  /// Called once.
  package func run() async {
    await withTaskCancellationHandler {  // Reason: only starts two tasks.
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.answerReloads() }
        group.addTask { await self.answerRequests() }
      }
    } onCancel: {
      // At once, even while an answer is under way.
      end()
    }
    end()
  }

  /// Stops listening; doing so again does nothing.
  package func end() {
    if let key { SignalCenter.shared.close(key) }
    requests.end()
    reloads.end()
  }

  private func answerReloads() async {
    while await reloads.next() != nil { await answers.reload() }
  }

  private func answerRequests() async {
    var job = JobState()
    while let number = await requests.next() {
      switch table[UnixSignal(rawValue: number)] {
      case .background: await take(job.stop(isOnTerminal: JobControl.hasTerminal))
      case .foreground: await take(job.resume())
      case .resize: await answers.resize()
      case .graceful, .reload, .ignore, nil: break
      }
    }
  }

  private func take(_ steps: [JobState.Step]) async {
    for step in steps {
      switch step {
      case .background: await answers.background()
      case .halt: SignalCenter.shared.stopProcess()
      case .foreground: await answers.foreground()
      }
    }
  }
}

/// Signals that wait for one task to answer them; several of one kind are one.
///
/// ## Thread safety
///
/// Every member may be called from any thread, ``next()`` by one task.
final class SignalQueue: Sendable {
  private struct State: Sendable {
    var waiting: [Int32] = []
    var hasEnded = false
  }

  private let state = Locked(State())
  private let bell = Doorbell()

  /// Creates an empty queue.
  init() {}

  /// Adds a signal, unless one of its kind waits.
  func append(_ number: Int32) {
    state.withLock { state in
      if !state.hasEnded, !state.waiting.contains(number) { state.waiting.append(number) }
    }
    bell.ring()
  }

  /// Drops the signals that wait, and those that come.
  func end() {
    state.withLock { $0 = State(hasEnded: true) }
    bell.ring()
  }

  /// Waits for the next signal.
  ///
  /// - Returns: Its number, or `nil` after ``end()``.
  func next() async -> Int32? {
    while true {
      let (number, hasEnded) = state.withLock { state in
        (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.hasEnded)
      }
      if number != nil || hasEnded { return number }
      await bell.wait()
    }
  }
}

/// The rule of stopping and continuing: what is told, and when the process stops.
///
/// A plain value. Each edge is told once: who was stopped on a terminal comes back when the stop returns,
/// and the `SIGCONT` that made it return says nothing new.
package struct JobState: Sendable {
  /// What is to be done, in order.
  package enum Step: Sendable, Equatable {
    /// Tell that the program goes to the background.
    case background
    /// Stop the process; returns when it goes on.
    case halt
    /// Tell that it comes back.
    case foreground
  }

  private var isInBackground = false

  /// Creates the state of a program in the foreground.
  package init() {}

  /// Takes in `SIGTSTP`.
  ///
  /// - Parameter isOnTerminal: Whether there is somebody who could continue the process: without a
  ///   terminal it only goes to the background.
  /// - Returns: What is to be done.
  package mutating func stop(isOnTerminal: Bool) -> [Step] {
    let told: [Step] = isInBackground ? [] : [.background]
    isInBackground = !isOnTerminal
    return isOnTerminal ? told + [.halt, .foreground] : told
  }

  /// Takes in `SIGCONT`.
  ///
  /// - Returns: What is to be done.
  package mutating func resume() -> [Step] {
    defer { isInBackground = false }
    return isInBackground ? [.foreground] : []
  }
}
