// Owners, tokens, lifetimes, bags, and the fence after a cancellation.

import EventBus

extension EventNames {
  static let didTick = EventName<Int>("clock.didTick")
}

final class Meter {  // not Sendable: it keeps the token, and the handler captures it weakly
  private(set) var level = 0
  private var token: Token?

  @MainActor func follow(_ bus: EventBus) {
    token = bus.observe(.didTick) { [weak self] tick in self?.level = tick }
  }
}

let bus = EventBus()
let token = bus.observe(.didTick) { tick in print(tick) }
token.cancel()  // from here on no call begins
await token.waitUntilFinished()  // and none is running on another thread

// snippet.hide
precondition(!token.isActive)
// snippet.show
final class Player: LifetimeOwner, Sendable {
  let lifetime = Lifetime()

  init(_ bus: EventBus) {
    bus.observe(.didTick, owner: self) { player, tick in player.advance(to: tick) }
    Token { print("unplugged") }.attach(to: lifetime)
  }

  deinit {
    lifetime.end()  // while all fields exist; without it, when they are destroyed
  }

  func advance(to tick: Int) {}
}

let bag = TokenBag()
bus.observe(.didTick) { tick in print("tick \(tick)") }.store(in: bag)
bus.observe(.didTick) { tick in print("tock \(tick)") }.store(in: bag)
bag.cancelAll()  // both; the bag can be used again
bag.end()  // like cancelAll(), and closes the bag: later tokens are cancelled at once
// snippet.hide
precondition(bag.count == 0)
var player: Player? = Player(bus)
let meter = Meter()
meter.follow(bus)
precondition(bus.post(.didTick, 3) == 2)
precondition(meter.level == 3)
player = nil
precondition(player == nil && bus.signal(.didTick).observerCount == 1)
