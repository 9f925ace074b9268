#if os(Linux) || os(macOS)
import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

/// The signals that threads block, which the programs that they start inherit.
@Suite("Signals on the threads that call user code", .timeLimit(.minutes(5)))
struct MessageThreadTests {
  /// A write to a pipe without a reader must not end the program.
  private static let pipe = UnixSignal(rawValue: SIGPIPE)

  private static let asked: [UnixSignal] = [
    .terminate, .interrupt, .hangup, .quit, .user1, .user2, .terminalStop, .resume, pipe,
  ]

  /// The signals that the calling thread blocks, of some common ones.
  private static var blocked: [UnixSignal] {
    var mask = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)  // Reason: outlives the call.
    return asked.filter { signal in
      unsafe sigismember(&mask, signal.rawValue) == 1  // Reason: outlives the call.
    }
  }

  /// Blocks signals on the calling thread.
  private static func block(_ signals: [UnixSignal]) {
    var mask = sigset_t()
    unsafe sigemptyset(&mask)  // Reason: outlives the call.
    for signal in signals {
      unsafe sigaddset(&mask, signal.rawValue)  // Reason: outlives the call.
    }
    unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)  // Reason: outlives the call.
  }

  /// An application that notes what the threads block that call its hook, and observers of its services.
  private static func application(_ log: Inbox<[UnixSignal]>) -> AppHost {
    let configuration = AppHost.Configuration(
      signals: [:],
      onMessage: { _ in log.append(blocked) },
      launchOptions: LaunchOptions()
    )
    return AppHost(bus: EventBus(), loader: LaunchLoader(), configuration: configuration)
  }

  private func run(_ app: AppHost, _ log: Inbox<[UnixSignal]>) async throws -> [[UnixSignal]] {
    app.loader.register { _ in throw Broken() }
    let token = app.bus.observeFailures { _, _ in log.append(Self.blocked) }
    try app.add("a", options: AppServiceOptions(onThrow: .ignore)) { _ in throw Broken() }
    try app.add("b") { try await $0.waitUntilShutdown() }
    let running = Task { try await app.run() }
    let entries = await log.first(2)
    app.shutdown()
    _ = try await running.value
    token.cancel()
    return entries
  }

  @Test("Messages and changes of services come on threads that block no signal but SIGPIPE")
  func nothing() async throws {
    let log = Inbox<[UnixSignal]>()
    #expect(try await run(Self.application(log), log) == [[Self.pipe], [Self.pipe]])
    let messages = Inbox<[UnixSignal]>()
    let isEntered = ManualLatch()
    let service = ClosureService { _ in
      isEntered.open()
      await ManualLatch().wait()
    }
    let run = try LoneService(service, clock: TestClock()) { _ in messages.append(Self.blocked) }
    await isEntered.wait()
    run.cancel()
    #expect(await messages.first(1) == [[Self.pipe]])
    try await run.wait()
  }

  @Test("They block the signals that the program blocks where it creates the host, and no others")
  func someSignals() async throws {
    let log = Inbox<[UnixSignal]>()
    let app = blockedOnThread {
      Self.block([.user2, .quit])
      return Self.application(log)
    }
    #expect(try await run(app, log) == [[.quit, .user2, Self.pipe], [.quit, .user2, Self.pipe]])
    let all = Inbox<[UnixSignal]>()
    let other = blockedOnThread {
      Self.block(Self.asked + [UnixSignal(rawValue: SIGALRM), UnixSignal(rawValue: SIGCHLD)])
      return Self.application(all)
    }
    #expect(try await run(other, all) == [[Self.pipe], [Self.pipe]])
    // The threads of the concurrency runtime leave this one open: the program itself blocks everything.
    let everything = Inbox<[UnixSignal]>()
    let third = blockedOnThread {
      var mask = sigset_t()
      unsafe sigfillset(&mask)  // Reason: outlives the call.
      unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)  // Reason: outlives the call.
      return Self.application(everything)
    }
    #expect(try await run(third, everything) == [Self.asked, Self.asked])
  }
}
#endif
