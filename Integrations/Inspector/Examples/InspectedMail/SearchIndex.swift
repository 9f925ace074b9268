import EventBus

/// Indexes messages on its own actor: its handler is queued there.
actor SearchIndex {
  private let bus: EventBus
  private let fails: Bool
  private var count = 0

  init(_ bus: EventBus, fails: Bool) {
    (self.bus, self.fails) = (bus, fails)
    bus.observe(.mailArrived, owner: self) { index, message in try index.add(message) }
  }

  private func add(_ message: Message) throws {
    count += 1
    if fails, message.number % 4 == 0 {
      throw MailError(text: "message \(message.number) has no valid encoding")
    }
    if message.number % 10 == 0 { work(for: .milliseconds(24)) }
    bus.post(.mailIndexed, count)
  }
}

/// Keeps a thread busy.
func work(for duration: Duration) {
  let end = ContinuousClock.now + duration
  while ContinuousClock.now < end {}
}
