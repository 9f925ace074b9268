import EventBus
import TestSupport
import Testing

@Suite("Values, rights and bindings of shared properties", .timeLimit(.minutes(5)))
struct SharedValuesTests {
  /// Consumes a sequence in a task until it ends.
  private func collecting(_ values: some AsyncSequence<Int, Never> & Sendable) -> Task<[Int], Never>
  {
    Task {
      var seen: [Int] = []
      for await value in values { seen.append(value) }
      return seen
    }
  }

  @Test("A sequence of values begins with the current one, and buffers from the call on")
  func begins() async {
    let property = SharedObserved(1)
    let values = property.values()
    for value in 2...5 { property.value = value }
    property.value = 5
    var iterator = values.makeAsyncIterator()
    for expected in 1...5 { #expect(await iterator.next(isolation: nil) == expected) }
    property.value = 6
    #expect(await iterator.next(isolation: nil) == 6)
  }

  @Test("A sequence of values ends after its buffered values when the property is deinitialized")
  func propertyDies() async {
    var property: SharedObserved<Int>? = SharedObserved(1)
    let values = property?.values()
    property?.value = 2
    property = nil
    guard let values else { return }
    #expect(await collecting(values).value == [1, 2])
    withExtendedLifetime(property) {}
  }

  @Test("A sequence of values ends when the lifetime ends, even while its consumer is suspended")
  func lifetimeEnds() async {
    let (property, lifetime) = (SharedObserved(1), Lifetime())
    let values = property.values(until: lifetime)
    let task = collecting(values)
    property.value = 2
    lifetime.end()
    property.value = 3
    #expect(await task.value == [1, 2])
    #expect(await collecting(property.values(until: .ended)).value == [3])
  }

  @Test("A cancelled task receives no value; another consumer receives the rest")
  func cancelled() async {
    let property = SharedObserved(1)
    let values = property.values()
    let (isInside, mayGo) = (ManualLatch(), ManualLatch())
    let task = Task {
      isInside.open()
      await mayGo.wait()
      var iterator = values.makeAsyncIterator()
      return await iterator.next(isolation: nil)
    }
    await isInside.wait()
    task.cancel()
    mayGo.open()
    #expect(await task.value == nil)
    var iterator = values.makeAsyncIterator()
    #expect(await iterator.next(isolation: nil) == 1)
  }

  @Test("Releasing a sequence of values ends its registration")
  func released() {
    let property = SharedObserved(1)
    var values: (any AsyncSequence<Int, Never>)? = property.values()
    #expect(!property.observers.isEmpty)
    values = nil
    #expect(property.observers.isEmpty)
    withExtendedLifetime(values) {}
  }

  private static let updates = size(
    rounds(800, debug: 240, sanitized: 200),
    full: rounds(4_000, debug: 4_000, sanitized: 200)
  )

  @Test("A handler on an actor that updates the property is not called inside itself")
  @MainActor
  func updateInsideALaterCall() async {
    let property = SharedObserved(0)
    let (log, isOver) = (Log<String>(), ManualLatch())
    let token = property.observe { change in
      log.append("begin \(change.new)")
      if change.new == 2 { property.update { $0 = 1 } }
      log.append("end \(change.new)")
      if change.new == 1 { isOver.open() }
    }
    await Task.detached { property.value = 2 }.value
    await isOver.wait()
    #expect(log.entries == ["begin 2", "end 2", "begin 1", "end 1"])
    withExtendedLifetime(token) {}
  }

  /// The values at which the sequences that still collect began, by number.
  private final class Registrations: Sendable {
    private let beginnings = Locked<[Int: Int]>([:])

    func begin(_ number: Int, at value: Int) { beginnings.withLock { $0[number] = value } }
    func end(_ number: Int) { beginnings.withLock { $0[number] = nil } }
    func oldest(or value: Int) -> Int { beginnings.withLock { $0.values.min() ?? value } }
  }

  @Test("While four threads update, no sequence of values loses or doubles one from its call on")
  func storm() async {
    let property = SharedObserved(0)
    let (lifetime, rounds) = (Lifetime(), Self.updates)
    let (tasks, delivered) = (Log<Task<[Int], Never>>(), Counter())
    let registrations = Registrations()
    let token = property.observe { _ in delivered.add() }
    await onThreads(4) { thread in
      for round in 0..<rounds {
        // Short ones, so that many begin while another thread delivers.
        if round % 4 == 0 {
          let number = 4 * round + thread
          registrations.begin(number, at: property.value)
          let task = collecting(property.values(until: lifetime).prefix(20))
          tasks.append(task)
          Task {
            _ = await task.value
            registrations.end(number)
          }
        }
        property.update { $0 += 1 }
        // The queues are kept short, including those of the sequences: nothing merges, and changes are
        // delivered during registrations.
        blockThread {
          property.value - delivered.value <= 3
            && property.value - registrations.oldest(or: property.value) <= 500
        }
      }
    }
    #expect(property.value == 4 * rounds)
    // The last observer is called last.
    let last = property.values(until: lifetime)
    property.value = -1
    var end = last.makeAsyncIterator()
    while await end.next(isolation: nil) != -1 {}
    lifetime.end()
    #expect(tasks.count == rounds)
    let broken = Counter()
    for task in tasks.entries {
      let seen = await task.value
      let counted = seen.filter { $0 >= 0 }
      let first = counted.first ?? 0
      if counted != Array(first..<(first + counted.count)) { broken.add() }
      if seen.count < 20, seen.last != -1 { broken.add() }
    }
    #expect(broken.value == 0)
    #expect(property.mergedCount == 0)
    withExtendedLifetime(token) {}
  }

  // MARK: The right to observe

  @Test("A read-only value reads and observes, retains the property, and is Sendable")
  func readOnly() async {
    var property: SharedObserved<Int>? = SharedObserved(1)
    weak let kept = property
    var right = property?.readOnly
    let (log, owner) = (Log<String>(), PlainOwner())
    let token = right?.observe(initial: true) { log.append($0.text) }
    right?.observe(owner: owner, id: "one") { owner, change in owner.log.append(change.new) }
    right?.observe(owner: owner, id: "one") { owner, change in owner.log.append(-change.new) }
    property?.value = 2
    property = nil
    let seen = await Task.detached { [right] in right?.readOnly.value }.value
    #expect(seen == 2)
    kept?.value = 3
    right?.unobserve(owner: owner)
    kept?.value = 4
    #expect(log.entries == ["i1", "1→2", "2→3", "3→4"])
    #expect(owner.log.entries == [-2, -3])
    #expect(right?.mergedCount == 0)
    right = nil
    await until(kept == nil)
    #expect(token?.isActive == false)
    withExtendedLifetime((property, right)) {}
  }

  @Test("A generic function observes a property and its read-only value alike")
  func generic() async {
    func watch(_ values: some SharedObservedValue<Int>, _ log: Log<Int>) -> Token {
      #expect(values.value == 1)
      return values.observe { log.append($0.new) }
    }
    let (property, log) = (SharedObserved(1), Log<Int>())
    let tokens = [watch(property, log), watch(property.readOnly, log)]
    property.value = 2
    #expect(log.entries == [2, 2])
    var iterator = property.readOnly.values().makeAsyncIterator()
    #expect(await iterator.next(isolation: nil) == 2)
    withExtendedLifetime(tokens) {}
  }

  // MARK: Bindings

  /// A model of the main actor.
  @MainActor
  private final class Gauge {
    @Observed var reading = 0
    var history: [Int] = [] { didSet { didChange?(history) } }
    var last = 0 { didSet { history.append(last) } }
    var didChange: (([Int]) -> Void)?
    let atDeinit: AtDeinit

    init(atDeinit: @escaping @Sendable () -> Void = {}) { self.atDeinit = AtDeinit(atDeinit) }
  }

  @MainActor
  @Test("A binding assigns the current value at once, and each later one on its actor, in order")
  func binds() async {
    let (property, gauge) = (SharedObserved(1), Gauge())
    property.bind(to: gauge, \.last)
    #expect(gauge.history == [1])
    await onThreads(1) { _ in for value in 2...50 { property.value = value } }
    await until(asking: await gauge.last == 50)
    #expect(gauge.history == Array(1...50))
  }

  @MainActor
  @Test("A binding ends with its owner, its token, or a pause for as long as that lasts")
  func bindingEnds() async {
    let property = SharedObserved(1)
    let ended = Counter()
    var gauge: Gauge? = Gauge { ended.add() }
    let other = Gauge()
    guard let token = gauge.map({ property.bind(to: $0, \.last) }) else { return }
    let otherToken = property.bind(to: other, \.last)
    gauge = nil
    #expect(ended.value == 1)
    property.update { $0 = 2 }
    #expect(!token.isActive)
    let pause = otherToken.pause()
    property.update { $0 = 3 }
    pause.cancel()
    property.update { $0 = 4 }
    otherToken.cancel()
    property.update { $0 = 5 }
    #expect(other.history == [1, 2, 4])
    property.bind(to: other, \.last)
    property.unobserve(owner: other)
    property.update { $0 = 6 }
    #expect(other.history == [1, 2, 4, 5])
    withExtendedLifetime(gauge) {}
  }

  @MainActor
  @Test("An owner that sets the property while it is being bound sees its own change next")
  func reentrantBinding() {
    let (property, gauge) = (SharedObserved(1), Gauge())
    gauge.didChange = { [unowned property] history in
      if history.count < 4 { property.update { $0 += 1 } }
    }
    property.bind(to: gauge, \.last)
    #expect(gauge.history == [1, 2, 3, 4])
  }

  /// A plain object that belongs to an actor.
  private final class Dial {
    var angle = 0
  }

  private actor Machine {
    private let dial = Dial()

    var angle: Int { dial.angle }

    /// Binds the dial, and returns its angle immediately after that.
    func bind(_ property: SharedObserved<Int>) -> Int {
      property.bind(to: dial, \.angle)
      return dial.angle
    }
  }

  @Test("An actor binds an object that it owns and that is not Sendable")
  func bindsOnAnActor() async {
    let (property, machine) = (SharedObserved(3), Machine())
    #expect(await machine.bind(property) == 3)
    property.value = 4
    await until(asking: await machine.angle == 4)
  }

  /// An argument of a subscript; it reports the thread on which it is released.
  private final class Slot: Hashable {
    private let atDeinit: @Sendable () -> Void

    init(_ atDeinit: @escaping @Sendable () -> Void) { self.atDeinit = atDeinit }

    deinit { atDeinit() }

    static func == (left: Slot, right: Slot) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  private final class Table {
    var angle = 0

    subscript(slot: Slot) -> Int {
      get { angle }
      set { angle = newValue }
    }
  }

  @MainActor
  @Test("A key path's arguments are released on the actor, on whatever thread the binding ends")
  func keyPathOnItsActor() async {
    let (property, table, released) = (SharedObserved(1), Table(), Inbox<Bool>())
    func bind() -> Token {
      let slot = Slot {
        MainActor.preconditionIsolated()
        released.append(true)
      }
      return property.bind(to: table, \.[slot])
    }
    let token = bind()
    #expect(table.angle == 1)
    await onThreads(1) { _ in token.cancel() }
    #expect(await released.first(1) == [true])
  }

  // MARK: Updates on the handler's actor

  @MainActor
  @Test("An update on the handler's actor calls it before returning; an assignment does not")
  func updateAtOnce() async {
    let property = SharedObserved(0)
    let screen = Screen()
    property.observe(owner: screen) { screen, change in screen.shown.append(change.new) }
    property.update { $0 = 1 }
    #expect(screen.shown == [1])
    property.value = 2
    #expect(screen.shown == [1])
    // What waits comes first.
    property.update { $0 = 3 }
    #expect(screen.shown == [1, 2, 3])
    property.update(isolation: nil) { $0 = 4 }
    #expect(screen.shown == [1, 2, 3])
    #expect(throws: SampleError.self) {
      try property.update { value in
        value = 5
        throw SampleError()
      }
    }
    #expect(screen.shown == [1, 2, 3, 4, 5])
  }

  @MainActor
  @Test("A handler that updates is called for its own change after the current one, in one chain")
  func updateInAHandler() {
    let property = SharedObserved(0)
    let notes = Log<String>()
    let token = property.observe { @MainActor [unowned property] change in
      notes.append(change.text)
      if change.new < 4 { property.update { $0 += 1 } }
      notes.append("end \(change.new)")
    }
    property.update { $0 = 1 }
    #expect(
      notes.entries == [
        "0→1", "end 1", "1→2", "end 2", "2→3", "end 3", "3→4", "end 4",
      ]
    )
    withExtendedLifetime(token) {}
  }

  /// Registers a nonisolated handler that blocks its thread when the value becomes 1.
  private func blocking(
    _ property: SharedObserved<Int>,
    _ isInside: ManualLatch,
    until mayLeave: ManualLatch
  ) -> Token {
    property.observe { change in
      guard change.new == 1 else { return }
      isInside.open()
      mayLeave.block()
    }
  }

  @MainActor
  @Test("An update returns before its handler is called if another thread is delivering")
  func updateWhileDelivering() async {
    let property = SharedObserved(0)
    let (isInside, mayLeave, inbox) = (ManualLatch(), ManualLatch(), Inbox<Int>())
    let tokens = [
      blocking(property, isInside, until: mayLeave),
      property.observe { @MainActor change in inbox.append(change.new) },
    ]
    async let thread: Void = onThreads(1) { _ in property.value = 1 }
    await isInside.wait()
    property.update { $0 = 2 }
    #expect(inbox.entries == [])
    mayLeave.open()
    await thread
    #expect(await inbox.first(2) == [1, 2])
    withExtendedLifetime(tokens) {}
  }
}
