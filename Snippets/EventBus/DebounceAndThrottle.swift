// Handling a burst of events once: with a timer, with a buffer, and from a stream.

import EventBus
import EventBusTesting

extension EventNames {
  static let didType = EventName<String>("search.didType")
}

@MainActor final class SearchField {
  var results: [String] = []
  private var pending: Token?

  init<C: Clock<Duration>>(
    _ bus: EventBus,
    pause: Duration = .milliseconds(300),
    clock: C = ContinuousClock()
  ) {
    bus.observe(.didType, owner: self) { field, text in
      let former = field.pending
      field.pending = after(pause, owner: field, clock: clock) { field, _ in
        field.results.append(text)
      }
      former?.cancel()  // with an owner, releasing a token has no effect
    }
  }
}

@MainActor final class SaveButton {
  var saves = 0
  private var pause: Token?

  func press<C: Clock<Duration>>(
    pause length: Duration = .seconds(1),
    clock: C = ContinuousClock()
  ) {
    if pause?.isActive == true { return }
    pause = after(length, owner: self, clock: clock) { _, _ in }
    saves += 1
  }
}

func show<Texts: AsyncSequence<String, Never>>(_ texts: Texts) async {
  for await text in texts { print("search for \(text)") }
}

// snippet.hide
@MainActor func useThem() async {
  let bus = EventBus()
  let field = SearchField(bus, pause: .milliseconds(1))
  for text in ["e", "ev", "event"] { bus.post(.didType, text) }
  while field.results.isEmpty { await Task.yield() }
  precondition(field.results == ["event"])

  let (button, clock) = (SaveButton(), ManualClock())
  for _ in 0..<3 { button.press(clock: clock) }
  precondition(button.saves == 1)
  await clock.advance(by: .seconds(1))
  button.press(clock: clock)
  precondition(button.saves == 2)

  let lifetime = Lifetime()
  let texts = bus.events(.didType, buffering: .bufferingNewest(1), until: lifetime)
  for text in ["e", "ev", "event"] { bus.post(.didType, text) }
  lifetime.end()
  await show(texts)
  precondition(texts.droppedCount == 2)
}

await useThem()
