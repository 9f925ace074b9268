// Which names denote the same event.

import EventBus

extension EventNames {
  static let cartDidChange = EventName<Int>("shop.cart.didChange")
}

let bus = EventBus()
let token = bus.observe(.cartDidChange) { count in print("\(count) in the cart") }

let same = EventName<Int>("shop.cart.didChange")  // in any module: the same event
let other = EventName<String>("shop.cart.didChange")  // another payload type: another event
print(bus.post(same, 3))  // 3 in the cart, and then 1
print(bus.post(other, "three"))  // 0

// snippet.hide
precondition(same == EventNames.cartDidChange && other != same as AnyEventName)
precondition(bus.post(same, 3) == 1 && bus.post(other, "three") == 0)
token.cancel()
