import Checklist
import EventBus
import LaunchLoader
import Synchronization

extension EventNames {
  /// A message arrived.
  static let mailDidArrive = EventName<Message>("mail.didArrive")
}

/// The story of a bus whose handlers end with their owners, and of two services, one of which hangs.
///
/// Each step is a line of Swift, or a few, and what they did. The bus, the loader and the application belong to the
/// story, so that it can run beside the application of the program.
@MainActor
final class EventStory {
  /// A part of the story.
  enum Part: Sendable, Equatable {
    /// The lines of Swift that run next.
    case code([String])
    /// Something that they did: a claim, the actual result and the expected one.
    case effect(String, found: String, expected: String)
  }

  private let pause: () async -> Void
  private let show: (Part) -> Void
  private let bus = EventBus(label: "mail")
  private let badge = Badge()
  /// The only strong reference to the window.
  private var window: Window? = Window()
  private let server = SilentServer()

  /// Creates a story.
  ///
  /// - Parameters:
  ///   - pause: Called before each step, which begins when it has returned.
  ///   - show: Called with each part as soon as it is known.
  init(pausing pause: @escaping () async -> Void, showing show: @escaping (Part) -> Void) {
    (self.pause, self.show) = (pause, show)
  }

  /// Prints the whole story, and checks each line.
  ///
  /// - Returns: The exit status: 0 if every line is true.
  static func tell() async -> Int32 {
    print("skins events: handlers end with their owners, and a service that hangs is named")
    var checklist = Checklist()
    let story = EventStory(pausing: {}) { part in
      switch part {
      case .code(let lines): print("\n" + lines.map { "      \($0)" }.joined(separator: "\n"))
      case .effect(let claim, let found, let expected):
        print(checklist.line(claim, found, is: expected))
      }
    }
    await story.run()
    print("\n\(checklist.summary)")
    return checklist.exitStatus
  }

  /// Runs the story to its end.
  func run() async {
    await runEvents()
    await runServices()
  }

  /// Shows that a handler belongs to an owner, and ends with it.
  private func runEvents() async {
    await step("let bus = EventBus(label: \"mail\")")
    effect("A bus with a name", "\(bus.label), \(handlers)", is: "mail, no handlers")

    await step(
      "bus.observe(.mailDidArrive, owner: badge) { badge, _ in badge.unread += 1 }",
      "bus.observe(.mailDidArrive, owner: window) { view, mail in view.show(mail) }"
    )
    bus.observe(.mailDidArrive, owner: badge) { badge, _ in badge.unread += 1 }
    if let window {
      bus.observe(.mailDidArrive, owner: window) { view, mail in view.show(mail) }
    }
    effect(
      "Two objects on the main actor own a handler each",
      handlers,
      is: "handlers of Badge and Window"
    )

    await step("bus.post(.mailDidArrive, mail)")
    var count = bus.post(.mailDidArrive, Message.first[0])
    effect(
      "A post on the main actor calls both before it returns",
      "\(count) called, \(badge.unread) unread, the window shows \"\(window?.subject ?? "")\"",
      is: "2 called, 1 unread, the window shows \"Notes on the engine, part G\""
    )

    await step("window = nil", "bus.post(.mailDidArrive, mail)")
    window = nil
    count = bus.post(.mailDidArrive, Message.first[1])
    effect(
      "The window is gone, and with it its handler, which no line has unregistered",
      "\(count) called, \(badge.unread) unread, \(handlers)",
      is: "1 called, 2 unread, handlers of Badge"
    )
  }

