internal import EventBus
public import EventBusTesting

// The ways in which a test waits for something that announces nothing. Where there is an announcement, a test waits for
// that: an ``Inbox``, a ``ManualLatch``, a ``Counter``, a ``Tally``, the sleepers of a clock.

/// Suspends until a condition holds, or until the test has run out of time.
///
/// The condition is evaluated on the caller's actor, again and again; no thread is blocked meanwhile.
///
/// - Parameter condition: What the test waits for.
public func until(_ condition: @autoclosure () async throws -> Bool) async rethrows {
  // Most conditions hold after the next turns of other tasks.
  for _ in 0..<10 {
    if try await condition() || Task.isCancelled { return }
    await Task.yield()
  }
  while !(try await condition()), !Task.isCancelled { await Watcher.shared.pause(untilRest: false) }
}

/// Suspends until nothing in the process can go on by itself, or until the test has run out of time.
///
/// At rest, everything that a test has caused has happened, however slow the machine is: a handler that has not been
/// called is not going to be, and a manual clock may jump. A thread that waits for a process, for a timer of the system
/// or for input is at rest, too; a test waits for those by what they announce. Tests that run in parallel delay each
/// other's rest, but never cause one.
///
/// Code that blocks the main actor, or a thread that spins, keeps the process from rest: neither may wait for it.
public func rest() async { await Watcher.shared.pause(untilRest: true) }

extension ManualClock {
  /// Jumps as soon as the process is at rest: see ``rest()``.
  public func jumpAtRest(by duration: Duration) async {
    await rest()
    jump(by: duration)
  }
}

/// A thread that resumes waiting tests after a short while, or when all other threads sleep.
///
/// The waiting tests themselves occupy no thread. Otherwise, two tests that wait for rest would keep each other from it.
private final class Watcher: Sendable {
  private struct Waiter {
    let latch = ManualLatch()
    let number: Int
    let waitsForRest: Bool
  }

  private struct State {
    var waiters: [Waiter] = []
    var nextNumber = 0
    var isRunning = false
  }

  static let shared = Watcher()

  private let state = Locked(State())

  /// Suspends for a short while, or until the process is at rest.
  func pause(untilRest: Bool) async {
    let (waiter, mustRun) = state.withLock { state in
      let waiter = Waiter(number: state.nextNumber, waitsForRest: untilRest)
      state.nextNumber += 1
      state.waiters.append(waiter)
      defer { state.isRunning = true }
      return (waiter, !state.isRunning)
    }
    if mustRun { runOnThread { [self] in run() } }
    await waiter.latch.wait()
    // The test has run out of time.
    if !waiter.latch.isOpen {
      state.withLock { state in state.waiters.removeAll { $0.number == waiter.number } }
    }
  }

  private func run() {
    let shortest: UInt32 = 200
    var nap = shortest
    while true {
      usleep(nap)
      let (isOver, seeksRest, firstTooLate) = state.withLock { state in
        if state.waiters.isEmpty { state.isRunning = false }
        let seeksRest = state.waiters.contains(where: \.waitsForRest)
        return (state.waiters.isEmpty, seeksRest, state.nextNumber)
      }
      if isOver { return }
      let isAtRest = seeksRest && otherThreadsRest()
      // A thread that computes does so for a while.
      nap = seeksRest && !isAtRest ? min(2 * nap, 10 * shortest) : shortest
      let served = state.withLock { state in
        // Only a test that waited before the look may rely on it.
        let isServed = { (waiter: Waiter) in
          !waiter.waitsForRest || isAtRest && waiter.number < firstTooLate
        }
        defer { state.waiters.removeAll(where: isServed) }
        return state.waiters.filter(isServed)
      }
      for waiter in served { waiter.latch.open() }
    }
  }
}

/// Returns whether every other thread of the process slept, and none ran between two looks at all of them.
private func otherThreadsRest() -> Bool {
  #if os(Linux)
  guard let before = switchesOfSleepers() else { return false }
  return before == switchesOfSleepers()
  #else
  // No other system tells without private interfaces. Each of these naps is longer than a task waits for its turn.
  usleep(20_000)
  return true
  #endif
}

#if os(Linux)
/// How often each sleeping thread was given a processor; nil unless all threads but the calling one sleep.
private func switchesOfSleepers() -> [String]? {
  let path = "/proc/self/task"
  guard let folder = unsafe opendir(path) else { return nil }  // Reason: a terminated string.
  defer { unsafe closedir(folder) }  // Reason: opened above.
  var switches: [String] = []
  var others = 0
  while let entry = unsafe readdir(folder) {  // Reason: valid until the next call.
    var name = unsafe entry.pointee.d_name  // Reason: as above; a copy.
    let thread = unsafe withUnsafeBytes(of: &name) { bytes in  // Reason: within the copy.
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)  // Reason: as above.
    }
    guard !thread.hasPrefix(".") else { continue }
    guard let status = try? text(ofPath: "\(path)/\(thread)/status") else { return nil }
    if status.contains("\nState:\tS") {
      let lines = status.split(separator: "\n")
      switches.append(thread + lines.filter { $0.contains("ctxt_switches") }.joined())
    } else {
      others += 1
      guard others == 1 else { return nil }
    }
  }
  return switches
}
#endif
