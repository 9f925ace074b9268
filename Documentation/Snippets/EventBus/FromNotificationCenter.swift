// The equivalents of notifications and their observers.

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

final class Warehouse: Sendable {}

let bus = EventBus()
let warehouse = Warehouse()
let token = bus.observe(.orderDidShip, from: warehouse) { order in print("shipped \(order.id)") }
bus.post(.orderDidShip, Order(id: 7), from: warehouse)
token.cancel()

@Sendable func firstIDs(on bus: EventBus) async -> [Int] {
  var ids: [Int] = []
  for await order in bus.events(.orderDidShip) {  // notifications(named:)
    ids.append(order.id)
    if ids.count == 2 { break }
  }
  return ids
}

@MainActor protocol Document: AnyObject {
  var title: String { get }
}

extension EventNames {
  static let didSave = EventName<any Document & Sendable>("document.didSave")
}

@MainActor final class Note: Document {
  let title = "Shopping"
  func save(on bus: EventBus) { bus.post(.didSave, self, from: self) }  // object: self
}

let saved = bus.observe(.didSave) { document in  // notification.object, as a document
  print("saved \(document.title)")
}
// snippet.hide
let note = Note()
note.save(on: bus)
precondition(bus.signal(.didSave).observerCount == 1)
withExtendedLifetime(saved) {}
let list = OrderList(bus)
let ids = Task { await firstIDs(on: bus) }
while bus.signal(.orderDidShip).observerCount < 2 { await Task.yield() }
for id in 8...9 { bus.post(.orderDidShip, Order(id: id)) }
let first = await ids.value
precondition(first == [8, 9])
precondition(list.shipped == [8, 9])
