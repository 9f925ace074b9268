#if canImport(Glibc)
import EventBus
import Glibc
import LaunchLoader

/// An application that says its states, and behaves at its end as its argument tells.
///
/// `plain` stops when it is asked, `stubborn` when it is cancelled, `stuck` never; `launching` has launch
/// work that does not end by itself; `orphan` ends with the process that started it. When it has run, it
/// reads lines until there are no more.
@main
enum Fixture {
  static func main() async throws {
    let kind = CommandLine.arguments.dropFirst().first ?? "plain"
    var configuration = Application.Configuration()
    configuration.endsWithParent = kind == "orphan"
    let app = Application(
      bus: EventBus(),
      loader: LaunchLoader(),
      configuration: configuration
    )
    let tokens = [
      app.bus.observe(.stateDidChange) { say("\($0)") },
      app.bus.observe(.shouldReload) { say("reloaded") },
      app.bus.observe(.terminalDidResize) { say("resized") },
    ]
    if kind == "launching" {
      app.loader.register("work") { _ in
        say("working")
        await untilCancelled()
        try Task.checkCancellation()
      }
    }
    try app.add("server") { context in
      context.onShutdown { say("asked") }
      context.ready()
      switch kind {
      case "stubborn": await untilCancelled()
      case "stuck": await Task.detached { await untilCancelled() }.value
      default: try await context.untilShutdown()
      }
    }
    do {
      say("ended with \(try await app.run())")
    } catch {
      say("failed: \(error)")
    }
    while readLine() != nil {}
    withExtendedLifetime(tokens) {}
  }

  /// Waits for what never comes; a cancellation ends that.
  private static func untilCancelled() async {
    let (nothing, end) = AsyncStream<Never>.makeStream()
    for await _ in nothing {}
    withExtendedLifetime(end) {}
    say("cancelled")
  }
}

/// Writes a line at once and whole, from any thread.
func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = unsafe write(1, bytes, bytes.count)  // Reason: within the bytes.
}
#endif
