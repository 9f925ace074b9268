// Timers that end with their owners, and a clock for their tests.

import EventBus
import EventBusTesting

actor Feed {
  private var requests = 0

  func refresh() -> String {
    requests += 1
    return "news \(requests)"
  }
}

let feed = Feed()

@MainActor final class Screen: LifetimeOwner {
  let lifetime = Lifetime()
  private(set) var shown = "nothing"

  func show(_ text: String) { shown = text }

  func keepUpToDate(by clock: some Clock<Duration> = ContinuousClock()) {
    every(.seconds(120), owner: self, clock: clock) { screen, _ in
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

let blinking = every(.milliseconds(500)) { tick in print(tick.index.isMultiple(of: 2)) }
let reminder = after(.seconds(30)) { _ in print("still there?") }
reminder.cancel()  // it will not be called

let pause = blinking.pause()
pause.cancel()  // it blinks again

// snippet.hide
precondition(!reminder.isActive && blinking.isActive)
blinking.cancel()
await Cache().start()
// snippet.show

@MainActor final class Hint {
  private(set) var isShown = false
  private var hiding: Token?

  func show(for time: Duration = .seconds(3)) {
    isShown = true
    hiding?.cancel()  // otherwise the former timer fires as well
    hiding = after(time, owner: self) { hint, _ in hint.isShown = false }
  }
}

// snippet.hide
let hint = Hint()
hint.show()
precondition(hint.isShown)
// snippet.show

@MainActor func testScreen() async {
  let clock = ManualClock()
  let screen = Screen()
  screen.keepUpToDate(by: clock)
  await clock.advance(by: .seconds(240))
  print(screen.shown)  // news 2
  // snippet.hide
  precondition(screen.shown == "news 2")
  // snippet.show
}

// snippet.hide
await testScreen()
// snippet.show

let screen = Screen()
let (lines, input) = AsyncStream<String>.makeStream()
let reading = Task {
  for await line in lines.until(screen.lifetime) { print(line) }
}
input.yield("a line")
screen.lifetime.end()  // the loop ends, although the stream does not
await reading.value
