#if os(Linux) || os(macOS)
import EventBus
import TestSupport
import Testing

/// Where the handler of a property runs, and of which kind the property is.
private enum Party: CaseIterable, Sendable {
  case shared, sharedOnMain, sharedOnActor, observedOnMain, weakOnMain

  /// All pairs but those whose handlers would set a property of the main actor elsewhere.
  static var pairs: [[Party]] {
    allCases.flatMap { one in allCases.map { [one, $0] } }
      .filter { Set($0) != [.observedOnMain, .sharedOnActor] }
  }
}

/// A property that sets its partner in its handler, until a number is reached.
@MainActor
private final class Player {
  private final class Ball: LifetimeOwner, Sendable {
    let lifetime = Lifetime()
    let number: Int
    init(_ number: Int) { self.number = number }
  }

  private actor Place {}

  private let party: Party
  private let observed: Observed<Int>
  private let shared: SharedObserved<Int>
  private let weak: WeakObserved<Ball>
  private let balls = Holder<Ball>()
  private let place = Place()
  private var token: Token?

  init(_ party: Party, line: UInt) {
    self.party = party
    observed = Observed(wrappedValue: 0, fileID: "Sample/Chain.swift", line: line)
    shared = SharedObserved(0, fileID: "Sample/Chain.swift", line: line)
    weak = WeakObserved(fileID: "Sample/Chain.swift", line: line)
  }

  /// Returns a way to set the property from anywhere.
  private var setter: @Sendable (Int) -> Void {
    let (shared, weak, balls) = (shared, weak, balls)
    switch party {
    case .shared, .sharedOnMain, .sharedOnActor: return { shared.value = $0 }
    case .weakOnMain:
      return { number in
        let ball = Ball(number)
        balls.hold(ball)
        weak.wrappedValue = ball
      }
    case .observedOnMain:
      return { number in
        MainActor.assumeIsolated { [weak self] in self?.observed.wrappedValue = number }
      }
    }
  }

  func set(_ number: Int) { setter(number) }

  func play(with other: Player, until last: Int, _ done: ManualLatch) {
    let set = other.setter
    let answer: @Sendable (Int) -> Void = { number in
      if number < last { set(number + 1) } else { done.open() }
    }
    switch party {
    case .shared: token = shared.observe { @Sendable change in answer(change.new) }
    case .sharedOnMain: token = shared.observe { @MainActor change in answer(change.new) }
    case .sharedOnActor: token = shared.observe(owner: place) { _, change in answer(change.new) }
    case .observedOnMain: token = observed.readOnly.observe { change in answer(change.new) }
    case .weakOnMain:
      token = weak.projectedValue.observe { @MainActor change in
        if let ball = change.new { answer(ball.number) }
      }
    }
  }
}

