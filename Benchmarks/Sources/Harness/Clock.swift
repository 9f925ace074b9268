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
  let start = processorTime(CLOCK_THREAD_CPUTIME_ID)
  work()
  return processorTime(CLOCK_THREAD_CPUTIME_ID) - start
}

/// The processor time of the whole program while some work runs, in nanoseconds.
///
/// For work of several threads: adds up the time of each of them, and leaves out the time in which
/// none of them runs.
public func nanosecondsOfAllThreads(_ work: () async -> Void) async -> Double {
  let start = nanosecondsOfAllThreads()
  await work()
  return nanosecondsOfAllThreads() - start
}

/// The processor time that the whole program has taken so far, in nanoseconds.
public func nanosecondsOfAllThreads() -> Double { processorTime(CLOCK_PROCESS_CPUTIME_ID) }

private func processorTime(_ clock: clockid_t) -> Double {
  var time = timespec()
  _ = unsafe clock_gettime(clock, &time)  // Reason: writes one `timespec`.
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}
