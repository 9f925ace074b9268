import EventBus

/// Talks to a server: its handler is asynchronous and slow.
actor Synchronizer {
  init(_ bus: EventBus) {
    bus.observe(.syncWanted, owner: self) { _, _ in
      try await Task.sleep(for: .milliseconds(220))
    }
    bus.observe(.connectionLost, owner: self) { _, _ in
      bus.post(.syncWanted)
    }
  }
}
