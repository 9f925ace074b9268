import EventBus
import LaunchLoader
import TestSupport

extension EdgeKind {
  /// Launch work, and closures for the shutdown of a service.
  static let ofLaunchesAndServices = [launchWork, asynchronousLaunchWork, shutdownClosure]

  private static let launch: [EdgeRow: String] = [
    .counted: "Nothing tells the number of its registrations.",
    .active: "Its outcome is open until its call has returned.",
    .excluded: "Only a post can leave out a registration.",
  ]

  private static let launchWork = EdgeKind(
    "launch",
    calls: .once,
    traits: [.hasTokenOfItsOwn, .cannotPause, .canThrow],
    excluding: launch
  ) { handler in
    let loader = LaunchLoader()
    return EdgeSubject(loader, loader.register { _ in try handler.call() })
  }

  private static let asynchronousLaunchWork = EdgeKind(
    "asynchronous launch",
    calls: .once,
    traits: [.hasTokenOfItsOwn, .cannotPause, .canThrow, .isAsync, .isQueued],
    excluding: launch
  ) { handler in
    let loader = LaunchLoader()
    let token = loader.register { _ in
      try handler.call()
      await handler.suspend()
    }
    return EdgeSubject(loader, token)
  }

  private static let shutdownClosure = EdgeKind(
    "service",
    calls: .once,
    traits: [.isKept, .cannotPause, .isQueued],
    excluding: [
      .counted: "Nothing tells the number of its registrations.",
      .excluded: "Only a post can leave out a registration.",
      .waitedDuringCall:
        "It would block a thread of the concurrency runtime; ServiceBlockingTests do so in turn.",
    ]
  ) { handler in
    let contexts = Inbox<AppServiceContext>()
    let app = AppHost(
      bus: EventBus(),
      loader: LaunchLoader(),
      configuration: AppHost.Configuration(signals: [:], launchOptions: LaunchOptions())
    )
    do {
      try app.add("service") { context in
        contexts.append(context)
        try await context.waitUntilShutdown()
      }
    } catch { assertionFailure("The first service is refused: \(error)") }
    let running = Task { try await app.run() }
    let context = await contexts.first(1)[0]
    let token = context.onShutdown { handler.callSafely() }
    let subject = EdgeSubject(
      token,
      fire: {
        app.shutdown()
        _ = await running.result
      },
      poke: { app.shutdown() }
    )
    subject.register = { context.onShutdown {} }
    return subject
  }
}

extension EdgeSubject {
  fileprivate convenience init(_ loader: LaunchLoader, _ token: LaunchRegistration) {
    let bus = EventBus()
    let attachment = loader.attach(to: bus)
    self.init(
      nil,
      fire: {
        bus.post(.didFinishLaunching, LaunchOptions())
        _ = try? await loader.launch()  // Reason: ended by the policy, it never throws.
        withExtendedLifetime(attachment) {}
      },
      poke: { bus.post(.didFinishLaunching, LaunchOptions()) }
    )
    end = { token.cancel() }
    isThere = { token.outcome == nil }
    // Reason: thrown where it waits for itself.
    wait = { _ = try? await token.waitUntilFinished() }
    register = {
      let token = loader.register { _ in }
      return Token { token.cancel() }
    }
  }
}
