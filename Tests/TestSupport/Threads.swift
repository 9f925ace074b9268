internal import EventBus
internal import Synchronization

/// Which thread something ran on.
public struct ThreadID: Hashable, Sendable {
  private let bits: UInt

  /// The calling thread.
  ///
  /// Never optimized: the C library declares `pthread_self` a constant function, so that an optimizer may
  /// use one answer on both sides of a suspension.
  @_optimize(none)
  public static var current: ThreadID {
    ThreadID(bits: currentThreadID())
  }
}

/// Runs a closure on several threads of the operating system that start together.
///
/// They are real threads: they run beside the test even if every thread of the concurrency runtime
/// is busy, and a blocked one blocks no other.
///
/// - Parameters:
///   - count: The number of threads.
///   - body: The closure, which receives the thread's number, from zero.
public func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
  let gate = StartGate(count)
  let running = Countdown(count)
  await withCheckedContinuation { continuation in
    for index in 0..<count {
      runOnThread {
        gate.arriveAndWait()
        body(index)
        if running.countDown() { continuation.resume() }
      }
    }
  }
  // The task may not have suspended: then ThreadSanitizer does not see that the threads came first.
  precondition(running.isOver)
}

/// Runs a closure on a new thread while the caller's thread waits, whatever locks the caller holds.
///
/// When it returns, the thread has released the closure and what it captured.
///
/// - Returns: The result of the closure.
public func blockedOnThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
  let (work, result, isOver) = (Holder(body), Holder<Result>(), ManualLatch())
  runOnThread {
    call(work, into: result)
    work.letGo()
    isOver.open()
  }
  isOver.block()
  guard let value = result.value else { preconditionFailure("The latch opened too early.") }
  return value
}

/// Runs a closure on a new thread with a stack of its own size, and waits until the thread has ended.
///
/// When it returns, the thread has released the closure: what the caller still holds is never released on the
/// small stack.
///
/// - Parameters:
///   - size: The size of the stack in bytes; 128 KiB is what a thread has with musl.
///   - body: The closure. More nested calls than the stack has room for end the process.
public func onStack(of size: Int, _ body: @escaping @Sendable () -> Void) {
  let work = Holder(body)
  var attributes = pthread_attr_t()
  unsafe pthread_attr_init(&attributes)  // Reason: destroyed below.
  defer { unsafe pthread_attr_destroy(&attributes) }  // Reason: as above.
  #if canImport(Glibc)
  var thread = pthread_t()
  #else
  var thread: pthread_t?
  #endif
  let code = unsafe pthread_attr_setstacksize(&attributes, size)  // Reason: as above.
  let argument = ObjectAddress.retained(work)
  let failure = unsafe pthread_create(  // Reason: the thread releases the argument.
    &thread,
    &attributes,
    {
      let address = UInt(bitPattern: $0)
      if let work = ObjectAddress.object(address, as: Holder<@Sendable () -> Void>.self) {
        work.value?()
        work.letGo()
      }
      ObjectAddress.release(address)
      return nil
    },
    UnsafeMutableRawPointer(bitPattern: argument)
  )
  precondition(
    code == 0 && failure == 0,
    "The system refused a thread (error \(code), \(failure))."
  )
  #if canImport(Glibc)
  let end = pthread_join(thread, nil)
  #else
  let end = unsafe thread.map { unsafe pthread_join($0, nil) } ?? 0  // Reason: joined once.
  #endif
  precondition(end == 0, "The thread cannot be joined (error \(end)).")
}

/// Calls a closure without a reference to it that outlives the call.
@inline(never)
private func call<Result>(_ work: Holder<@Sendable () -> Result>, into result: Holder<Result>) {
  if let body = work.value { result.hold(body()) }
}

/// Lets other threads run.
public func yieldThread() { sched_yield() }

private final class Countdown: Sendable {
  private let remaining: Atomic<Int>

  init(_ count: Int) { remaining = Atomic(count) }

  var isOver: Bool { remaining.load(ordering: .acquiring) == 0 }

  /// Returns whether this was the last one.
  func countDown() -> Bool {
    remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }
}

/// Runs a closure on a new thread of the operating system.
internal func runOnThread(_ body: @escaping @Sendable () -> Void) {
  let failure = startThread(body)
  precondition(failure == 0, "The system refused a thread (error \(failure)).")
}
