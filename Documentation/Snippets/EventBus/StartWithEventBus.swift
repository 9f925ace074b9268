// The first event, property and timer.

import EventBus

nonisolated extension EventNames {
  static let orderPlaced = EventName<Int>("shop.orderPlaced")
}

@MainActor final class Badge {
  private(set) var count = 0

  init(_ bus: EventBus) {
    // Use the parameter `badge`, not `self`: a captured `self` would keep the badge alive.
    bus.observe(.orderPlaced, owner: self) { badge, number in badge.count += 1 }
  }
}

let bus = EventBus()
let badge = Badge(bus)
bus.post(.orderPlaced, 17)
print(badge.count)  // 1

// snippet.hide
precondition(badge.count == 1)
// snippet.show
let token = bus.observe(.orderPlaced) { number in print("order \(number)") }
bus.post(.orderPlaced, 18)  // order 18
token.cancel()

let orders = bus.events(.orderPlaced)
bus.post(.orderPlaced, 19)
for await number in orders {
  print("ship order \(number)")  // ship order 19
  break
}

@MainActor final class Cart {
  @Observed var total = 0
}

let cart = Cart()
cart.$total.observe(owner: badge) { badge, change in
  print("\(change.old) → \(change.new)")
}
cart.total = 5  // 0 → 5

every(.seconds(60), owner: badge) { badge, _ in print("\(badge.count) orders") }
// snippet.hide
precondition(badge.count == 3)
