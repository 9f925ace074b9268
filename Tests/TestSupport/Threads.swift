internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Which thread something ran on.
public struct ThreadID: Hashable, Sendable {
  private let bits: UInt

  /// The calling thread.
  ///
  /// Never optimised: the C library declares `pthread_self` a constant function, so that an optimiser may
  /// use one answer on both sides of a suspension.
  @_optimize(none)
  public static var current: ThreadID {
    #if canImport(Darwin)
    unsafe ThreadID(bits: UInt(bitPattern: pthread_self()))  // Reason: only a number.
    #else
    ThreadID(bits: pthread_self())
    #endif
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
      startThread {
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
/// - Returns: The result of the closure.
public func blockedOnThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
  let results = Log<Result>()
  startThread { results.append(body()) }
  while true {
    if let result = results.entries.first { return result }
    yieldThread()
  }
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

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

internal func startThread(_ body: @escaping @Sendable () -> Void) {
  let argument = unsafe Unmanaged.passRetained(ThreadBody(body)).toOpaque()  // Reason: taken below.
  var thread = pthread_t(bitPattern: 0)
  let failure = unsafe pthread_create(&thread, nil, runThread, argument)  // Reason: plain C call.
  precondition(failure == 0, "The system refused a thread (error \(failure)).")
  #if canImport(Darwin)
  if let thread { unsafe pthread_detach(thread) }  // Reason: nobody joins it.
  #else
  pthread_detach(thread)
  #endif
}

#if canImport(Darwin)
private func runThread(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
  unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()  // Reason: see above.
  return nil
}
#else
private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument = unsafe argument else { return nil }  // Reason: only looked at.
  unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()  // Reason: see above.
  return nil
}
#endif
