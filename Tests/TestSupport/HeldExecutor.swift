internal import EventBus

/// Keeps an actor busy without blocking a thread: its jobs wait until the executor is opened, and
/// then run on a separate thread.
public final class HeldExecutor: SerialExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var isOpen = false
    var isRunning = false

    /// Returns whether a thread must be started for the waiting jobs.
    mutating func mustRun() -> Bool {
      if !isOpen || isRunning || jobs.isEmpty { return false }
      isRunning = true
      return true
    }
  }

  private let state = Locked(State())

  /// Creates an executor that holds everything back.
  public init() {}

  /// Lets everything run, now and later.
  public func open() {
    let mustRun = state.withLock { state in
      state.isOpen = true
      return state.mustRun()
    }
    if mustRun { run() }
  }

  /// Holds all jobs back again; the running job is not interrupted.
  public func hold() { state.withLock { $0.isOpen = false } }

  /// The number of jobs held back.
  public var heldCount: Int { state.withLock { $0.jobs.count } }

  /// Waits until so many jobs are held back, or until the test has run out of time.
  public func waitForJobs(_ count: Int) async { await until(heldCount >= count) }

  /// Takes up a job of the actor.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let mustRun = state.withLock { state in
      state.jobs.append(job)
      return state.mustRun()
    }
    if mustRun { run() }
  }

  private func run() {
    runOnThread { [self] in
      let place = unsafe asUnownedSerialExecutor()  // Reason: `self` is captured.
      while let job = next() {
        unsafe job.runSynchronously(on: place)  // Reason: each job is run once.
      }
    }
  }

  private func next() -> UnownedJob? {
    state.withLock { state in
      guard state.isOpen, let job = state.jobs.first else {
        state.isRunning = false
        return nil
      }
      state.jobs.removeFirst()
      return job
    }
  }
}

/// An actor whose turns the test holds back.
public actor HeldActor {
  private nonisolated let executor: HeldExecutor

  /// The executor that holds the turns back.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()  // Reason: the actor keeps it.
  }

  /// Creates an actor whose turns wait until an executor is opened.
  public init(_ executor: HeldExecutor) { self.executor = executor }
}
