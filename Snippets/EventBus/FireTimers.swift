// Timers that end by themselves, and a clock for their tests.

import EventBus

// snippet.hide
actor Feed {
  private(set) var requests = 0
  func refresh() -> String {
    requests += 1
    return "news \(requests)"
  }
}

let feed = Feed()

// snippet.show
@MainActor final class Screen: LifetimeOwner {
  let lifetime = Lifetime()
  private(set) var shown = "nothing"

  func show(_ text: String) { shown = text }

  func keepUpToDate(by clock: some Clock<Duration> = ContinuousClock()) {
    every(.seconds(120), owner: self, clock: clock) { screen, _ in
      screen.show(await feed.refresh())
    }
  }

  func start() {
    every(.seconds(120), owner: self) { screen, _ in
      screen.show(await feed.refresh())
    }
  }
}

actor Cache {
  private var entries: [String: Int] = [:]

  func start() {
    every(.seconds(600), owner: self, tolerance: .seconds(60)) { (cache: isolated Cache, _) in
      cache.entries.removeAll()
    }
  }
}

// snippet.hide
func showTokens() {
  // snippet.show
  let blinking = every(.milliseconds(500)) { tick in print(tick.index.isMultiple(of: 2)) }
  let reminder = after(.seconds(30)) { _ in print("still there?") }
  reminder.cancel()  // it will not call

  let pause = blinking.pause()
  pause.cancel()  // it blinks again
  // snippet.hide
}

showTokens()
await Cache().start()

// snippet.show
@MainActor func testScreen() async {
  let clock = ManualClock()
  let screen = Screen()
  screen.keepUpToDate(by: clock)
  await clock.advance(by: .seconds(240))
  print(screen.shown)  // news 2
  // snippet.hide
  precondition(screen.shown == "news 2")
  screen.start()
  // snippet.show
}

@Sendable func skipWhatIsMissed(_ clock: ManualClock) async {
  let token = every(.seconds(10), missed: .skip, clock: clock) { tick in
    print("tick \(tick.index), \(tick.missed) missed, late by \(tick.lateness ?? .zero)")
  }
  await clock.sleepers(atLeast: 1)
  clock.jump(by: .seconds(35))  // the machine slept
  await clock.settled()  // tick 0, 2 missed, late by 5.0 seconds
  token.cancel()
}

// snippet.hide
await testScreen()
await skipWhatIsMissed(ManualClock())

func showManualClock() async {
  // snippet.show
  let clock = ManualClock()
  let token = every(.seconds(120), clock: clock) { tick in print("tick \(tick.index)") }
  await clock.advance(by: .seconds(240))  // both ticks have run when it returns
  // snippet.hide
  token.cancel()
}

await showManualClock()

@MainActor func showLines(_ screen: Screen, _ lines: AsyncStream<String>) async {
  // snippet.show
  for await line in lines.until(screen.lifetime) { print(line) }
  // snippet.hide
}

do {
  let (lines, input) = AsyncStream<String>.makeStream()
  let screen = Screen()
  async let end: Void = showLines(screen, lines)
  input.yield("a line")
  screen.lifetime.end()
  await end
}
