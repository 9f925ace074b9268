internal import EventBus
public import EventBusTesting
internal import Testing

// The ways in which a test waits for something that announces nothing. Where there is an announcement, a test waits for
// that: an ``Inbox``, a ``ManualLatch``, a ``Counter``, a ``Tally``, the sleepers of a clock.

/// Suspends until a condition holds, or until the test has run out of time.
///
/// The condition is evaluated on the caller's actor, again and again; no thread is blocked meanwhile. A wait in vain is
/// an issue of the test.
///
/// - Parameters:
///   - condition: What the test waits for. It is synchronous, because an asynchronous autoclosure does not return to
///     its actor after the wait for the next look (Swift 6.3); see ``until(asking:file:path:line:)``.
///   - file: The file in which it waits.
///   - path: The path of the file.
///   - line: The line.
public func until(
  _ condition: @autoclosure () throws -> Bool,
  file: String = #fileID,
  path: String = #filePath,
  line: Int = #line
) async rethrows {
  var looks = 0
  while !(try condition()) {
    if Task.isCancelled { return recordWaitInVain(file, path, line) }
    looks += 1
    await pause(after: looks)
  }
}

/// Suspends until others answer that a condition holds, or until the test has run out of time.
///
/// - Parameters:
///   - condition: What the test waits for; it asks actors, and reads nothing that belongs to the caller's.
///   - file: The file in which the test waits.
///   - path: The path of the file.
///   - line: The line.
public func until(
  asking condition: @autoclosure () async throws -> Bool,
  file: String = #fileID,
  path: String = #filePath,
  line: Int = #line
) async rethrows {
  var looks = 0
  while !(try await condition()) {
    if Task.isCancelled { return recordWaitInVain(file, path, line) }
    looks += 1
    await pause(after: looks)
  }
}

/// Suspends until a condition is worth another look: most hold after the next turns of other tasks.
private func pause(after looks: Int) async {
  if looks < 10 { await Task.yield() } else { await Watcher.shared.pause(untilRest: false) }
}

private func recordWaitInVain(_ file: String, _ path: String, _ line: Int) {
  let place = SourceLocation(fileID: file, filePath: path, line: line, column: 1)
  Issue.record("The task was cancelled while it waited.", sourceLocation: place)
}

/// Blocks a thread of the test's own until a condition holds.
public func blockThread(until condition: @escaping @Sendable () -> Bool) {
  if condition() { return }
  let latch = ManualLatch()
  Task {
    await until(condition())
    latch.open()
  }
  latch.block()
}

/// Suspends until nothing in the process can go on by itself, or until the test has run out of time.
///
/// At rest, everything that a test has caused has happened, however slow the machine is: a handler that has not been
/// called is not going to be, and a manual clock may jump. A thread that waits for a process, for a timer of the system
/// or for input is also at rest; a test waits for those by what they announce. Tests that run in parallel delay each
/// other's rest, but never cause one. A wait in vain is an issue of the test.
///
/// Code that blocks the main actor, or a thread that spins, keeps the process from rest: neither may wait for it.
/// Systems other than Linux and macOS do not tell what threads do; there, a short nap stands for rest, which is a guess.
///
/// - Parameters:
///   - file: The file in which the test waits.
///   - path: The path of the file.
///   - line: The line.
public func rest(
  file: String = #fileID,
  path: String = #filePath,
  line: Int = #line
) async {
  if !(await Watcher.shared.pause(untilRest: true)) { recordWaitInVain(file, path, line) }
}

