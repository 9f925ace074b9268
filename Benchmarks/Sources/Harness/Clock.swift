#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// How much of a processor's time some work takes on the calling thread, in nanoseconds.
///
/// What the machine gives to other programs meanwhile does not count. Reading the clock twice costs
/// some 500 ns: measure many iterations at once.
public func nanoseconds(_ work: () -> Void) -> Double {
  let start = processorTime()
  work()
  return processorTime() - start
}

private func processorTime() -> Double {
  var time = timespec()
  _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)  // Reason: writes one `timespec`.
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}
