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
      field.pending = after(pause, clock: clock) { [weak field] _ in field?.search(text) }
    }
  }

  private func search(_ text: String) { results.append(text) }
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
  let clock = ManualClock()
  let field = SearchField(bus, pause: .milliseconds(300), clock: clock)
  for text in ["e", "ev", "event"] {
    bus.post(.didType, text)
    await clock.advance(by: .milliseconds(299))
  }
  precondition(field.results.isEmpty)
  await clock.advance(by: .milliseconds(1))
  precondition(field.results == ["event"])

  let button = SaveButton()
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
