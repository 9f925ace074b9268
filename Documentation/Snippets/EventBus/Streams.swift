// Loops over events, the next event, and replay.

import EventBus

extension EventNames {
  static let didProgress = EventName<Int>("download.didProgress")
}

final class Download: LifetimeOwner, Sendable {
  let lifetime = Lifetime()
}

let bus = EventBus()
let download = Download()
let progress = bus.events(
  .didProgress,
  buffering: .bufferingNewest(1),
  until: download.lifetime
)
bus.post(.didProgress, 40)  // waits: the stream is live
bus.post(.didProgress, 80)  // replaces it
print(progress.droppedCount)  // 1
download.lifetime.end()
for await percent in progress { print(percent) }  // 80, and the loop ends

// snippet.hide
precondition(progress.droppedCount == 1)
// snippet.show
let late = bus.events(.didProgress, where: { $0 >= 80 }, buffering: .bufferingOldest(1))
for percent in [20, 80, 100] { bus.post(.didProgress, percent) }
print(late.droppedCount)  // 1: the filter declined 20, and the buffer had no room for 100

// snippet.hide
precondition(late.droppedCount == 1)
// snippet.show
@Sendable func waitForTheEnd(on bus: EventBus) async throws {
  _ = try await bus.next(.didProgress, where: { $0 == 100 })
}

// snippet.hide
let end = Task { try await waitForTheEnd(on: bus) }
while bus.signal(.didProgress).observerCount == 1 { await Task.yield() }
precondition(bus.post(.didProgress, 10) == 0)
precondition(bus.post(.didProgress, 100) == 1)
try await end.value
// snippet.show
extension EventNames {
  static let connectionDidChange = EventName<String>("network.connectionDidChange", replay: 1)
}

struct StatusLine: Sendable {
  let token: Token
  init(_ bus: EventBus) {
    token = bus.observe(.connectionDidChange) { state in print("now \(state)") }
  }
}

bus.post(.connectionDidChange, "online")
let line = StatusLine(bus)  // now online
print(bus.latest(.connectionDidChange) ?? "unknown")  // online
bus.clearReplay(.connectionDidChange)
// snippet.hide
precondition(bus.latest(.connectionDidChange) == nil)
line.token.cancel()
