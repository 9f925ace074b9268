// Owners that are released although they observe, and a loop that ends with its object.

import EventBus

extension EventNames {
  static let didTick = EventName<Int>("clock.didTick")
}

@MainActor final class Face {
  private(set) var text = ""

  init(_ bus: EventBus) {
    bus.observe(.didTick, owner: self) { face, tick in
      face.text = "\(tick)"  // not self.text, which would keep the face alive
    }
  }
}

let bus = EventBus()
weak var face: Face?
do {
  let shown = Face(bus)
  face = shown
}
print(face == nil)  // true

// snippet.hide
precondition(face == nil)
// snippet.show
@MainActor final class Log: LifetimeOwner {
  let lifetime = Lifetime()
  private(set) var ticks: [Int] = []

  func follow(_ bus: EventBus) {
    let stream = bus.events(.didTick, until: lifetime)
    Task { [weak self] in
      for await tick in stream { self?.ticks.append(tick) }
    }
  }
}
// snippet.hide
var log: Log? = Log()
weak var released = log
log?.follow(bus)
log = nil
precondition(released == nil)
