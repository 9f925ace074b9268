import LaunchLoader

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#else
#error("Unknown C library: add it here.")
#endif

/// A program with 3,000 registrations before `main`, which says how long they took.
@main
struct Crowd {
  /// The number of workers.
  static let count = 3_000

  static func main() async throws {
    let time = unsafe registrationTime  // Reason: written before `main`, by the only thread.
    let report = try await LaunchLoader.shared.launch()
    let finished = report.entries.count { "\($0.outcome)" == "finished" }
    print("\(finished) of \(count) workers, registered in \(time) ns")
  }
}

/// The thread time that the registrations took, in nanoseconds.
nonisolated(unsafe) private var registrationTime: Int = 0  // Reason: set before `main`, then read.

#if objectFormat(MachO)
@section("__DATA,__mod_init_func,mod_init_funcs") @used
#else
@section(".init_array") @used
#endif
private let entry: LaunchEntry = { register() }

private func register() {
  let start = nanoseconds()
  // Each with its own name and a closure that captures something, as features have.
  for number in 0..<Crowd.count {
    LaunchLoader.register(LaunchID("feature \(number)")) { _ in precondition(number >= 0) }
  }
  unsafe registrationTime = nanoseconds() - start  // Reason: no other thread exists yet.
}

private func nanoseconds() -> Int {
  var time = timespec()
  unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)  // Reason: writes one `timespec`.
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
