// What a test needs: recorded events.

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
