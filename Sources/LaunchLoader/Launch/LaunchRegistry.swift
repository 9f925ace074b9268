/// The rule of a loader: what becomes of a registration, who launches, and whose turn it is.
///
///     collecting ──claim──▶ launching ──last worker ended──▶ launched
///         │                     │ (newcomers are refused)       │
///         └────────stop─────────┴───────▶ stopped ◀─────────────┘
///
/// A plain value: it takes no lock, runs no worker and reads no clock. Its methods say what to do, and
/// the caller does it after unlocking; whatever is to be let go of is handed out.
package struct LaunchRegistry: Sendable {
  /// What becomes of a registration.
  package enum Acceptance: Sendable {
    /// It has its place in the coming or running launch; the number withdraws it. With `wakes`, the one
    /// that runs the launch waits for news.
    case kept(UInt64, wakes: Bool)
    /// The launch is over: run it now, with the options of the launch.
    case runsNow(LaunchOptions)
    /// The name is taken.
    case duplicate(of: LaunchID)
    /// The loader was stopped.
    case refused
  }

  /// What the one that runs a launch is able to do.
  package enum Runner: Sendable {
    /// It can only call: work of no actor, and of the actor it runs on, the same one each time.
    case caller(on: ObjectIdentifier?)
    /// It can wait as well.
    case task
  }

  /// What the one that runs a launch does next.
  package enum Step: Sendable {
    /// Run this work, then report its end under this place.
    case run(LaunchRegistration, at: Int)
    /// Let go of this work: the launch was cancelled.
    case skip(LaunchRegistration)
    /// Nothing more can begin here now, and the launch is not over.
    case wait
    /// Everything has ended; the launch is over.
    case over([LaunchRow])
  }

  private enum Stage {
    case collecting, launching, launched, stopped
  }

  private var stage = Stage.collecting
  private var isStopping = false
  private var isCancelled = false
  /// Whether the one that runs the launch was told to wait.
  private var isWaitedOn = false
  private var runningCount = 0
  private var tasks: [Int: Task<Void, Never>] = [:]
  private var options: LaunchOptions?
  private var roster = LaunchRoster()
  private var takenIDs: Set<LaunchID> = []
  private var lastSerial: UInt64 = 0

  /// Creates a registry that collects.
  package init() {}

  /// Whether nobody has launched or stopped it.
  package var isCollecting: Bool { stage == .collecting }

  /// Decides about a registration.
  ///
  /// - Complexity: Amortized O(1).
  package mutating func register(_ registration: LaunchRegistration) -> Acceptance {
    guard stage != .stopped && !isStopping else { return .refused }
    if let id = registration.id, !takenIDs.insert(id).inserted {
      if stage != .launched { _ = append(registration, isWaiting: false) }
      return .duplicate(of: id)
    }
    if stage == .launched, let options { return .runsNow(options) }
    let serial = append(registration, isWaiting: true)
    return .kept(serial, wakes: takeWaiting())
  }

  /// Takes back a registration that has not begun, and gives its name free.
  ///
  /// - Returns: The registration, to be dismissed; `nil` if it is too late.
  /// - Complexity: O(log *n*), amortized.
  package mutating func withdraw(_ serial: UInt64) -> LaunchRegistration? {
    guard let registration = roster.withdraw(serial) else { return nil }
    if let id = registration.id { takenIDs.remove(id) }
    return registration
  }

  /// Begins the launch; the first caller wins.
  ///
  /// - Returns: Whether the caller runs the launch.
  /// - Complexity: O(*n*) in the number of registrations.
  package mutating func claim(_ options: LaunchOptions) -> Bool {
    guard stage == .collecting else { return false }
    stage = .launching
    self.options = options
    roster.seal()
    return true
  }

  /// Says what the one that runs the launch does next.
  ///
  /// - Complexity: Amortized O(1); O(*n*) when the launch is over.
  package mutating func next(for runner: Runner) -> Step {
    if let (registration, place) = take(for: runner) {
      guard !isCancelled else { return .skip(registration) }
      runningCount += 1
      return .run(registration, at: place)
    }
    guard runningCount == 0 && !roster.hasWaiting() else {
      isWaitedOn = true
      return .wait
    }
    stage = isStopping ? .stopped : .launched
    defer { roster = LaunchRoster() }
    return .over(roster.finish())
  }

  /// Remembers the task of a worker that has begun, so that cancelling the launch reaches it.
  ///
  /// - Returns: Whether the caller has to cancel it: the launch was cancelled meanwhile.
  package mutating func adopt(_ task: Task<Void, Never>, at place: Int) -> Bool {
    guard !isCancelled else { return true }
    if roster.isRunning(place) { tasks[place] = task }
    return false
  }

  /// Records the end of a worker.
  ///
  /// - Returns: Its task, to be let go of, and whether the one that runs the launch waits for news.
  package mutating func end(
    at place: Int,
    _ times: LaunchTimes
  ) -> (task: Task<Void, Never>?, wakes: Bool) {
    roster.record(times, at: place)
    runningCount -= 1
    return (tasks.removeValue(forKey: place), takeWaiting())
  }

  /// Skips everything that has not begun.
  ///
  /// - Returns: The tasks to cancel, and whether the one that runs the launch waits for news.
  package mutating func cancel() -> (tasks: [Task<Void, Never>], wakes: Bool) {
    guard stage == .launching else { return ([], false) }
    isCancelled = true
    return (Array(tasks.values), takeWaiting())
  }

  /// Refuses all registrations from now on; a running launch goes on with what it has.
  ///
  /// - Returns: The registrations to dismiss, if there will be no launch; otherwise `nil`.
  package mutating func stop() -> [LaunchRegistration]? {
    switch stage {
    case .collecting:
      stage = .stopped
      defer { roster = LaunchRoster() }
      return roster.finish().filter(\.isWaiting).map(\.registration)
    case .launching:
      isStopping = true
    case .launched:
      stage = .stopped
    case .stopped:
      break
    }
    return nil
  }

  private mutating func take(for runner: Runner) -> (LaunchRegistration, Int)? {
    switch runner {
    case .caller(let actor): roster.takeNextCallable(on: actor)
    case .task: roster.takeNext()
    }
  }

  private mutating func append(_ registration: LaunchRegistration, isWaiting: Bool) -> UInt64 {
    lastSerial += 1
    roster.append(registration, serial: lastSerial, isWaiting: isWaiting)
    return lastSerial
  }

  private mutating func takeWaiting() -> Bool {
    defer { isWaitedOn = false }
    return isWaitedOn
  }
}
