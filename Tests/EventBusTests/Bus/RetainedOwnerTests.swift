#if DEBUG
import EventBus
import TestSupport
import Testing

extension EventNames {
  fileprivate static let retained = EventName<Int>("retained.number")
}

/// An owner whose handlers capture it in every way.
private final class Capturing: Sendable {
  let log = Log<Int>()

  private func handle(_ me: Capturing, _ number: Int) { log.append(number) }

  /// Registers handlers that do not retain the owner.
  func registerWell(_ bus: EventBus, _ signal: Signal<Int>) {
    let text = "\(ObjectIdentifier(self))"
    let id = ObjectIdentifier(self)
    let inner: @Sendable (Int) -> Void = { [weak self] in self?.log.append($0) }
    bus.observe(.retained, owner: self) { me, number in me.log.append(number) }
    bus.observe(.retained, owner: self) { [weak self] _, number in self?.log.append(number) }
    bus.observe(.retained, owner: self) { [unowned self] _, number in log.append(number) }
    bus.observe(.retained, owner: self) {
      [unowned(unsafe) self] _, number in  // Reason: the owner is alive during a call.
      unsafe log.append(number)  // Reason: as above.
    }
    bus.observe(.retained, owner: self) { [weak self, text] _, _ in self?.log.append(text.count) }
    bus.observe(.retained, owner: self) { [unowned self, text] _, _ in log.append(text.count) }
    bus.observe(.retained, owner: self) { me, _ in me.log.append(id.hashValue) }
    bus.observe(.retained, owner: self) { _, number in inner(number) }
    bus.observe(.retained, owner: self) { [log] _, number in log.append(number) }
    bus.observe(.retained, owner: self, once: true) { [weak self] _, number in
      self?.log.append(number)
    }
    bus.observe(.retained, owner: self) { @MainActor [weak self] _, number in
      self?.log.append(number)
    }
    bus.observe(.retained, owner: self) { @MainActor [unowned self] _, number in log.append(number)
    }
    bus.observe(.retained, owner: self) { [weak self] _, number async in self?.log.append(number) }
    bus.observe(.retained, owner: self) { [unowned self] _, number async in log.append(number) }
    bus.observeAll(owner: self) { [weak self] _, _ in self?.log.append(0) }
    bus.observeAll(owner: self) { [unowned self] _, _ in log.append(0) }
    bus.observe(.nothing, owner: self) { [unowned self] _, _ in log.append(0) }
    bus.observe(.text, owner: self) { [unowned self] _, _ in log.append(0) }
    signal.observe(owner: self) { [unowned self] _, number in log.append(number) }
  }

  /// The number of the registrations that ``registerBadly(_:_:)`` makes.
  static let count = 15

  /// Registers handlers that retain the owner.
  func registerBadly(_ bus: EventBus, _ signal: Signal<Int>, _ bag: TokenBag) {
    let text = "\(ObjectIdentifier(self))"
    let inner: @Sendable (Int) -> Void = { self.log.append($0) }
    let optional: Capturing? = self
    bus.observe(.retained, owner: self) { _, number in self.log.append(number) }.store(in: bag)
    bus.observe(.retained, owner: self) { _, _ in self.log.append(text.count) }.store(in: bag)
    bus.observe(.retained, owner: self, handle).store(in: bag)
    bus.observe(.retained, owner: self) { _, number in inner(number) }.store(in: bag)
    bus.observe(.retained, owner: self) { _, number in optional?.log.append(number) }.store(in: bag)
    bus.observe(.retained, owner: self, once: true) { _, number in self.log.append(number) }.store(
      in: bag
    )
    bus.observe(.retained, owner: self, where: { $0 > 0 }) { _, number in self.log.append(number) }
      .store(in: bag)
    bus.observe(.retained, owner: self) { @MainActor _, number in self.log.append(number) }.store(
      in: bag
    )
    bus.observe(.retained, owner: self) { _, number async in self.log.append(number) }.store(
      in: bag
    )
    bus.observe(.retained, owner: self) { @MainActor _, number async in self.log.append(number) }
      .store(in: bag)
    bus.observeAll(owner: self) { _, _ in self.log.append(0) }.store(in: bag)
    bus.observe(.nothing, owner: self) { _, _ in self.log.append(0) }.store(in: bag)
    bus.observe(.text, owner: self) { _, text in self.log.append(text.count) }.store(in: bag)
    signal.observe(owner: self) { _, number in self.log.append(number) }.store(in: bag)
    signal.observe(owner: self) { _, number async in self.log.append(number) }.store(in: bag)
  }
}

private actor CapturingActor {
  private var numbers: [Int] = []

  func registerWell(_ bus: EventBus) {
    bus.observe(.retained, owner: self) { $0.numbers.append($1) }
    bus.observe(.retained, owner: self) { [weak self] me, _ in
      me.numbers.append(self == nil ? 0 : 1)
    }
    bus.observe(.retained, owner: self) { me, number async in me.numbers.append(number) }
    bus.observeAll(owner: self) { me, _ in me.numbers.append(0) }
  }

  func registerBadly(_ bus: EventBus, _ bag: TokenBag) {
    bus.observe(.retained, owner: self) { me, _ in me.numbers.append(self === me ? 1 : 0) }
      .store(in: bag)
    bus.observe(.retained, owner: self) { me, _ async in me.numbers.append(self === me ? 1 : 0) }
      .store(in: bag)
  }
}

@Suite("Owners that their own handlers retain")
struct RetainedOwnerTests {
  private let messages = Log<String>()
  private var hooks: EventHooks { EventHooks(onMessage: { [messages] in messages.append($0) }) }

  @Test(
    "A handler that uses its parameter, or a weak or unowned reference, causes no message, and the owner dies"
  )
  func well() {
    let (bus, signal) = (EventBus(hooks: hooks), Signal<Int>(hooks: hooks))
    weak var dead: Capturing?
    do {
      let owner = Capturing()
      dead = owner
      owner.registerWell(bus, signal)
    }
    #expect(dead == nil)
    #expect(messages.entries == [])
  }

  @Test("A debug build reports a handler that retains its own owner, with its line, once")
  func badly() {
    let (bus, signal) = (
      EventBus(label: "one", hooks: hooks), Signal<Int>(label: "signal", hooks: hooks)
    )
    let bag = TokenBag()
    for _ in 0..<3 { Capturing().registerBadly(bus, signal, bag) }
    #expect(messages.count == Capturing.count, "\(messages.entries)")
    for message in messages.entries {
      #expect(message.contains("EventBusTests/RetainedOwnerTests.swift:"))
      #expect(message.contains("retains its own owner, of type Capturing"))
    }
    bag.cancelAll()
  }

  @Test("The same holds for actors")
  func actors() async {
    let (bus, bag) = (EventBus(hooks: hooks), TokenBag())
    let actor = CapturingActor()
    await actor.registerWell(bus)
    #expect(messages.entries == [])
    await actor.registerBadly(bus, bag)
    #expect(messages.count == 2, "\(messages.entries)")
    bag.cancelAll()
  }
}
#endif
