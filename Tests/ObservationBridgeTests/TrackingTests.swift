internal import EventBus
internal import Observation
internal import ObservationBridge
internal import TestSupport
internal import Testing

extension EventNames {
  fileprivate static let cartDidChange = EventName<Int>("observed.cartDidChange")
  fileprivate static let cartDidGrow = EventName<String?>("observed.cartDidGrow")
}

@MainActor
@Observable
private final class Cart {
  var items: [String] = []
  var customer = "Ada"
}

/// A model that shows whether a tracking that has read it still refers to it.
private final class Shelf: Observable, Sendable {
  private let registrar = ObservationRegistrar()

  /// Reads the shelf by a path that contains an object, which the tracking keeps.
  func read(with label: Label) { registrar.access(self, keyPath: \.[label]) }

  private subscript(label: Label) -> Int { 0 }
}

private final class Label: Hashable, Sendable {
  static func == (left: Label, right: Label) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@MainActor
@Suite("Events from observable models", .timeLimit(.minutes(5)))
struct TrackingTests {
  private let bus = EventBus()
  private let cart = Cart()
  private let log = Log<Int>()
  private let observer: Token

  init() { observer = bus.observe(.cartDidChange) { [log] in log.append($0) } }

  private func track() -> Token {
    bus.forward(tracking: { [cart] in cart.items.count }, as: .cartDidChange)
  }

  @Test("A change is posted once, with the new value, in a later job of the main actor")
  func once() async {
    let token = track()
    #expect(log.entries.isEmpty)
    for number in 1...5 {
      cart.items.append("tea")
      #expect(log.count == number - 1)
      await laterOnMainActor()
      #expect(log.entries == Array(1...number))
    }
    withExtendedLifetime(token) {}
  }

  @Test(
    "Each change of a value that the closure reads is posted, even to an equal value, and no other"
  )
  func whatIsRead() async {
    let token = track()
    cart.customer = "Bob"
    await laterOnMainActor()
    #expect(log.entries.isEmpty)
    cart.items = ["tea"]
    await laterOnMainActor()
    cart.items = ["rum"]
    await laterOnMainActor()
    #expect(log.entries == [1, 1])
    withExtendedLifetime(token) {}
  }

  @Test("Only the values that the last evaluation has read are tracked")
  func branches() async {
    let token = bus.forward(
      tracking: { [cart] in cart.items.isEmpty ? 0 : cart.customer.count },
      as: .cartDidChange
    )
    cart.customer = "Grace"
    await laterOnMainActor()
    #expect(log.entries.isEmpty)
    cart.items = ["tea"]
    await laterOnMainActor()
    cart.customer = "Bo"
    await laterOnMainActor()
    #expect(log.entries == [5, 2])
    withExtendedLifetime(token) {}
  }

  @Test("An optional value is posted, even if it is nil")
  func optional() async {
    let values = Log<String?>()
    let hearing = bus.observe(.cartDidGrow) { values.append($0) }
    let token = bus.forward(tracking: { [cart] in cart.items.first }, as: .cartDidGrow)
    cart.items = ["tea"]
    await laterOnMainActor()
    cart.items = []
    await laterOnMainActor()
    #expect(values.entries == ["tea", nil])
    withExtendedLifetime((token, hearing)) {}
  }

  @Test("A change by a handler of the event is posted next")
  func byAHandler() async {
    let cart = cart
    let handler = bus.observe(.cartDidChange) { @MainActor count in
      if count < 3 { cart.items.append("tea") }
    }
    let token = track()
    cart.items.append("tea")
    for _ in 0..<5 { await laterOnMainActor() }
    #expect(log.entries == [1, 2, 3])
    withExtendedLifetime((token, handler)) {}
  }

  @Test("After the token was cancelled nothing is posted, even for a change before that")
  func cancelled() async {
    let token = track()
    cart.items.append("tea")
    token.cancel()
    cart.items.append("rum")
    await laterOnMainActor()
    #expect(log.entries.isEmpty && !token.isActive)
  }

  @Test("After the token was cancelled on another thread, or dropped, nothing is posted")
  func elsewhere() async {
    let holder = Holder(track())
    blockedOnThread { holder.value?.cancel() }
    cart.items.append("tea")
    holder.hold(track())
    cart.items.append("rum")
    blockedOnThread { holder.letGo() }
    await laterOnMainActor()
    #expect(log.entries.isEmpty)
  }

