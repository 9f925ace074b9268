import EventBus
import LaunchLoader
import Theming

/// The service that posts, with its observers.
struct Mailbox: Service {
  let name = "mailbox"
  let bus: EventBus
  let scene: Options.Scene

  func run(_ context: ServiceContext) async throws {
    let tokens = TokenBag()
    let parts: [AnyObject] =
      scene == .quiet
      ? [] : [SearchIndex(bus, fails: scene == .fail), await Window(bus, tokens), Synchronizer(bus)]
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
    let manager = await ThemeManager(Mail.skins[0], bus: bus)
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
      if round % 12 == 3 { try await manager.use(Mail.skins[round / 12 % 3]) }
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

/// Indexes messages on its own actor: its handler is queued there.
actor SearchIndex {
  private let bus: EventBus
  private let fails: Bool
  private var count = 0

  init(_ bus: EventBus, fails: Bool) {
    (self.bus, self.fails) = (bus, fails)
    bus.observe(.mailArrived, owner: self) { index, message in try index.add(message) }
  }

  private func add(_ message: Message) throws {
    count += 1
    if fails, message.number % 4 == 0 {
      throw MailError(text: "message \(message.number) has no valid encoding")
    }
    if message.number % 10 == 0 { work(for: .milliseconds(24)) }
    bus.post(.mailIndexed, count)
  }
}

/// Shows messages on the main actor.
@MainActor
final class Window {
  private var unread = 0

  init(_ bus: EventBus, _ tokens: TokenBag) {
    bus.observe(.mailArrived, owner: self) { window, _ in
      window.unread += 1
      bus.enqueue(.unreadChanged, window.unread, coalescing: .name)
    }
    bus.observe(.unreadChanged, owner: self) { _, count in
      if count % 3 == 0 { work(for: .milliseconds(4)) }
    }
    bus.observe(.cursorMoved, owner: self) { _, _ in work(for: .microseconds(300)) }
    bus.observe(.mailArrived, owner: self, where: { $0.subject.isEmpty }) { _, _ in }
    bus.observe(.mailIndexed) { _ in }.store(in: tokens)
  }
}

/// Talks to a server: its handler is asynchronous and slow.
actor Synchronizer {
  init(_ bus: EventBus) {
    bus.observe(.syncWanted, owner: self) { _, _ in
      try await Task.sleep(for: .milliseconds(220))
    }
    bus.observe(.connectionLost, owner: self) { _, _ in
      bus.post(.syncWanted)
    }
  }
}

/// Keeps a thread busy.
private func work(for duration: Duration) {
  let end = ContinuousClock.now + duration
  while ContinuousClock.now < end {}
}
