// What one wrote with a notification centre.

import EventBus

struct Order: Sendable { let id: Int }

extension EventNames {
  static let orderDidShip = EventName<Order>("order.didShip")
}

@MainActor final class OrderList {
  private(set) var shipped: [Int] = []
  init(_ bus: EventBus) {
    bus.observe(.orderDidShip, owner: self) { list, order in list.shipped.append(order.id) }
  }
}

// snippet.hide
final class Warehouse: Sendable {}
let bus = EventBus()
let warehouse = Warehouse()
let list = OrderList(bus)
// snippet.show
let token = bus.observe(.orderDidShip, from: warehouse) { order in print("shipped \(order.id)") }
bus.post(.orderDidShip, Order(id: 7), from: warehouse)
token.cancel()
// snippet.hide
precondition(list.shipped == [7])
