// The equivalents of observers and notifications.

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

let bus = EventBus()
let saved = bus.observe(.didSave) { document in  // notification.object, as a document
  print("saved \(document.title)")
}
// snippet.hide
let note = Note()
note.save(on: bus)
precondition(bus.signal(.didSave).observerCount == 1)
withExtendedLifetime(saved) {}
let list = OrderList(bus)
precondition(bus.post(.orderDidShip, Order(id: 8)) == 1 && list.shipped == [8])
