internal import EventBus

/// The messages of a loader, to the host that runs with it or on standard error.
extension LaunchLoader {
  /// The receiver of messages, and the messages to send.
  struct Talk: Sendable {
    /// Receives the messages of the loader.
    struct Host: Sendable {
      let say: @Sendable (AppHostMessage) -> Void
    }

    /// A registration that was refused, its outcome, and the place of the first one of its name, if that is known.
    ///
    /// Before `main`, it is only stored.
    struct Refusal: Sendable {
      let item: LaunchItem
      let outcome: LaunchOutcome
      let original: LaunchSite?
    }

    /// The host that was created first with the loader, until it has run; the loader does not retain it.
    struct Candidate: Sendable {
      weak let messages: MessageQueue<AppHostMessage>?
      let clock: any Clock<Duration>
    }

    /// A caller that waits for a value, and the task that reports it.
    struct Wait: Sendable {
      let number: Int
      let report: Task<Void, Never>
    }

    /// The host that runs with the loader.
    var host: Host?
    /// The host that will probably run with it.
    var candidate: Candidate?
    /// True if a host has run with it.
    var hadHost = false
    /// The registrations that were refused before the launch.
    var refusals: [Refusal] = []
    /// The callers that wait for a value before the launch, in order of arrival.
    var waits: [LaunchID: [Wait]] = [:]
    /// The number of waits that ever began.
    var waitCount = 0
  }

  /// Records that a host was created with the loader: until it runs, it receives messages that cannot wait,
  /// unless another one was created before it.
  func expect(_ messages: MessageQueue<AppHostMessage>, on clock: any Clock<Duration>) {
    // Looked at outside the lock: this could be its last owner.
    if state.withLock({ $0.talk.candidate })?.messages != nil { return }
    let candidate = Talk.Candidate(messages: messages, clock: clock)
    let former = state.withLock { state in
      defer { state.talk.candidate = candidate }
      return state.talk.candidate
    }
    withExtendedLifetime(former) {}
  }

  /// Connects the host that runs with the loader, and receives its messages.
  ///
  /// - Parameter say: Receives the messages on any thread, including those about earlier registrations. It must
  ///   not run user code.
  /// - Returns: `false` if another host runs with the loader.
  package func enter(_ say: @escaping @Sendable (AppHostMessage) -> Void) -> Bool {
    readNames()
    let (isFree, isUsed, refusals) = state.withLock { state -> (Bool, Bool, [Talk.Refusal]) in
      guard state.talk.host == nil else { return (false, false, []) }
      defer {
        (state.talk.host, state.talk.hadHost, state.talk.refusals) = (.init(say: say), true, [])
      }
      let isUsed = state.talk.hadHost && !state.machine.launched.isEmpty
      return (true, isUsed, state.talk.refusals)
    }
    for refusal in refusals { sayNow(refusal) }
    if isUsed {
      say(
        AppHostMessage(
          "The launch work of this loader ran for an earlier AppHost and does not run again."
            + " Give each host its own loader: AppHost(loader: LaunchLoader())."
        )
      )
    }
    return isFree
  }

  /// Disconnects the host.
  package func leave() {
    let former = state.withLock { state in
      (state.talk.host.take(), state.talk.candidate.take())
    }
    withExtendedLifetime(former) {}
  }

  /// Sends a message to the host that runs with the loader or will, or writes it to standard error.
  private func say(_ message: AppHostMessage) {
    let (host, candidate) = state.withLock { ($0.talk.host, $0.talk.candidate) }
    if let host {
      host.say(message)
    } else if let messages = candidate?.messages {
      messages.send(message)
    } else {
      printError("LaunchLoader: \(message)")
    }
  }

  /// Reports the registrations refused before the launch, and stops reporting that values are
  /// awaited.
  func endTalkBeforeLaunch() {
    let (refusals, waits) = state.withLock { state in
      defer { (state.talk.refusals, state.talk.waits) = ([], [:]) }
      return (state.talk.refusals, state.talk.waits)
    }
    for wait in waits.values.joined() { wait.report.cancel() }
    for refusal in refusals { sayNow(refusal) }
  }

  /// Reports that a registration was not accepted; before the launch, this waits until it begins or a
  /// host runs.
  func say(_ refusal: Talk.Refusal) {
    let isKept = state.withLock { state in
      let isKept = state.machine.isCollecting && state.talk.host == nil
      if isKept { state.talk.refusals.append(refusal) }
      return isKept
    }
    if !isKept { sayNow(refusal) }
  }

