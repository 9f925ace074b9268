// Answers to questions, objections, and events that one of several handlers takes.

import EventBus
import Synchronization

actor Prices {
  func price(of item: String) -> Int? { item == "tea" ? 3 : nil }
}

struct Checkout: Sendable {
  let price: @Sendable (_ item: String) async -> Int?
}

let prices = Prices()
let checkout = Checkout { item in await prices.price(of: item) }
let price = await checkout.price("tea")  // 3

// snippet.hide
precondition(price == 3)
// snippet.show
struct Inquiry: Sendable {
  let item: String
  let reply: @Sendable (_ price: Int) -> Void
}

extension EventNames {
  static let didAskForOffers = EventName<Inquiry>("market.didAskForOffers")
}

let bus = EventBus()
let cheap = bus.observe(.didAskForOffers) { inquiry in inquiry.reply(2) }
let slow = bus.observe(.didAskForOffers) { inquiry in
  inquiry.reply(await prices.price(of: inquiry.item) ?? 0)
}

let (offers, offer) = AsyncStream<Int>.makeStream()
await bus.postAndWait(.didAskForOffers, Inquiry(item: "tea") { price in offer.yield(price) })
offer.finish()  // every handler has finished: there will be no further reply
for await price in offers { print(price) }  // 2, 3

// snippet.hide
for token in [cheap, slow] { token.cancel() }
let silence = bus.addHooks(EventHooks(onError: { _ in }))
// snippet.show
struct UnsavedChanges: Error {}

extension EventNames {
  static let willClose = EventName<Void>("document.willClose")
}

let objection = bus.observe(.willClose) { throw UnsavedChanges() }
let outcome = await bus.postAndWait(.willClose)
print(outcome.errors.isEmpty && !Task.isCancelled ? "close" : "stay open")  // stay open

// snippet.hide
precondition(outcome.errors.count == 1)
objection.cancel()
silence.cancel()
// snippet.show
final class KeyPress: Sendable {
  let key: Character
  private let isTaken = Atomic(false)

  init(_ key: Character) { self.key = key }

  /// Returns `true` to the first caller, and `false` to all others.
  func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }
}

extension EventNames {
  static let didPressKey = EventName<KeyPress>("terminal.didPressKey")
}

let dialog = bus.observe(.didPressKey, priority: .high) { press in
  if press.key == "\n", press.take() { print("the dialog closes") }
}
let editor = bus.observe(.didPressKey) { press in
  if press.take() { print("the editor inserts \(press.key)") }
}
bus.post(.didPressKey, KeyPress("a"))  // the editor inserts a
bus.post(.didPressKey, KeyPress("\n"))  // the dialog closes
// snippet.hide
for token in [dialog, editor] { token.cancel() }
