// The samples of documentation comments about events, tokens and lifetimes.

import EventBus
import EventBusTesting

extension EventNames {
  static let userDidLogIn = EventName<String>("user.didLogIn")
  static let didSave = EventName<Void>("document.didSave")
}

let bus = EventBus()
bus.post(.userDidLogIn, "Ada")
bus.post(.didSave)
// snippet.hide

// snippet.show
extension EventNames {
  static let didConnect = EventName<String>("server.didConnect")
}

func address(on bus: EventBus) async throws -> String {
  try await bus.next(.didConnect, within: .seconds(5))
}
// snippet.hide

func limitedNext() async throws {
  let posting = every(.milliseconds(10)) { _ in bus.post(.didConnect, "localhost") }
  let first = try await address(on: bus)
  precondition(first == "localhost")
  posting.cancel()
}

func traceSample() {
  // snippet.show
  let step = TraceStep.sample(.finished(nil), post: 1, registration: 7)
  // snippet.hide
  precondition(step.registration?.id == 7)
}

func token() {
  // snippet.show
  let didTick = Signal<Int>()
  let token = didTick.observe { tick in print(tick) }
  didTick.send(1)
  token.cancel()
  // snippet.hide
  precondition(!token.isActive)
}

func tokenBag() {
  // snippet.show
  let didTick = Signal<Int>()
  let bag = TokenBag()
  didTick.observe { tick in print("tick \(tick)") }.store(in: bag)
  didTick.observe { tick in print("tock \(tick)") }.store(in: bag)
  bag.cancelAll()
  // snippet.hide
  precondition(didTick.send(1) == 0)
}

func priorities() {
  // snippet.show
  let didSave = Signal<Void>()
  let indexing = didSave.observe(priority: .low) { print("then the index") }
  let backup = didSave.observe(priority: 42) { print("first the backup") }
  didSave.send()
  // snippet.hide
  for token in [indexing, backup] { token.cancel() }
}

func signal() {
  // snippet.show
  final class Export: Sendable {
    let didFinish = Signal<Int>()
    func run() { didFinish.send(42) }
  }

  let export = Export()
  let token = export.didFinish.observe { count in print(count) }
  export.run()
  // snippet.hide
  token.cancel()
}

func stream() async {
  // snippet.show
  let didTick = Signal<Int>()
  let ticks = didTick.events()
  didTick.send(1)
  for await tick in ticks.prefix(1) { print(tick) }
  // snippet.hide
}

func lifetime() {
  // snippet.show
  final class Screen: LifetimeOwner {
    let lifetime = Lifetime()
  }

  let screen = Screen()
  screen.lifetime.onEnd { print("gone") }
  // snippet.hide
  screen.lifetime.end()
}

@MainActor func lifetimeOwner() {
  // snippet.show
  @MainActor final class Screen: LifetimeOwner {
    let lifetime = Lifetime()
  }
  // snippet.hide
  Screen().lifetime.end()
}

func until() async {
  // snippet.show
  let lifetime = Lifetime()
  let (lines, input) = AsyncStream<String>.makeStream()
  let reading = Task {
    for await line in lines.until(lifetime) { print(line) }
  }
  lifetime.end()  // ends the loop, although the stream has not ended
  await reading.value
  // snippet.hide
  input.finish()
}

func manualClock() async {
  // snippet.show
  let clock = ManualClock()
  let token = every(.seconds(120), clock: clock) { tick in print("tick \(tick.index)") }
  await clock.advance(by: .seconds(240))  // both ticks have run when it returns
  // snippet.hide
  token.cancel()
}

@MainActor func timer() {
  // snippet.show
  @MainActor final class Screen {
    var minutes = 0

    func start() {
      every(.seconds(60), owner: self) { screen, _ in screen.minutes += 1 }
    }
  }
  // snippet.hide
  Screen().start()
}

func addedHooks() {
  // snippet.show
  let token = EventBus.default.addHooks(EventHooks(onTrace: { step in print(step) }))
  EventBus.default.post(EventName<Int>("sample"), 1)
  token.cancel()
  // snippet.hide
}

func settlingBus() async throws {
  // snippet.show
  let bus = EventBus()
  let name = EventName<Int>("document.didSave")
  let token = bus.observe(name) { @MainActor size in print("saved", size) }
  bus.enqueue(name, 42)
  try await bus.waitUntilSettled(within: .seconds(5))  // saved 42
  token.cancel()
  // snippet.hide
}

func settlingSignal() async throws {
  // snippet.show
  let didSave = Signal<Int>()
  let token = didSave.observe { size async in print("saved", size) }
  didSave.send(42)
  try await didSave.waitUntilSettled(within: .seconds(5))  // saved 42
  token.cancel()
  // snippet.hide
}

func limitedWait() async throws {
  // snippet.show
  let clock = ManualClock()
  let task = Task { try await clock.sleep(for: .seconds(60)) }
  try await clock.waitForSleepers(atLeast: 1, within: .seconds(5))
  await clock.advance(by: .seconds(60))
  try await task.value
  // snippet.hide
}

try await limitedNext()
traceSample()
token()
tokenBag()
priorities()
signal()
await stream()
lifetime()
lifetimeOwner()
await until()
await manualClock()
timer()
addedHooks()
try await settlingBus()
try await settlingSignal()
try await limitedWait()
