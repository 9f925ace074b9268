internal import InstructionCounter
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#else
#error("Unknown C library: add it here.")
#endif

/// The processor time of some work on the calling thread, in nanoseconds.
///
/// Time that other programs use meanwhile does not count. Reading the clock twice costs
/// some 500 ns: measure many iterations at once.
public func nanoseconds(_ work: () -> Void) -> Double {
  Instructions.start()
  let start = processorTime(CLOCK_THREAD_CPUTIME_ID)
  work()
  let time = processorTime(CLOCK_THREAD_CPUTIME_ID) - start
  Instructions.stop()
  return time
}

/// The processor time of the whole program while some work runs, in nanoseconds.
///
/// For work of several threads: adds up the time of each of them, and leaves out the time in which
/// none of them runs.
public func nanosecondsOfAllThreads(_ work: () async -> Void) async -> Double {
  Instructions.start()
  let start = processorTime(CLOCK_PROCESS_CPUTIME_ID)
  await work()
  let time = processorTime(CLOCK_PROCESS_CPUTIME_ID) - start
  Instructions.stop()
  return time
}

private func processorTime(_ clock: clockid_t) -> Double {
  var time = timespec()
  _ = unsafe clock_gettime(clock, &time)  // Reason: writes one `timespec`.
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// Counts instead of times: measured work that callgrind counts while a title is set.
internal enum Instructions {
  /// What callgrind notes beside the next count; nothing is counted without it.
  ///
  internal static let title = Mutex(String?.none)

  fileprivate static func start() {
    if title.withLock({ $0 != nil }) { instruction_counter_start() }
  }

  fileprivate static func stop() {
    guard let title = title.withLock({ $0 }) else { return }
    unsafe instruction_counter_stop(title)  // Reason: the function copies the text.
  }
}
