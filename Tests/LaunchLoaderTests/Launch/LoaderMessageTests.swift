import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

@Suite("Messages of a loader", .timeLimit(.minutes(5)))
struct LoaderMessageTests {
  private let clock = TestClock()
  private let messages = Inbox<AppHostMessage>()

  private func isEntered(_ loader: LaunchLoader) -> Bool {
    loader.enter { [messages] in messages.append($0) }
  }

  @Test("A host that starts to run receives earlier refusals, and then later ones at once")
  func refusals() async throws {
    let loader = LaunchLoader()
    for _ in 0..<2 { loader.register("named") { _ in } }
    #expect(isEntered(loader))
    #expect(messages.entries.count == 1)
    loader.register("named") { _ in }
    #expect(messages.entries.count == 2)
    for message in messages.entries {
      #expect(message.workers == ["named"])
      #expect(message.state == .ended)
    }
    #expect(!isEntered(loader))
    try await loader.launch()
    #expect(messages.entries.count == 2)
  }

  @Test("Work registered after the launch that cannot run is named with the reason")
  func late() async throws {
    let loader = LaunchLoader()
    loader.register(LaunchKey<Int>("number")) { _ in 1 }
    try await loader.launch()
    #expect(isEntered(loader))
    let tokens = [
      loader.register("needy", after: ["absent"]) { _ in },
      loader.register("mistaken", needs: LaunchKey<String>("number")) { _, _ in },
    ]
    #expect(messages.entries.count == 2)
    for (message, token) in zip(messages.entries, tokens) {
      #expect("\(message)".contains("\(token.site)"))
    }
    #expect("\(messages.entries[0])".contains("it needs \"absent\", which is not registered"))
    #expect("\(messages.entries[1])".contains("needs one of type String"))
  }

  @Test(
    "An awaited value is named after 5 s, then every 10 s, until the launch or the last wait ends"
  )
  func values() async throws {
    let loader = LaunchLoader(clock: clock)
    #expect(isEntered(loader))
    let registered = LaunchKey<Int>("registered")
    loader.register(registered) { _ in 1 }
    var waits: [Task<Int, any Error>] = []
    for key in [registered, registered, LaunchKey<Int>("absent")] {
      waits.append(Task { try await loader.value(of: key) })
      await rest()
    }
    await clock.jumpAtRest(by: .seconds(4))
    await rest()
    #expect(messages.entries.isEmpty)
    await clock.jumpAtRest(by: .seconds(1))
    await rest()
    #expect(Set(messages.entries.map(\.workers)) == [["registered"], ["absent"]])
    #expect(messages.entries.allSatisfy { $0.elapsed == .seconds(5) && $0.state == .starting })
    // The second caller still waits for the value.
    for wait in [waits[0], waits[2]] { wait.cancel() }
    await rest()
    #expect(clock.sleeperCount == 1)
    await clock.jumpAtRest(by: .seconds(25))
    await rest()
    #expect(messages.entries.count == 3)
    #expect(messages.entries.last?.elapsed == .seconds(25))
    #expect(
      messages.entries.last?.description.hasPrefix(
        "Still waiting, after 25 s, for launch value \"registered\": no launch has begun"
      ) == true
    )
    try await loader.launch()
    #expect(try await waits[1].value == 1)
    await rest()
    #expect(clock.sleeperCount == 0)
  }

  @Test(
    "A value that is awaited during the launch, exists already, or can never exist is not named"
  )
  func otherValues() async throws {
    let loader = LaunchLoader(clock: clock)
    #expect(isEntered(loader))
    let (slow, quick) = (LaunchKey<Int>("slow"), LaunchKey<Int>("quick"))
    let mayEnd = ManualLatch()
    loader.register(slow) { _ async in
      await mayEnd.wait()
      return 1
    }
    loader.register(quick) { _ in 2 }
    let launching = Task { try await loader.launch() }
    let waits = [slow, quick].map { key in Task { try await loader.value(of: key) } }
    await rest()
    #expect(clock.sleeperCount == 0)
    mayEnd.open()
    _ = try await launching.value
    for wait in waits { _ = try await wait.value }
    let stopped = LaunchLoader(clock: clock)
    let waiting = Task { try await stopped.value(of: slow) }
    await clock.waitForSleepers(atLeast: 1)
    stopped.stop()
    await #expect(throws: LaunchError.self) { try await waiting.value }
    await rest()
    #expect(clock.sleeperCount == 0)
    #expect(messages.entries.isEmpty)
  }

  @Test("A host that was created with the loader receives the messages from before it runs")
  func applicationBeforeItsRun() async throws {
    let loader = LaunchLoader()
    var app: AppHost? = AppHost(
      bus: EventBus(),
      loader: loader,
      configuration: AppHost.Configuration(
        clock: clock,
        signals: [:],
        onMessage: { [messages] in messages.append($0) }
      )
    )
    let waiting = Task { try await loader.value(of: LaunchKey<Int>("absent")) }
    await clock.waitForSleepers(atLeast: 1)
    await clock.jumpAtRest(by: .seconds(5))
    #expect(await messages.first(1).first?.workers == ["absent"])
    weak let released = app
    app = nil
    #expect(released == nil)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }

  @Test(
    "Of services that wait for one value, the next one gets the message when the first no longer waits"
  )
  func nextAudience() async throws {
    let loader = LaunchLoader(clock: clock)
    let (first, second) = (Inbox<AppHostMessage>(), Inbox<AppHostMessage>())
    func run(_ audience: Inbox<AppHostMessage>, _ isEntered: ManualLatch) throws -> LoneService {
      let service = ClosureService { context in
        isEntered.open()
        _ = try await context.value(of: LaunchKey<Int>("absent"))
      }
      return try LoneService(service, loader: loader, clock: clock) { audience.append($0) }
    }
    var runs: [LoneService] = []
    for audience in [first, second] {
      let isEntered = ManualLatch()
      runs.append(try run(audience, isEntered))
      await isEntered.wait()
      await rest()
    }
    runs[0].cancel()
    await rest()
    await clock.jumpAtRest(by: .seconds(5))
    await rest()
    let isAbout = { (message: AppHostMessage) in message.workers == ["absent"] }
    #expect(second.entries.filter(isAbout).map(\.elapsed) == [.seconds(5)])
    #expect(first.entries.filter(isAbout).isEmpty)
    runs[1].cancel()
    for run in runs { _ = try? await run.wait() }
  }

  @Test("A service alone reports on its own clock that it waits for a value of no launch")
  func serviceAlone() async throws {
    let group = AppServiceGroup("group")
    try group.add("reads") { _ = try await $0.value(of: LaunchKey<Int>("absent")) }
    let run = try LoneService(group, loader: LaunchLoader(), clock: clock) { [messages] in
      messages.append($0)
    }
    await clock.waitForSleepers(atLeast: 1)
    await clock.jumpAtRest(by: .seconds(5))
    let message = await messages.first(1)[0]
    #expect(message.description.hasPrefix("Still waiting, after 5 s, for launch value \"absent\""))
    run.cancel()
    _ = try? await run.wait()
    #expect(messages.entries.count { $0.workers == ["absent"] } == 1)
  }
}
