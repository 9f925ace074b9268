// What a test needs: recorded events and a clock that the test moves.

import EventBus
import EventBusTesting

extension EventNames {
  static let didLoad = EventName<Int>("feed.didLoad")
  static let didSave = EventName<Int>("feed.didSave")
}

final class Feed: Sendable {
  func load(on bus: EventBus) { Task { bus.post(.didLoad, 20) } }
}

let bus = EventBus()
let recorder = EventRecorder(bus)
Feed().load(on: bus)
try await recorder.wait(for: .didLoad, within: .seconds(5))
print(recorder.payloads(of: .didLoad))  // [20]
let first = await recorder.next(within: .seconds(5))
print(first?.name ?? "nothing")  // feed.didLoad

// snippet.hide
precondition(recorder.payloads(of: .didLoad) == [20] && first?.name == "feed.didLoad")
// snippet.show
final class Archive: Sendable {}
let clock = ManualClock()
let archive = Archive()
let archiving = bus.observe(.didLoad) { @MainActor count in
  after(.seconds(1), owner: archive, clock: clock) { _, _ in bus.post(.didSave, count) }
}
bus.enqueue(.didLoad, 21)
try await bus.waitUntilSettled(within: .seconds(5))  // the handler has started its timer
try await clock.advance(by: .seconds(1), within: .seconds(5))
print(recorder.payloads(of: .didSave))  // [21]
// snippet.hide
precondition(recorder.payloads(of: .didSave) == [21])
archiving.cancel()