  /// Shows that services start and stop in order, and that one that does not stop is named.
  private func runServices() async {
    await step(
      "let limits = AppHost.Configuration(cancelTimeout: .seconds(1), …)",
      "let app = AppHost(bus: bus, loader: loader, configuration: limits)",
      "try app.add(\"database\") { try await $0.waitUntilShutdown() }",
      "try app.add(\"sync\", after: [\"database\"], stopTimeout: .seconds(1)) { _ in",
      "  await server.reply()  // It never comes; the wait ignores cancellation.",
      "}"
    )
    let messages = AsyncStream<AppHostMessage>.makeStream()
    let app = makeApp(messages.continuation)
    do {
      try app.add("database") { try await $0.waitUntilShutdown() }
      try app.add("sync", after: ["database"], stopTimeout: .seconds(1)) { [server] _ in
        await server.reply()
      }
    } catch {
      effect("Services are added", "\(error)", is: "no error")
    }
    let services = app.services.map { ([$0.name] + $0.dependencies).joined(separator: " after ") }
    effect(
      "Two services, the second of which starts after the first",
      services.joined(separator: ", "),
      is: "database, sync after database"
    )

    await step("let run = Task { try await app.run() }")
    let changes = AsyncStream<AppServiceStateChange>.makeStream()
    let token = bus.observe(.appServiceStateDidChange) { changes.continuation.yield($0) }
    let run = Task {
      defer {
        messages.continuation.finish()
        changes.continuation.finish()
      }
      return try await app.run()
    }
    effect(
      "They start in this order, and the bus reports it",
      await list(changes.stream, to: "sync", .ready),
      is: "database starting, database ready, sync starting, sync ready"
    )

    await step("app.shutdown()")
    app.shutdown()
    effect(
      "They stop in the opposite order; sync ignores the request for 1 s",
      await text(messages.stream),
      is: "Service \"sync\" is cancelled: it did not stop within 1 s."
    )
    effect(
      "It ignores its cancellation for another second",
      await text(messages.stream),
      is: "Service \"sync\" did not stop: it ignored cancellation for 1 s and was abandoned."
    )
    effect(
      "The database stops last, in order",
      await list(changes.stream, to: "database", .ended),
      is: "sync stopping, sync cancelled, sync abandoned, database stopping, database ended"
    )

    await step("do { _ = try await run.value } catch { print(error) }")
    effect(
      "The program ends with an error that names the service",
      await complaint(of: run),
      is:
        "AppHost failed: Service \"sync\" did not stop: it ignored cancellation for 1 s and was abandoned."
    )
    token.cancel()
    // The abandoned service still waits.
    server.close()
  }

  /// Creates an application with short limits that leaves signals to that of the program.
  private func makeApp(_ messages: AsyncStream<AppHostMessage>.Continuation) -> AppHost {
    let limits = AppHost.Configuration(
      cancelTimeout: .seconds(1),
      signals: [:],
      onMessage: { messages.yield($0) }
    )
    let loader = LaunchLoader()
    return AppHost(bus: bus, loader: loader, configuration: limits)
  }

  /// Shows lines of Swift when the reader wants to go on.
  private func step(_ code: String...) async {
    await pause()
    show(.code(code))
  }

  private func effect(_ claim: String, _ found: String, is expected: String) {
    show(.effect(claim, found: found, expected: expected))
  }

  /// The handlers of the event, by their owners.
  private var handlers: String {
    let name = EventNames.mailDidArrive.name
    let living = bus.snapshot().observations.filter { $0.name == name && $0.isAlive }
    let owners = living.compactMap(\.ownerType)
    return owners.isEmpty ? "no handlers" : "handlers of \(owners.joined(separator: " and "))"
  }

  /// Returns the changes of services up to one, or up to the end of the run.
  private func list(
    _ changes: AsyncStream<AppServiceStateChange>,
    to service: String,
    _ state: AppServiceState
  ) async -> String {
    var list: [String] = []
    for await change in changes {
      list.append("\(change.service) \(change.state)")
      if change.service == service, change.state == state { break }
    }
    return list.joined(separator: ", ")
  }

  /// Returns the next message, or says that the run ended without one.
  private func text(_ messages: AsyncStream<AppHostMessage>) async -> String {
    for await message in messages { return message.description }
    return "no message"
  }

  /// Returns the error of a run.
  private func complaint(of run: Task<Int32, any Error>) async -> String {
    do {
      return "exit status \(try await run.value)"
    } catch {
      return "\(error)"
    }
  }
}

/// Counts messages.
@MainActor
private final class Badge {
  var unread = 0
}

/// Shows the last message.
@MainActor
private final class Window {
  private(set) var subject = ""

  func show(_ message: Message) { subject = message.subject }
}

/// A server that never replies, as one behind a lost connection.
private final class SilentServer: Sendable {
  private let waiting = Mutex<CheckedContinuation<Void, Never>?>(nil)

  /// Waits for a reply, even after a cancellation.
  func reply() async {
    await withCheckedContinuation { continuation in waiting.withLock { $0 = continuation } }
  }

  /// Ends the wait.
  func close() {
    let continuation = waiting.withLock { $0.take() }
    continuation?.resume()
  }
}