@Suite("Properties that set each other")
struct SettingChainTests {
  @Test(
    "Two properties that set each other are warned about, of whichever kinds, wherever their handlers run"
  )
  func warning() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      @MainActor func run() async {
        for (index, pair) in Party.pairs.enumerated() {
          let (one, other) = (
            Player(pair[0], line: UInt(index)), Player(pair[1], line: UInt(index))
          )
          let done = ManualLatch()
          one.play(with: other, until: 400, done)
          other.play(with: one, until: 400, done)
          one.set(1)
          await done.wait()
        }
      }
      await run()
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    for (index, pair) in Party.pairs.enumerated() {
      #expect(text.contains("Chain.swift:\(index) was set "), "\(pair)")
      #expect(text.contains("more than 100 "), "\(pair)")
    }
  }

  @Test("Properties that are bound to each other, and are never equal, stop with a message")
  func bindings() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      @MainActor func run() async {
        let pairs: [[BoundPair<Odd>.Kind]] = [
          [.observed, .observed], [.computed, .computed], [.shared, .shared],
        ]
        for (index, kinds) in pairs.enumerated() {
          let pair = BoundPair(kinds, Odd(), line: UInt(index))
          pair.set(Odd(number: 1))
          await rest()
          precondition(pair.first.number == 1 && pair.second.number == 1)
        }
      }
      await run()
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    for line in 0..<3 {
      #expect(
        text.contains(
          "The binding of the property at Sample/Bound.swift:\(line) stopped after a chain"
        )
      )
    }
  }

  @Test("A circle of three shared properties stops with a message, wherever its binding is")
  func ring() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      @MainActor func run() async {
        for first in 0..<size(1, full: 3) {
          let ring = Ring(line: UInt(first))
          ring[first] = Odd(number: 1)
          await rest()
        }
      }
      await run()
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    for line in 0..<size(1, full: 3) {
      #expect(
        text.contains(
          "The binding of the property at Sample/Ring.swift:\(line) stopped after a chain"
        )
      )
    }
  }

  @Test("All bindings of a property stop with a message if one of them never ends")
  func severalBindings() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let property = Observed(wrappedValue: Odd(), fileID: "Sample/Both.swift", line: 1)
      let (one, other) = (Bound(property), Bound(property))
      property.bind(to: one, \.value)
      property.bind(to: other, \.value)
      one.isDeaf = false
      property.wrappedValue = Odd(number: 1)
      precondition(property.wrappedValue.number == 1)
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.split(separator: "\n").filter { $0.contains("stopped after a chain") }.count == 2)
  }

  @Test("A shared property that is set once in a series of another property is not warned about")
  func onceInASeries() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let source = Observed(wrappedValue: 0, fileID: "Sample/Source.swift", line: 1)
      let shared = SharedObserved(0, fileID: "Sample/Shared.swift", line: 1)
      let tokens = [
        shared.observe { _ in },
        source.observe { [unowned source] change in
          if change.new == 1 { for number in 2...200 { source.wrappedValue = number } }
          if change.new == 150 { shared.value = 1 }
        },
      ]
      source.wrappedValue = 1
      precondition(shared.value == 1)
      withExtendedLifetime(tokens) {}
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("Source.swift") && !text.contains("Shared.swift"), "\(text)")
  }

  @Test("The warning about a shared property says that it was set at the end of a chain")
  func chainOfOthers() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let properties = (0..<150).map {
        SharedObserved(0, fileID: "Sample/Long.swift", line: UInt($0))
      }
      let tokens = zip(properties, properties.dropFirst())
        .map { one, next in one.observe { next.value = $0.new } }
      let last = properties[149].observe { _ in }
      properties[0].value = 1
      precondition(properties[149].value == 1)
      withExtendedLifetime((tokens, last)) {}
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(
      text.contains("Long.swift:101 was set at the end of a chain of more than 100 changes")
    )
    #expect(!text.contains("its own observers") && !text.contains("Long.swift:100 "))
  }
}

/// Three shared properties that set each other in a circle; the first does by a binding.
@MainActor
private final class Ring {
  private let properties: [SharedObserved<Odd>]
  private var tokens: [Token] = []

  init(line: UInt) {
    let properties = (0..<3).map { _ in
      SharedObserved(Odd(), fileID: "Sample/Ring.swift", line: line)
    }
    self.properties = properties
    tokens = [
      properties[1].observe { properties[2].value = $0.new },
      properties[2].observe { properties[0].value = $0.new },
    ]
    properties[0].bind(to: self, \.second)
  }

  var second: Odd {
    get { self[1] }
    set { self[1] = newValue }
  }

  subscript(index: Int) -> Odd {
    get { properties[index].value }
    set { properties[index].value = newValue }
  }
}

/// The target of a binding, which sets the property that is bound.
private final class Bound {
  private unowned let property: Observed<Odd>
  var isDeaf = true

  init(_ property: Observed<Odd>) { self.property = property }

  var value: Odd {
    get { property.wrappedValue }
    set { if !isDeaf { property.wrappedValue = newValue } }
  }
}
#endif
