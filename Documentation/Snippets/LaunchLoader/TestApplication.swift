// An application under test: its own bus and loader, a replaced value, a manual clock, a signal.

import EventBus
import EventBusTesting
import LaunchLoader
import Testing

protocol Store: Sendable {
  func save(_ text: String) async
}

extension LaunchKeys {
  static let store = LaunchKey<any Store>("store")
}

struct Autosave: AppService {
  let clock: any Clock<Duration>

  func run(_ context: AppServiceContext) async throws {
    let store = try await context.value(of: .store)
    context.markReady()
    let minute = Duration.seconds(60)
    while try await context.unlessShuttingDown({ try await clock.sleep(for: minute) }) != nil {
      await store.save("draft")
    }
    await store.save("final")
  }
}

func makeApplication(
  bus: EventBus = .default,
  loader: LaunchLoader = .shared,
  configuration: AppHost.Configuration = AppHost.Configuration()
) throws -> AppHost {
  let app = AppHost(bus: bus, loader: loader, configuration: configuration)
  try app.add(Autosave(clock: configuration.clock))
  return app
}

actor FakeStore: Store {
  private(set) var saved: [String] = []
  func save(_ text: String) { saved.append(text) }
}

@Suite("Autosave", .serialized) struct AutosaveTests {
  let clock = ManualClock()
  let store = FakeStore()

  @Test("A draft is saved every minute, and the final text at the end")
  func saves() async throws {
    let loader = LaunchLoader(clock: clock)
    loader.register(.store) { [store] _ in store }  // instead of the program's own
    var configuration = AppHost.Configuration(clock: clock)
    configuration.launchOptions = LaunchOptions(arguments: ["program", "--verbose"])
    configuration.onMessage = { message in Issue.record("\(message)") }
    let bus = EventBus(label: "test")
    let recorder = EventRecorder(bus)

    let app = try makeApplication(bus: bus, loader: loader, configuration: configuration)
    let running = Task { try await app.run() }
    try await recorder.wait(for: .didBecomeActive, within: .seconds(5))

    await clock.waitForSleepers(atLeast: 1)  // the service sleeps
    await clock.advance(by: .seconds(60))
    UnixSignal.inject(.terminate)  // as if SIGTERM had arrived; or app.shutdown()
    let code = try await running.value
    let saved = await store.saved
    #expect(code == 0)
    #expect(saved == ["draft", "final"])
  }
}

extension AutosaveTests {
  @Test("A service that stops at once saves the final text")
  func stopsAtOnce() async throws {
    let values = LaunchLoader()
    values.register(.store) { [store] _ in store }
    try await values.launch()

    let services = AppServiceGroup("test", clock: clock)
    try services.add(Autosave(clock: clock), options: AppServiceOptions(reportsReadiness: true))
    try services.start(loader: values)
    try await services.waitUntilReady()
    services.shutdown()
    try await services.waitUntilStopped()
    let saved = await store.saved
    #expect(saved == ["final"])
  }
}

// snippet.hide
let (first, second) = (AutosaveTests(), AutosaveTests())
try await first.saves()
try await second.stopsAtOnce()
let (ofFirst, ofSecond) = (await first.store.saved, await second.store.saved)
precondition(ofFirst == ["draft", "final"] && ofSecond == ["final"])
