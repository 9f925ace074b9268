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

  @Test("The delivery of an event does not keep its sender", arguments: [true, false])
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

  @Test("An observer that names the sender while its event waits is called")
  func namedWhileWaiting() async {
    let sender = SampleSender()
    bus.enqueue(.number, 1, from: sender)
    bus.observe(.number, from: sender) { @Sendable [inbox] in inbox.append($0) }.store(in: bag)
    await deliver()
    #expect(inbox.entries == [1])
  }

  @Test("It is called also when all that named the sender before have left")
  func namedAgain() async {
    let sender = SampleSender()
    let former = bus.observe(.number, from: sender) { _ in Issue.record("It was cancelled.") }
    bus.enqueue(.number, 1, from: sender)
    former.cancel()
    bus.observe(.number, from: sender) { @Sendable [inbox] in inbox.append($0) }.store(in: bag)
    await deliver()
    #expect(inbox.entries == [1])
  }

  @Test("What a sender enqueued while it lived reaches those that named it, also after its death")
  func diedBeforeDelivery() async {
    var sender: SampleSender? = SampleSender()
    bus.observe(.number, from: sender) { @Sendable [inbox] in inbox.append($0) }.store(in: bag)
    bus.enqueue(.number, 1, from: sender)
    sender = nil
    await deliver()
    #expect(inbox.entries == [1])
    withExtendedLifetime(sender) {}
  }

  @Test("What a sender enqueues in its deinit does not reach those that named it")
  func enqueuedInDeinit() async {
    let any = Log<Int>()
    bus.observe(.number) { @Sendable in any.append($0) }.store(in: bag)
    var sender: SampleLeaver? = SampleLeaver { [bus] in
      bus.enqueue(.number, 2, from: $0, isolation: nil)
    }
    bus.observe(.number, from: sender) { @Sendable [inbox] in inbox.append($0) }.store(in: bag)
    sender = nil
    while any.count == 0 { await Task.yield() }
    #expect(any.entries == [2])
    #expect(inbox.entries == [])
    withExtendedLifetime(sender) {}
  }

  @Test("An observer of a dead sender never hears what a new object at its address enqueues")
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

  @Test("No new object has the address of a sender whose event waits, and can be taken for it")
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
