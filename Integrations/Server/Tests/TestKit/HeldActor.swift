private import Dispatch
private import _EventBusLocks

/// An actor whose jobs wait until they are released.
public actor HeldActor {
  /// The executor of the actor.
  public nonisolated let executor = HeldExecutor()

  /// The executor of the actor.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()  // Reason: the actor keeps it.
  }

  /// Creates an actor that is held.
  public init() {}
}

/// An executor that holds its jobs back until it is released.
public final class HeldExecutor: SerialExecutor {
  private struct State {
    var held: [UnownedJob]? = []
  }

  private let state = Locked(State())
  private let queue = DispatchQueue(label: "HeldExecutor")

  /// Keeps a job, or runs it.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isHeld = state.withLock { state in
      state.held?.append(job)
      return state.held != nil
    }
    if !isHeld { run([job]) }
  }

  /// Runs the jobs that were held back, and all later ones.
  public func release() {
    run(state.withLock { $0.held.take() } ?? [])
  }

  private func run(_ jobs: [UnownedJob]) {
    queue.async {
      for job in jobs {
        unsafe job.runSynchronously(on: self.asUnownedSerialExecutor())  // Reason: each job once.
      }
    }
  }
}