extension ManualClock {
  /// Jumps as soon as the process is at rest: see ``rest(file:path:line:)``.
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
  ///
  /// - Returns: `false` if the task was cancelled before.
  @discardableResult
  func pause(untilRest: Bool) async -> Bool {
    let (waiter, mustRun) = state.withLock { state in
      let waiter = Waiter(number: state.nextNumber, waitsForRest: untilRest)
      state.nextNumber += 1
      state.waiters.append(waiter)
      defer { state.isRunning = true }
      return (waiter, !state.isRunning)
    }
    if mustRun { runOnThread { [self] in run() } }
    await waiter.latch.wait()
    if waiter.latch.isOpen { return true }
    state.withLock { state in state.waiters.removeAll { $0.number == waiter.number } }
    return false
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
      let isAtRest = seeksRest && threadsRest(in: getpid())
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

/// Looks at all threads of a process twice.
///
/// - Parameters:
///   - process: The number of the process.
///   - exceptCaller: Whether it is this process, so that one thread looks.
/// - Returns: Whether every thread slept, and none ran between the looks.
internal func threadsRest(in process: pid_t, exceptCaller: Bool = true) -> Bool {
  #if os(Linux) || os(macOS)
  let awake = exceptCaller ? 1 : 0
  guard let before = switches(of: process, awake: awake) else { return false }
  return before == switches(of: process, awake: awake)
  #else
  // No other system tells, so that this is a guess: the nap is longer than a task usually waits for its turn.
  usleep(20_000)
  return true
  #endif
}

#if os(Linux)
/// How often each sleeping thread was given a processor; nil unless all threads but a number of them sleep.
private func switches(of process: pid_t, awake: Int) -> [String]? {
  let path = "/proc/\(process)/task"
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
    guard let look = look(at: "\(path)/\(thread)/status") else { return nil }
    if look.sleeps {
      switches.append(thread + look.switches)
    } else {
      others += 1
      guard others <= awake else { return nil }
    }
  }
  return others == awake ? switches : nil
}

/// Reads whether a thread sleeps, and how often it was given a processor.
///
/// The functions of C are many times faster in a debug build than those of `String`, and tests rest often.
private func look(at path: String) -> (sleeps: Bool, switches: String)? {
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)  // Reason: a terminated string.
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 8_192) {  // Reason: C.
    text in
    guard let status = text.baseAddress else { return nil }
    let count = unsafe read(descriptor, status, text.count - 1)  // Reason: within the buffer.
    guard count > 0 else { return nil }
    unsafe status[count] = 0  // Reason: as above.
    let sleeps = unsafe strstr(status, "\nState:\tS") != nil  // Reason: terminated.
    guard sleeps else { return (false, "") }
    // The last lines are the counts of voluntary and other switches.
    let found = unsafe strstr(status, "\nvoluntary_ctxt_switches:")  // Reason: as above.
    guard let counts = unsafe found else {  // Reason: as above.
      // A system that does not count them cannot tell.
      preconditionFailure("\(path) counts no context switches.")
    }
    return unsafe (true, String(cString: counts))  // Reason: as above.
  }
}
#elseif os(macOS)
/// How often the threads were given a processor; nil unless all of them but a number sleep.
private func switches(of process: pid_t, awake: Int) -> Int32? {
  /// Returns the number of bytes that the system wrote.
  func look<Facts: BitwiseCopyable>(_ flavor: Int32, _ argument: UInt64, _ facts: inout [Facts])
    -> Int
  {
    let size = facts.count * MemoryLayout<Facts>.stride
    return Int(unsafe proc_pidinfo(process, flavor, argument, &facts, Int32(size)))  // Reason: C.
  }
  var threads = [UInt64](repeating: 0, count: 1_024)
  let count = look(PROC_PIDLISTTHREADS, 0, &threads) / MemoryLayout<UInt64>.stride
  var others = 0
  for thread in threads.prefix(count) {
    var facts = [proc_threadinfo()]
    guard look(PROC_PIDTHREADINFO, thread, &facts) > 0 else { return nil }
    if facts[0].pth_run_state != TH_STATE_WAITING { others += 1 }
  }
  var facts = [proc_taskinfo()]
  guard count > 0, look(PROC_PIDTASKINFO, 0, &facts) > 0 else { return nil }
  return others == awake && facts[0].pti_numrunning == awake ? facts[0].pti_csw : nil
}
#endif
