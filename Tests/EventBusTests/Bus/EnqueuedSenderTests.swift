import EventBus
import TestSupport
import Testing

/// The queue of the main actor is delivered when the test gives way, so that events wait until then.
@MainActor
@Suite("Senders of enqueued events", .timeLimit(.minutes(5)))
struct EnqueuedSenderTests {
  private let bus = EventBus()
  private let bag = TokenBag()
  private let inbox = Inbox<Int>()

  /// Waits until everything enqueued so far has been delivered.
  private func deliver() async {
    let isDelivered = ManualLatch()
    let token = bus.observe(.nothing) { @Sendable in isDelivered.open() }
    bus.enqueue(.nothing)
    await isDelivered.wait()
    withExtendedLifetime(token) {}
  }

  @Test("Delivering an event does not retain its sender", arguments: [true, false])
  func deliveryDoesNotKeep(isNamed: Bool) async {
    let gone = Log<String>()
    let sender = Holder(AtDeinit { gone.append("gone") })
    bus.observe(.number, from: isNamed ? sender.value : nil) { @Sendable [inbox] _ in
      sender.letGo()
      inbox.append(gone.count)
    }
    .store(in: bag)
    bus.enqueue(.number, 1, from: sender.value)
    #expect(gone.count == 0)
    await deliver()
    #expect(inbox.entries == [1])
  }

  @Test("An observer registered for the sender is called even if all earlier ones have ended")
  func namedAgain() async {
    let sender = SampleSender()
    let former = bus.observe(.number, from: sender) { _ in Issue.record("It was cancelled.") }
    bus.enqueue(.number, 1, from: sender)
    former.cancel()
    bus.observe(.number, from: sender) { @Sendable [inbox] in inbox.append($0) }.store(in: bag)
    await deliver()
    #expect(inbox.entries == [1])
  }

  @Test("An event does not retain its sender, and reaches its observers even after its death")
  func diedBeforeDelivery() async {
    var sender: SampleSender? = SampleSender()
    bus.observe(.number, from: sender) { @Sendable [inbox] in inbox.append($0) }.store(in: bag)
    bus.enqueue(.number, 1, from: sender)
    weak let watched = sender
    sender = nil
    #expect(watched == nil)
    await deliver()
    #expect(inbox.entries == [1])
    withExtendedLifetime(sender) {}
  }

  @Test("Events enqueued in a sender's deinit do not reach its observers")
  func enqueuedInDeinit() async {
    let any = Log<Int>()
    bus.observe(.number) { @Sendable in any.append($0) }.store(in: bag)
    var sender: SampleLeaver? = SampleLeaver { [bus] in
      bus.enqueue(.number, 2, from: $0, isolation: nil)
    }
    bus.observe(.number, from: sender) { @Sendable [inbox] in inbox.append($0) }.store(in: bag)
    sender = nil
    await until(any.count > 0)
    #expect(any.entries == [2])
    #expect(inbox.entries == [])
    withExtendedLifetime(sender) {}
  }

  @Test("An observer of a dead sender never receives events of a new object at its address")
  func newObjectEnqueues() async {
    let cameBack = SampleSender.replaceAtSameAddress { sender in
      bus.observe(.number, from: sender) { @Sendable [inbox] in inbox.append($0) }.store(in: bag)
    } replace: { stranger in
      bus.enqueue(.number, 1, from: stranger)
    }
    #expect(cameBack)
    await deliver()
    #expect(inbox.entries == [])
  }

  @Test("No new object can have the address of a sender whose event waits")
  func addressIsTaken() async {
    var count = 0
    let any = Log<Int>()
    bus.observe(.number) { @Sendable in any.append($0) }.store(in: bag)
    let cameBack = SampleSender.replaceAtSameAddress { sender in
      count += 1
      bus.enqueue(.number, 1, from: sender)
    } replace: { stranger in
      bus.observe(.number, from: stranger) { @Sendable [inbox] in inbox.append($0) }.store(in: bag)
    }
    #expect(!cameBack)
    await deliver()
    #expect(any.count == count)
    #expect(inbox.entries == [])
  }
}