  @Test("A closure or a handler may end the tracking")
  func endedInside() async {
    let holder = Holder<Token>()
    let handler = bus.observe(.cartDidChange) { count in if count == 2 { holder.value?.cancel() } }
    holder.hold(track())
    for _ in 0..<4 {
      cart.items.append("tea")
      await laterOnMainActor()
    }
    #expect(log.entries == [1, 2])

    holder.hold(
      bus.forward(
        tracking: { [cart] in
          if cart.items.isEmpty { holder.value?.cancel() }
          return cart.items.count
        },
        as: .cartDidChange
      )
    )
    cart.items = []
    await laterOnMainActor()
    cart.items = ["tea"]
    await laterOnMainActor()
    #expect(log.entries == [1, 2])
    withExtendedLifetime(handler) {}
  }

  @Test("A token that another thread ends during an evaluation leaves nothing in the models")
  func endedDuringAnEvaluation() async {
    let shelves = (0..<20).map { _ in Shelf() }
    let labels = WeakList<Label>()
    let holder = Holder<Token>()
    let (gate, rounds) = (StartGate(2), rounds(5_000, debug: 500, sanitized: 200))
    async let ending: Void = onThreads(1) { _ in
      for _ in 0..<rounds {
        gate.arriveAndWait()
        holder.letGo()
        gate.arriveAndWait()
      }
    }
    for _ in 0..<rounds {
      var evaluations = 0
      holder.hold(
        bus.forward(
          tracking: { [cart] in
            evaluations += 1
            for shelf in shelves {
              let label = Label()
              labels.append(label)
              shelf.read(with: label)
            }
            if evaluations == 2 { gate.arriveAndWait() }
            return cart.items.count
          },
          as: .cartDidChange
        )
      )
      cart.items.append("tea")
      await laterOnMainActor()
      gate.arriveAndWait()
    }
    await ending
    #expect(labels.liveCount == 0)
  }

  @available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *)
  @Test(
    "After the end of a token, its fence waits for an evaluation or a post that is running",
    arguments: [true, false]
  )
  func fence(isEvaluating: Bool) async {
    let (isRunning, mayEnd, order) = (ManualLatch(), ManualLatch(), Log<String>())
    let holdsOn: @MainActor () -> Void = {
      isRunning.open()
      mayEnd.block()
      order.append("the call ends")
    }
    let handler = bus.observe(.cartDidChange) { @MainActor _ in if !isEvaluating { holdsOn() } }
    var evaluations = 0
    let token = bus.forward(
      tracking: { [cart] in
        evaluations += 1
        if isEvaluating, evaluations == 2 { holdsOn() }
        return cart.items.count
      },
      as: .cartDidChange
    )
    let waiting = Task.detached {
      await isRunning.wait()
      token.cancel()
      // Runs here until it waits, which it must.
      let fence = Task.immediate {
        await token.waitUntilFinished()
        order.append("finished")
      }
      order.append("may end")
      mayEnd.open()
      await fence.value
    }
    cart.items.append("tea")
    await waiting.value
    #expect(order.entries == ["may end", "the call ends", "finished"])
    withExtendedLifetime(handler) {}
  }

  @Test("A tracking keeps its model until its end, and never its bus")
  func ownership() async {
    var (model, bus): (Cart?, EventBus?) = (Cart(), EventBus())
    weak let (formerModel, formerBus) = (model, bus)
    let token = bus?.forward(
      tracking: { [model] in model?.items.count ?? 0 },
      as: .cartDidChange
    )
    bus = nil
    #expect(formerBus == nil)
    model?.items.append("tea")
    model = nil
    await laterOnMainActor()
    #expect(formerModel != nil)
    token?.cancel()
    #expect(formerModel == nil)
  }

  @Test("Trackings that come and go leave nothing in the model")
  func comeAndGo() async {
    let shelf = Shelf()
    let labels = WeakList<Label>()
    let count = size(2_000, full: 10_000)
    for index in 0..<count {
      let token = bus.forward(
        tracking: { [cart] in
          let label = Label()
          labels.append(label)
          shelf.read(with: label)
          return cart.items.count
        },
        as: .cartDidChange
      )
      if index % 100 == 0 {
        cart.items.append("tea")
        await laterOnMainActor()
      }
      if index % 2 == 0 { token.cancel() }
    }
    #expect(labels.liveCount == 0)
    #expect(log.entries == Array(1...count / 100))
  }

  @Test(
    "Over 1,000 jobs with random changes, each job with a change is one event",
    arguments: 1...size(1, full: 3)
  )
  func randomly(seed: Int) async {
    var random = SampleNumbers(seed: seed)
    let token = track()
    var expected: [Int] = []
    for _ in 0..<1_000 {
      let changes = random.next(below: 3)
      for _ in 0..<changes { cart.items.append("tea") }
      if random.next(below: 2) == 0 { cart.customer += "!" }
      if changes > 0 { expected.append(cart.items.count) }
      await laterOnMainActor()
    }
    #expect(log.entries == expected)
    withExtendedLifetime(token) {}
  }
}
