#if os(Linux)

/// The threads of this program, as the system sees them.
enum Threads {
  /// Waits until every thread but the first sleeps at one moment: one that spins never does.
  static func untilOthersSleep() {
    while !othersSleep { sched_yield() }
  }

  private static var othersSleep: Bool {
    guard let folder = unsafe opendir("/proc/self/task") else { return false }  // Reason: text.
    defer { unsafe closedir(folder) }  // Reason: opened above.
    while let entry = unsafe readdir(folder) {  // Reason: until the end.
      var bytes = unsafe entry.pointee.d_name  // Reason: a copy.
      let name = unsafe withUnsafeBytes(of: &bytes) { bytes in  // Reason: within the call.
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)  // Reason: a copy.
      }
      guard let thread = Int32(name), thread != getpid() else { continue }
      if !isAsleep(thread) { return false }
    }
    return true
  }

  private static func isAsleep(_ thread: Int32) -> Bool {
    let file = unsafe open("/proc/self/task/\(thread)/stat", O_RDONLY)  // Reason: a string.
    guard file >= 0 else { return true }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = unsafe read(file, &bytes, bytes.count)  // Reason: room for them.
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    // The state follows the name, which is in parentheses.
    return text.split(separator: ")").last?.hasPrefix(" S") ?? false
  }
}
#endif
