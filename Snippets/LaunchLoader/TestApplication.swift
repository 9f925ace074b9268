// An application under test: its own bus and loader, a replaced value, a manual clock, a signal.

import EventBus
import EventBusTesting
import LaunchLoader

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

let clock = ManualClock()
let bus = EventBus(label: "test")
let store = FakeStore()
let loader = LaunchLoader(clock: clock)
loader.register(.store) { _ in store }  // instead of the program's own

var configuration = AppHost.Configuration(clock: clock)
configuration.launchOptions = LaunchOptions(arguments: ["program", "--verbose"])
configuration.onMessage = { message in print(message) }

let recorder = EventRecorder(bus)
let app = try makeApplication(bus: bus, loader: loader, configuration: configuration)
let running = Task { try await app.run() }
try await recorder.wait(for: .didBecomeActive, within: .seconds(5))

await clock.waitForSleepers(atLeast: 1)  // the service sleeps
await clock.advance(by: .seconds(60))
UnixSignal.inject(.terminate)  // as if SIGTERM had arrived; or app.shutdown()
let code = try await running.value
print(code, await store.saved)  // 0 ["draft", "final"]

// snippet.hide
let saved = await store.saved
precondition(code == 0 && saved == ["draft", "final"])
// snippet.show

let values = LaunchLoader()
values.register(.store) { _ in FakeStore() }
try await values.launch()

let run = AppServiceRun(Autosave(clock: clock), loader: values, clock: clock)
try await run.waitUntilReady()
run.shutdown()
try await run.wait()
