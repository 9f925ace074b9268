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
      #expect(text.contains("Chain.swift:\(index) was set more than 100 times"), "\(pair)")
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
        text.contains("the binding of the property at Sample/Bound.swift:\(line) has stopped")
      )
    }
  }
}
#endif
