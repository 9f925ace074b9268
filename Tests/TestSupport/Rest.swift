public import EventBusTesting

/// Lets other tasks run until no thread of the program has anything to do, or something holds.
///
/// A program at rest has followed what a test did, however slow the machine is: then a manual clock may jump. Tests
/// that run side by side keep each other from rest; then, and on systems that do not tell, 1,000 turns of other
/// tasks and 2 ms are enough.
///
/// - Parameter holds: What makes further waiting needless.
public func rest(unless holds: () -> Bool = { false }) async {
  let began = ContinuousClock.now
  let least = Duration.milliseconds(rounds(2, debug: 2, sanitized: 200))
  var (turns, nextLook) = (0, 20)
  while turns < 1_000 || began.duration(to: .now) < least {
    if holds() { return }
    await Task.yield()
    turns += 1
    if turns == nextLook {
      if otherThreadsRest() { return }
      nextLook += min(turns, 1_000)
    }
  }
}

extension ManualClock {
  /// Jumps as soon as the program is at rest: see ``rest(unless:)``.
  public func jumpAtRest(by duration: Duration) async {
    await rest()
    jump(by: duration)
  }
}

/// Returns whether every other thread of the process slept, and none ran between two looks at all of them.
private func otherThreadsRest() -> Bool {
  #if os(Linux)
  guard let before = switchesOfSleepers() else { return false }
  return before == switchesOfSleepers()
  #else
  return false
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
