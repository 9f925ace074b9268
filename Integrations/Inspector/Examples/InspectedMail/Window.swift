import EventBus

/// Shows messages on the main actor.
@MainActor
final class Window {
  private var unread = 0

  init(_ bus: EventBus, _ tokens: TokenBag) {
    bus.observe(.mailArrived, owner: self) { window, _ in
      window.unread += 1
      bus.enqueue(.unreadChanged, window.unread, coalescing: .name)
    }
    bus.observe(.unreadChanged, owner: self) { _, count in
      if count % 3 == 0 { work(for: .milliseconds(4)) }
    }
    bus.observe(.cursorMoved, owner: self) { _, _ in work(for: .microseconds(300)) }
    bus.observe(.mailArrived, owner: self, where: { $0.subject.isEmpty }) { _, _ in }
    bus.observe(.mailIndexed) { _ in }.store(in: tokens)
  }
}
