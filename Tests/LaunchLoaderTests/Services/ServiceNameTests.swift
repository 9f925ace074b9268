import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Names of services", .timeLimit(.minutes(5)))
struct ServiceNameTests {
  /// A service with a name of another meaning, which is not that of the service.
  struct Poller: AppService {
    var name = "default"

    func run(_ context: AppServiceContext) async throws {
      context.markReady()
      try await context.waitUntilShutdown()
    }
  }

  /// A service whose type has a name for it.
  final class Queue: AppService {
    let serviceName = "queue"

    func run(_ context: AppServiceContext) async throws { try await context.waitUntilShutdown() }
  }

  let stage = Stage()

  private var names: [String] { stage.app.services.map(\.name) }

  @Test("A service is called after its type, its own name, or the name that it is added under")
  func forms() throws {
    try stage.app.add(Poller())
    try stage.app.add(Queue())
    try stage.app.add(Poller(), named: "orders", options: AppServiceOptions(after: ["Poller"]))
    try stage.app.add(AppServiceGroup("storage"))
    try stage.app.add(AppServiceGroup("storage"), named: "archive")
    #expect(names == ["Poller", "queue", "orders", "storage", "archive"])
  }

  @Test("Services that are added without a name get numbers, and each runs")
  func numbers() async throws {
    try stage.add("Poller 3")
    for _ in 0..<4 { try stage.app.add(Poller()) }
    for _ in 0..<2 { try stage.app.add(Queue()) }
    #expect(
      names
        == ["Poller 3", "Poller", "Poller 2", "Poller 4", "Poller 5", "queue", "queue 2"]
    )
    let running = try await stage.startUntilActive()
    try stage.app.add(Poller())
    #expect(names.last == "Poller 6")
    #expect(try await stage.stop(running) == 0)
  }

  @Test("A name that is given twice is refused: with named:, of a closure, and of a group")
  func explicitDuplicates() throws {
    let app = stage.app
    try app.add(Poller())
    let group = AppServiceGroup("storage")
    try app.add(group)
    let kinds = [
      serviceErrorKind { () throws(AppServiceError) in try app.add(Poller(), named: "Poller") },
      serviceErrorKind { () throws(AppServiceError) in try app.add("Poller") { _ in } },
      serviceErrorKind { () throws(AppServiceError) in try app.add(AppServiceGroup("storage")) },
      serviceErrorKind { () throws(AppServiceError) in try app.add(group, named: "storage") },
    ]
    #expect(kinds == ["duplicate", "duplicate", "duplicate", "duplicate"])
    let error = #expect(throws: AppServiceError.self) { try app.add(Poller(), named: "Poller") }
    #expect(error?.description.contains("named:") == true)
  }

  @Test("A group numbers and names its services like an application, before and during its run")
  func inGroup() async throws {
    let changes = Log<String>()
    let token = stage.bus.observe(.appServiceStateDidChange) { change in
      if change.state == .starting { changes.append(change.service) }
    }
    let group = AppServiceGroup("storage")
    try group.add(Poller())
    try group.add(Poller())
    try group.add(Poller(), named: "orders")
    #expect(
      serviceErrorKind { () throws(AppServiceError) in try group.add(Poller(), named: "orders") }
        == "duplicate"
    )
    try stage.app.add(group, named: "disk", options: AppServiceOptions(reportsReadiness: true))
    let running = try await stage.startUntilActive()
    try group.add(Poller())
    #expect(try await stage.stop(running) == 0)
    let started = changes.entries.prefix(4)
    #expect(started == ["disk", "disk/Poller", "disk/Poller 2", "disk/orders"])
    token.cancel()
  }

  @Test("A ServiceRun uses the given name in messages and errors")
  func alone() async throws {
    let messages = Inbox<String>()
    let run = try LoneService(
      ClosureService { context in
        context.markReady()
        await ManualLatch().wait()
      },
      named: "orders",
      clock: ManualClock()
    ) { messages.append($0.description) }
    try await run.waitUntilReady()
    run.cancel()
    try await run.wait()
    #expect(messages.entries == ["Service \"orders\" is cancelled."])
  }

  @Test("An unknown name in after: gets a suggestion, before and during the run")
  func suggestions() async throws {
    let app = stage.app
    try stage.add("database")
    try stage.add("web", after: ["databse"])
    let failing = await #expect(throws: AppHostError.self) { try await app.run() }
    let error = try #require(failing?.errors.first as? AppServiceError)
    #expect(error.suggestion == "database")
    #expect(
      error.description
        == "Service \"web\" starts after \"databse\", which does not exist. Did you mean"
        + " \"database\"? Otherwise, add that service, or remove the name from its `after`."
    )
    let other = Stage()
    try other.add("database")
    let running = other.start()
    try await other.app.waitUntil(state: .active)
    let late = #expect(throws: AppServiceError.self) {
      try other.app.add("wbe", options: AppServiceOptions(after: ["Database2"])) { _ in }
    }
    #expect(late?.suggestion == "database")
    let far = #expect(throws: AppServiceError.self) {
      try other.app.add("wbe", options: AppServiceOptions(after: ["web"])) { _ in }
    }
    // Not itself.
    #expect(far?.suggestion == nil)
    other.app.shutdown()
    #expect(try await running.value == 0)
  }
}
