#if os(Linux) || os(macOS)
import LaunchLoader

/// A program that listens to signals as instructed, line by line, and prints the signals it
/// receives.
///
/// With the argument `shell` it is the shell of another process of its kind, which follows the next
/// argument and reads nothing: with `job` it answers signals like an application, with `redirected`
/// the same with no input, with `slow` it answers Control-Z only after Control-C, and with `watch` it waits
/// until the shell has ended.
@main
enum Signals {
  static func main() async throws {
    let session = Session()
    switch CommandLine.arguments.dropFirst().first {
    case "shell":
      try MiniShell.run(CommandLine.arguments[0], CommandLine.arguments.dropFirst(2).first ?? "job")
    case "redirected":
      close(0)
      _ = unsafe open("/dev/null", O_RDONLY)  // Reason: a literal.
      await session.untilOrphaned("bridge")
    case "job": await session.untilOrphaned("bridge")
    case "slow": await session.untilOrphaned("bridge slow")
    case "watch": await session.untilOrphaned("watch")
    default: break
    }
    while let line = readLine() {
      await session.obey(line.split(separator: " ").map(String.init))
    }
    exit(0)
  }
}

/// Writes a line at once and whole, from any thread.
func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = unsafe write(1, bytes, bytes.count)  // Reason: within the bytes.
}
#else
/// Nothing elsewhere: the tests that start it are for Linux and macOS.
@main enum Signals {
  static func main() {}
}
#endif
