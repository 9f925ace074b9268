import EventBus
import LaunchLoader
import Theming

/// The service that posts, with its observers.
struct Mailbox: AppService {
  let serviceName = "mailbox"
  let bus: EventBus
  let scene: Options.Scene

  func run(_ context: AppServiceContext) async throws {
    let tokens = TokenBag()
    let parts: [AnyObject] =
      scene == .quiet
      ? []
      : [
        SearchIndex(bus, fails: scene == .fail), await Window(bus, tokens), Synchronizer(bus),
      ]
    try await context.cancelOnShutdown {
      switch scene {
      case .quiet: try await Task.sleep(for: .seconds(3600))
      case .busy: try await postManyEvents()
      case .usual, .leak, .fail: try await postSteadily(tokens)
      }
    }
    withExtendedLifetime((parts, tokens)) {}
  }

  /// About twenty posts a second.
  private func postSteadily(_ tokens: TokenBag) async throws {
    let manager = await ThemeManager(Mail.themes[0], bus: bus)
    var round = 0
    while true {
      round += 1
      let subjects = ["Lunch?", "Invoice 2041", "Re: </script>", "Photos", "Minutes of Tuesday"]
      bus.post(.mailArrived, Message(number: round, subject: subjects[round % subjects.count]))
      if scene == .leak { register(tokens) }
      try await Task.sleep(for: .milliseconds(70))
      for step in 0..<4 {
        await bus.post(.cursorMoved, round * 4 + step, isolation: MainActor.shared)
        try await Task.sleep(for: .milliseconds(20))
      }
      if round % 6 == 0 { bus.post(.syncWanted) }
      if round % 17 == 5 { bus.post(.connectionLost, "the server closed the connection") }
      if round % 12 == 3 { try await manager.use(Mail.themes[(round / 12 + 1) % 3]) }
      try await Task.sleep(for: .milliseconds(60))
    }
  }

  /// The leak: each message adds an observer that nothing ends.
  private func register(_ tokens: TokenBag) {
    bus.observe(.unreadChanged) { _ in }.store(in: tokens)
  }

  /// Fills the recording, then goes on slowly.
  private func postManyEvents() async throws {
    for number in 0..<20_000 {
      bus.post(.mailArrived, Message(number: number, subject: "message \(number)"))
      if number % 50 == 0 { try await Task.sleep(for: .milliseconds(2)) }
    }
    var number = 0
    while true {
      number += 1
      bus.post(.mailArrived, Message(number: number, subject: "late message \(number)"))
      await bus.post(.cursorMoved, number, isolation: MainActor.shared)
      try await Task.sleep(for: .milliseconds(100))
    }
  }
}