  private func sayNow(_ refusal: Talk.Refusal) {
    let item = refusal.item
    let name = item.id.map { "\"\($0)\" " } ?? ""
    let work = "Launch work \(name)(\(item.site.source))"
    let text: String
    switch refusal.outcome {
    case .duplicate:
      let place = refusal.original.map { " at \($0.source)" } ?? ""
      text =
        "\(work) was refused: its name is already registered\(place), and the first registration is used."
        + " Choose another name, or give the host its own loader: AppHost(loader: LaunchLoader())."
    case .refused:
      text =
        "\(work) was refused: its loader was stopped with an AppHost. Register it earlier, or with the loader of"
        + " another host: AppHost(loader: LaunchLoader())."
    case .failed(let error): text = "\(work) was refused: \(error)".asSentence
    case .skipped(let id?) where state.withLock({ $0.machine.work(of: id) == nil }):
      text =
        "\(work) was refused: it needs \"\(id)\", which is not registered. Register that first."
    // Its dependency has not finished, which is not a mistake of the registration.
    default: return
    }
    say(AppHostMessage(text, workers: item.id.map { [$0.rawValue] } ?? [], state: .ended))
  }
}

extension LaunchLoader {
  /// Says that a value could not be closed in a rollback, or after the others.
  func sayUnclosed(_ item: LaunchItem, _ error: any Error) {
    guard let id = item.id else { return }
    say(
      AppHostMessage(
        "Closing launch value \"\(id)\" failed: \(error)".asSentence,
        workers: [id.rawValue],
        state: .ended,
        error: error
      )
    )
  }
}

/// The waits for values before the launch.
extension LaunchLoader {
  /// The receiver of messages about a wait, and the clock that measures it.
  typealias Audience = (clock: any Clock<Duration>, say: @Sendable (AppHostMessage) -> Void)

  /// Records that a caller waits for a value: as long as no launch begins, a message names the value after five
  /// seconds, and then every ten seconds.
  ///
  /// Only the caller that has waited longest is reported, to its own audience.
  ///
  /// - Parameters:
  ///   - id: The name of the value.
  ///   - audience: Receives the messages, and has the clock that measures the time.
  /// - Returns: The number to pass to ``endWait(_:for:)``; `nil` if the launch has begun.
  func beginWait(for id: LaunchID, _ audience: Audience?) -> Int? {
    let (candidate, clock) = state.withLock { ($0.talk.candidate, $0.timing.clock) }
    let isExpected = candidate?.messages != nil
    let (time, say) =
      audience ?? (isExpected ? candidate?.clock ?? clock : clock, { self.say($0) })
    let stopwatch = Stopwatch(time)
    return state.withLock { state in
      guard state.machine.isCollecting else { return nil }
      state.talk.waitCount += 1
      let number = state.talk.waitCount
      // Runs no other code here.
      let report = Task.detached { await self.reportWait(number, for: id, stopwatch, to: say) }
      state.talk.waits[id, default: []].append(Talk.Wait(number: number, report: report))
      return number
    }
  }

  /// Records that a caller no longer waits for a value.
  func endWait(_ number: Int, for id: LaunchID) {
    let ended = state.withLock { state -> Talk.Wait? in
      guard var waits = state.talk.waits[id],
        let index = waits.firstIndex(where: { $0.number == number })
      else { return nil }
      defer { state.talk.waits[id] = waits.isEmpty ? nil : waits }
      return waits.remove(at: index)
    }
    ended?.report.cancel()
  }

  /// Reports a caller at its times, unless another one waits longer.
  nonisolated(nonsending) private func reportWait(
    _ number: Int,
    for id: LaunchID,
    _ stopwatch: Stopwatch,
    to say: @Sendable (AppHostMessage) -> Void
  ) async {
    var waited = Duration.seconds(5)
    while true {
      do { try await stopwatch.sleep(waited) } catch { return }
      // Of several times that have passed, report only the last.
      let elapsed = stopwatch.elapsed()
      while waited + .seconds(10) <= elapsed { waited += .seconds(10) }
      // Otherwise, another caller is reported, or the launch or the wait has ended.
      if state.withLock({ $0.talk.waits[id]?.first?.number == number }) {
        say(
          AppHostMessage(
            "Still waiting, after \(waited.shortText), for launch value \"\(id)\": no launch has begun."
              + " Call launch() on its loader, or run() on the AppHost with this loader.",
            workers: [id.rawValue],
            state: .starting,
            elapsed: waited
          )
        )
      }
      waited += .seconds(10)
    }
  }
}
