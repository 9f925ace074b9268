// The suite that the article "Testing events" shows, word for word.

import EventBus
import EventBusTesting
import Testing

extension EventNames {
  static let didEdit = EventName<String>("draft.didEdit")
  static let didSave = EventName<String>("draft.didSave")
}

/// Saves a draft two seconds after the last edit.
@MainActor final class Autosave {
  private let bus: EventBus
  private var pending: Token?

  init<C: Clock<Duration>>(_ bus: EventBus, clock: C = ContinuousClock()) {
    self.bus = bus
    bus.observe(.didEdit, owner: self) { autosave, text in
      autosave.pending?.cancel()
      autosave.pending = after(.seconds(2), owner: autosave, clock: clock) { autosave, _ in
        autosave.bus.post(.didSave, text)
      }
    }
  }
}

@MainActor @Suite("Autosave") struct AutosaveTests {
  let bus = EventBus()  // its own for each test, because the suite is created for each test
  let clock = ManualClock()
  let recorder: EventRecorder
  let autosave: Autosave

  init() {
    recorder = EventRecorder(bus)
    autosave = Autosave(bus, clock: clock)
  }

  @Test("A burst of edits is saved once, two seconds after the last one")
  func burst() async throws {
    for text in ["D", "De", "Dear"] {
      #expect(bus.post(.didEdit, text) == 1)  // on the main actor: the handler has returned
      try await clock.advance(by: .seconds(1), within: .seconds(300))
    }
    #expect(recorder.payloads(of: .didSave).isEmpty)
    try await clock.advance(by: .seconds(1), within: .seconds(300))
    #expect(recorder.payloads(of: .didSave) == ["Dear"])
  }

  @Test("An edit that another thread posts is also saved")
  func otherThread() async throws {
    await Task.detached { [bus] in _ = bus.post(.didEdit, "Hello") }.value
    try await bus.waitUntilSettled(within: .seconds(300))  // the handler has started its timer
    try await clock.advance(by: .seconds(2), within: .seconds(300))
    let saved = try await recorder.wait(for: .didSave, within: .seconds(300))
    #expect(saved == ["Hello"])
  }

  @Test("Each text is saved as it is", arguments: ["", "two words", "naïve"])
  func texts(text: String) async throws {
    let outcome = await bus.postAndWait(.didEdit, text)
    try #require(outcome.reachedCount == 1)
    try await clock.advance(by: .seconds(2), within: .seconds(300))
    #expect(recorder.payloads(of: .didSave) == [text])
  }
}
