// An object whose registrations end with it, at once.

import EventBus

@MainActor final class Screen: LifetimeOwner {
  let lifetime = Lifetime()
}
// snippet.hide

extension EventNames {
  static let didScroll = EventName<Int>("screen.didScroll")
}

let bus = EventBus()
var screen: Screen? = Screen()
if let screen { bus.observe(.didScroll, owner: screen) { _, offset in print(offset) } }
precondition(bus.post(.didScroll, 12) == 1)
screen = nil
precondition(bus.signal(.didScroll).observerCount == 0)
