#if os(Linux) || os(macOS)
import EventBus
import LaunchLoader
import Synchronization

/// An application that prints its states, and ends as its argument says.
///
/// `plain` stops when asked, `stubborn` when cancelled, `abandoned` never; `launching` has launch work
/// that does not end by itself; `orphan` ends with its parent process; `optioned` has launch
/// options without an environment; `reloading` has a reload that does not end; `blocked` blocks
/// every thread of the concurrency runtime; `keeper` keeps the handlers of its signals during the
/// run and restores them after it; `full` prints and runs without end; `saving` saves when asked, until a line
/// comes; `taken` and `ignoring` handle SIGTERM otherwise while they start; `variables` and `keeping`
/// print what a program that they start would inherit from the service manager. After its run it
/// repeats lines until there are no more.
///
/// Its clock passes a second whenever it is read, so that no two signals count as the same; for
/// `saving`, it stands still.
@main
enum Fixture {
  static func main() async throws {
    let kind = CommandLine.arguments.dropFirst().first ?? "plain"
    var configuration = AppHost.Configuration()
    configuration.endsWithParent = kind == "orphan"
    configuration.clock = SteppingClock(step: kind == "saving" ? .zero : .seconds(1))
    if kind == "optioned" { configuration.launchOptions = LaunchOptions(arguments: ["fixture"]) }
    configuration.keepsNotifySocket = kind == "keeping"
    if kind == "full" { (configuration.stopTimeout, configuration.cancelTimeout) = (nil, nil) }
    // Signals of different kinds never become one.
    configuration.signals[.user1] = .shutdown
    let app = AppHost(
      bus: EventBus(),
      loader: LaunchLoader(),
      configuration: configuration
    )
    let tokens = [
      app.bus.observe(.appStateDidChange) { say("\($0)") },
      app.bus.observe(.appShouldReload) { say("reloaded") },
    ]
    let sizes = UnixSignal.stream(.windowChanged)
    let resizes = Task { for await _ in sizes { say("resized") } }
    defer { resizes.cancel() }
    let reloads = app.bus.observe(.appShouldReload) { () async in
      guard kind == "reloading" else { return }
      say("begins")
      await Task.detached { await untilCancelled() }.value
    }
    let kept = Mutex(KeptHandlers())
    if kind == "launching" {
      app.loader.register("work") { _ in
        say("working")
        await untilCancelled()
        try Task.checkCancellation()
      }
    }
    try app.add("server") { context in
      context.onShutdown { say("asked") }
      context.markReady()
      kept.withLock { $0.keep() }
      switch kind {
      case "full":
        Task.detached { while true { print(String(repeating: "x", count: 1_000)) } }
        // The run does not end: a signal that arrives while one ends is dropped.
        await Task.detached { await untilCancelled() }.value
      case "stubborn": await untilCancelled()
      case "blocked":
        for _ in 0..<64 { Task.detached { block() } }
        block()
      case "saving":
        try await context.waitUntilShutdown()
        say("saving")
        await Task.detached { _ = readLine() }.value
        say(Task.isCancelled ? "cut short" : "saved")
      case "taken":
        signal(SIGTERM) { _ in say("taken") }
        try await context.waitUntilShutdown()
      case "ignoring":
        signal(SIGTERM, SIG_IGN)
        try await context.waitUntilShutdown()
      case "variables", "keeping":
        let variables = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]
        say(variables.map(value(of:)).joined(separator: ", "))
        try await context.waitUntilShutdown()
      case "abandoned": await Task.detached { await untilCancelled() }.value
      default: try await context.waitUntilShutdown()
      }
    }
    do {
      say("ended with \(try await app.run())")
    } catch {
      say("failed: \(error)")
    }
    if kind == "keeper" {
      kept.withLock { $0.putBack() }
      say("put back")
    }
    while let line = readLine() { say(line) }
    withExtendedLifetime((tokens, reloads)) {}
  }

  /// The value of a variable that a program started now would inherit.
  private static func value(of variable: String) -> String {
    LaunchOptions.current.environment[variable] ?? "none"
  }

  /// Keeps the thread for ever.
  private static func block() {
    say("blocks")
    while true { sleep(1_000) }
  }

  /// Waits for ever; a cancellation ends the wait.
  private static func untilCancelled() async {
    let (nothing, end) = AsyncStream<Never>.makeStream()
    for await _ in nothing {}
    withExtendedLifetime(end) {}
    say("cancelled")
  }
}

/// A clock that passes a step whenever it is read; sleeps on it do not end by themselves.
struct SteppingClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Duration.zero
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private final class Steps: Sendable { let count = Atomic(0) }

  let step: Duration
  private let steps = Steps()

  init(step: Duration) { self.step = step }

  var now: Instant {
    Instant(offset: step * steps.count.add(1, ordering: .relaxed).newValue)
  }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let (nothing, end) = AsyncStream<Never>.makeStream()
    for await _ in nothing {}
    withExtendedLifetime(end) {}
    throw CancellationError()
  }
}

/// The handlers of the signals that end a program, as `system(3)` keeps them.
struct KeptHandlers {
  private var handlers: [Int32: sigaction] = [:]

  mutating func keep() {
    for number in [SIGTERM, SIGINT] {
      var handler = sigaction()
      _ = unsafe sigaction(number, nil, &handler)  // Reason: outlives the call.
      handlers[number] = handler
    }
  }

  func putBack() {
    for (number, handler) in handlers {
      var handler = handler
      _ = unsafe sigaction(number, &handler, nil)  // Reason: outlives the call.
    }
  }
}

/// Writes a line at once and whole, from any thread.
func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = unsafe write(1, bytes, bytes.count)  // Reason: within the bytes.
}
#else
/// Nothing elsewhere: the tests that start it are for Linux and macOS.
@main enum Fixture {
  static func main() {}
}
#endif
