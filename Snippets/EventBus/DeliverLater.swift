// In a later turn, and until all have finished.

import EventBus

// snippet.hide
extension EventNames {
  static let didEdit = EventName<String>("document.didEdit")
  static let willClose = EventName<Void>("document.willClose")
}

let bus = EventBus()
let editor = bus.observe(.didEdit) { text in print(text) }
let archive = bus.observe(.willClose) { await Task.yield() }

// snippet.show
bus.enqueue(.didEdit, "Dear A", coalescing: .name)
bus.enqueue(.didEdit, "Dear Ada", coalescing: .name)  // in its place: one event, in a later turn

let finished = await bus.postAndWait(.willClose)  // so many handlers, asynchronous ones included
// snippet.hide
precondition(finished == 1)
editor.cancel()
archive.cancel()
