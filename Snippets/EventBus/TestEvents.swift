// What a test needs: recorded events, deadlines and a clock that the test moves.

import EventBus

extension EventNames {
  static let didLoad = EventName<Int>("feed.didLoad")
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

let clock = ManualClock()
let waiting = Task { await recorder.next(within: .seconds(5), clock: clock) }
await clock.sleepers(atLeast: 1)
await clock.advance(by: .seconds(5))
let second = await waiting.value  // nil, without waiting five seconds

// snippet.hide
precondition(second == nil)
