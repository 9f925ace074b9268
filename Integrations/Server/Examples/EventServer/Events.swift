import EventBus
import Foundation

/// An order of a customer.
struct Order: Codable, Sendable {
  /// One row of an order.
  struct Item: Codable, Sendable {
    var product: String
    var quantity: Int
  }

  var id: Int
  var customer: String
  var items: [Item]
}

/// A message of a chat.
struct Message: Codable, Sendable {
  var room: String
  var text: String
}

extension EventNames {
  static let orderPlaced = EventName<Order>("order.placed")
  static let messageSent = EventName<Message>("message.sent")
  static let counted = EventName<Int>("counted")
}

/// The events that clients may post and receive.
struct Catalog: Sendable {
  /// One event.
  struct Entry: Sendable {
    /// Posts the event with a payload in JSON.
    let post: @Sendable (_ body: Data, EventBus) throws -> Int
    /// Passes every event on to a feed, as JSON, for as long as the feed lives.
    let observe: @Sendable (EventBus, Feed) -> Void

    init<Payload: Codable>(_ name: EventName<Payload>) {
      post = { body, bus in bus.post(name, try JSONDecoder().decode(Payload.self, from: body)) }
      observe = { bus, feed in
        bus.observe(name, owner: feed) { (feed: isolated Feed, payload) in
          feed.send(name.name, try JSONEncoder().encode(payload))
        }
      }
    }
  }

  static let standard = Catalog(entries: [
    EventNames.orderPlaced.name: Entry(.orderPlaced),
    EventNames.messageSent.name: Entry(.messageSent),
    EventNames.counted.name: Entry(.counted),
  ])

  let entries: [String: Entry]
}

extension DecodingError {
  /// The place of the mistake, for example `$.items[2].quantity`, and the mistake.
  var report: String {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      "\(Self.path(context.codingPath)): \(context.debugDescription)"
    case .keyNotFound(let key, let context):
      "\(Self.path(context.codingPath + [key])): is missing"
    @unknown default: "$: \(self)"
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    keys.reduce("$") { path, key in
      key.intValue.map { "\(path)[\($0)]" } ?? "\(path).\(key.stringValue)"
    }
  }
}
