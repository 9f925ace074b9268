/// Hands the signals of the process to an application, as what they mean to it.
///
/// - `SIGTERM` and `SIGINT` interrupt. They have a way of their own: an answer to another signal that takes
///   long, or for ever, does not hold them up. How often is how serious is the application's rule.
/// - `SIGTSTP` sends it to the background; when that is done, the process really stops, if it runs on a
///   terminal. `SIGCONT` brings it back.
/// - `SIGHUP` asks for a reload, `SIGWINCH` says that the terminal has another size.
///
/// `SIGINT`, `SIGHUP` and `SIGTSTP` are left alone if the program was started with them ignored.
///
/// It listens from its making; so a signal that comes before ``run()`` is not lost.
///
/// ## Thread safety
///
/// The closures run in the isolation they were written in; nothing is held meanwhile. Interrupts come one
/// after the other, and so does the rest.
package final class SignalBridge: Sendable {
  /// An answer to a signal.
  package typealias Answer = @isolated(any) @Sendable () async -> Void

  private struct Answers: Sendable {
    let interrupt: @Sendable (Int32) -> Void
    let background: Answer
    let foreground: Answer
    let reload: Answer
    let resize: Answer
  }

  private let answers: Answers
  private let interrupts: SignalListener
  private let requests: SignalListener

  /// Listens.
  ///
  /// - Parameters:
  ///   - interrupt: Given the number of the signal.
  ///   - background: Tells the program to go to the background; the process does not stop before it has
  ///     returned.
  ///   - foreground: Tells it to come back.
  ///   - reload: Tells it to read its configuration anew.
  ///   - resize: Tells it that its terminal has another size.
  package init(
    interrupt: @escaping @Sendable (Int32) -> Void,
    @_inheritActorContext background: @escaping Answer,
    @_inheritActorContext foreground: @escaping Answer,
    @_inheritActorContext reload: @escaping Answer,
    @_inheritActorContext resize: @escaping Answer
  ) {
    answers = Answers(
      interrupt: interrupt,
      background: background,
      foreground: foreground,
      reload: reload,
      resize: resize
    )
    interrupts = SignalListener(Self.unshielded(SignalMeaning.interrupts))
    requests = SignalListener(Self.unshielded(SignalMeaning.requests))
  }

  /// Answers the signals until the task is cancelled; then what the process did before is restored.
  ///
  /// Called once.
  package func run() async {
    await withTaskCancellationHandler {  // Reason: only starts two tasks.
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.answerInterrupts() }
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
    interrupts.end()
    requests.end()
  }

  private func answerInterrupts() async {
    while let signal = await interrupts.next() { answers.interrupt(signal.rawValue) }
  }

  private func answerRequests() async {
    var job = JobState()
    while let signal = await requests.next() {
      switch SignalMeaning(signal) {
      case .background: await take(job.stop(isOnTerminal: JobControl.isOnTerminal))
      case .foreground: await take(job.resume())
      case .reload: await answers.reload()
      case .resize: await answers.resize()
      case .interrupt, nil: break
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

  private static func unshielded(_ signals: [UnixSignal]) -> [UnixSignal] {
    signals.filter { signal in
      let isShielded = SignalMeaning.heedsIgnoring.contains(signal)
      return !(isShielded && SignalCenter.shared.isIgnored(signal.rawValue))
    }
  }
}
