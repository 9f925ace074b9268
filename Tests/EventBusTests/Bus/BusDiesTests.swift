import EventBus
import TestSupport
import Testing

@Suite("Tokens that outlive their bus", .timeLimit(.minutes(5)))
struct BusDiesTests {
  @Test("A token whose bus died is inactive and harmless, and its handler is freed")
  func inert() {
    let (plain, lived, tally) = (PlainOwner(), LivedOwner(), Tally())
    var bus: EventBus? = EventBus()
    var tokens: [Token] = []
    if let bus {
      tokens = [
        bus.observe(.number) { [probe = tally.probe()] _ in probe.touch() },
        bus.observe(.number, priority: .high, once: true) { _ in },
        bus.observe(.number, owner: plain) { _, _ in },
        bus.observe(.number, owner: lived) { _, _ in },
      ]
    }
    #expect(tokens.allSatisfy { $0.isActive })
    bus = nil
    #expect(tokens.allSatisfy { !$0.isActive })
    #expect((tally.created, tally.live) == (1, 0))
    for token in tokens { token.cancel() }
    tokens.removeAll()
    withExtendedLifetime((bus, plain, lived)) {}
  }

  @Test("Tokens of a dead bus leave their bags and lifetimes")
  func leaveTheirKeepers() {
    let (bag, lifetime) = (TokenBag(), Lifetime())
    let attached = WeakList<Registration>()
    var bus: EventBus? = EventBus()
    bus?.observe(.number) { _ in }.store(in: bag)
    if let token = bus?.observe(.number, { _ in }) {
      attached.append(token.registration)
      token.attach(to: lifetime)
    }
    #expect(bag.count == 1)
    #expect(attached.liveCount == 1)
    bus = nil
    #expect(bag.count == 0)
    #expect(attached.liveCount == 0)
    withExtendedLifetime(lifetime) {}
  }

  @Test("waitUntilFinished() returns once the bus has died")
  func waitUntilFinished() async {
    var bus: EventBus? = EventBus()
    let token = bus?.observe(.number) { _ in }
    bus = nil
    await token?.waitUntilFinished()
    withExtendedLifetime(bus) {}
  }

  @Test("A signal of a dead bus reaches no observer and registers nothing")
  func orphanedSignal() {
    var bus: EventBus? = EventBus()
    let signal = bus?.signal(.number)
    let before = signal?.observe { _ in Issue.record("The bus is dead.") }
    bus = nil
    let after = signal?.observe { _ in Issue.record("The bus is dead.") }
    #expect(signal?.send(1) == 0)
    #expect(signal?.observerCount == 0)
    #expect(before?.isActive == false)
    #expect(after?.isActive == false)
  }

  @Test("A handler may release the last reference to its bus, and the post completes")
  func diesDuringItsPost() {
    let holder = Holder(EventBus())
    let tally = Tally()
    let bag = TokenBag()
    holder.value?.observe(.number) { [probe = tally.probe()] _ in
      holder.letGo()
      probe.touch()
    }.store(in: bag)
    #expect(holder.value?.post(.number, 1) == 1)
    #expect(holder.value == nil)
    #expect(tally.live == 0)
    #expect(bag.count == 0)
  }

  /// A waiting event whose end releases the bus, and meets that of the handler.
  private final class Departure: Sendable {
    let bus: Holder<EventBus>
    let mayEnd: ManualLatch
    let gate: StartGate

    init(_ bus: Holder<EventBus>, _ mayEnd: ManualLatch, _ gate: StartGate) {
      (self.bus, self.mayEnd, self.gate) = (bus, mayEnd, gate)
    }

    deinit {
      bus.letGo()
      mayEnd.open()
      gate.arriveAndWait()
    }
  }

  /// A part of the handler that meets the end of the bus.
  private final class HandlerPart: Sendable {
    let gate: StartGate

    init(_ gate: StartGate) { self.gate = gate }

    deinit { gate.arriveAndWait() }
  }

  /// AddressSanitizer notices a use of an observer that the bus has released.
  @Test("A token may be cancelled while its bus dies and the last call of its handler ends")
  func cancelledWhileTheCallEnds() async {
    let name = EventName<Departure?>("sample.departure")
    for _ in 0..<rounds(2_000, debug: 150, sanitized: 500) {
      let (holder, gate) = (Holder(EventBus()), StartGate(2))
      let (began, mayEnd) = (ManualLatch(), ManualLatch())
      let token = holder.value?.observe(name) { [part = HandlerPart(gate)] _ in
        began.open()
        await mayEnd.wait()
        withExtendedLifetime(part) {}
      }
      holder.value?.post(name, nil)
      await began.wait()
      holder.value?.post(name, Departure(holder, mayEnd, gate))
      await onThreads(1) { _ in token?.cancel() }
      #expect(holder.value == nil)
    }
  }
}
