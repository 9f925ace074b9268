import EventBus
import TestSupport
import Testing

@Suite("Observing every event for an owner")
struct ObserveAllOwnerTests {
  private final class Panel: Sendable {
    let names = Inbox<String>()
  }

  private let bus = EventBus()

  @Test("An owner receives every event with itself, until it is released")
  func lifetime() {
    let names = Inbox<String>()
    var panel: Panel? = Panel()
    if let panel {
      bus.observeAll(owner: panel) { panel, event in
        panel.names.append(event.name)
        names.append(event.name)
      }
    }
    bus.post(.number, 1)
    bus.post(.text, "a")
    #expect(panel?.names.entries == ["sample.number", "sample.text"])
    weak let released = panel
    panel = nil
    #expect(released == nil)
    bus.post(.number, 2)
    #expect(names.entries == ["sample.number", "sample.text"])
  }

  private actor Recorder {
    private(set) var names: [String] = []

    nonisolated func observe(_ bus: EventBus) {
      bus.observeAll(owner: self) { (recorder: isolated Recorder, event) in
        recorder.names.append(event.name)
      }
    }
  }

  @Test("An actor observes every event itself, without being kept")
  func actor() async {
    var recorder: Recorder? = Recorder()
    recorder?.observe(bus)
    await bus.postAndWait(.number, 1)
    await bus.postAndWait(.text, "a")
    #expect(await recorder?.names == ["sample.number", "sample.text"])
    // The task of the last turn holds the actor until it ends.
    await rest()
    weak let released = recorder
    recorder = nil
    #expect(released == nil)
    #expect(bus.post(.number, 2) == 0)
  }

  @Test("Observers of every event are called by priority, those of owners among the others")
  func priority() {
    let (panel, order) = (Panel(), Inbox<String>())
    let plain = bus.observeAll { _ in order.append("plain") }
    bus.observeAll(owner: panel, priority: .high) { _, _ in order.append("owner") }
    #expect(bus.post(.number, 1) == 0)
    #expect(order.entries == ["owner", "plain"])
    withExtendedLifetime((plain, panel)) {}
  }
}
