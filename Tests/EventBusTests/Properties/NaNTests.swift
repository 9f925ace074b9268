import EventBus
import TestSupport
import Testing

/// A structure with a number, as a view's geometry has.
private struct Mark: Equatable, Sendable {
  var place: Double
  var name = ""
}

private enum Reading: Equatable, Sendable {
  case none
  case some(Float, Int)
}

/// A structure that shows a mirror less than it contains.
private struct Veiled: Equatable, Sendable, CustomReflectable {
  var place = Double.nan
  var name = ""

  var customMirror: Mirror { Mirror(self, children: ["place": place]) }
}

/// A value that counts the calls of its `==`.
private struct Counted: Equatable, Sendable {
  var number: Int
  let calls: Counter

  static func == (left: Counted, right: Counted) -> Bool {
    left.calls.add()
    return left.number == right.number
  }
}

/// A list whose `==` goes through it by calls that nest.
private indirect enum Chain: Equatable, Sendable {
  case end
  case link(Int, Chain)

  static func == (left: Chain, right: Chain) -> Bool {
    switch (left, right) {
    case (.end, .end): true
    case let (.link(one, left), .link(other, right)): one == other && left == right
    default: false
    }
  }
}

/// A value that says of all others, and of itself, that it is another.
struct Odd: Equatable, Sendable {
  var number = 0

  static func == (left: Odd, right: Odd) -> Bool { false }
}

private final class Box<Value: Equatable> {
  @Observed var value: Value

  init(_ value: Value) { self.value = value }
}

@Suite("Values that are not a number")
struct NaNTests {
  /// The ways in which a value reaches observers.
  private enum Kind: CaseIterable {
    case assignment, mutation, inBatch, shared, sharedUpdate, computed, path

    /// Returns the number of changes reported for an assignment.
    func reports<Value: Equatable & Sendable>(from first: Value, to second: Value) -> Int {
      let counter = Counter()
      let property = Observed(wrappedValue: first)
      switch self {
      case .shared, .sharedUpdate:
        let shared = SharedObserved(first)
        let token = shared.observe { _ in counter.add() }
        if self == .shared { shared.value = second } else { shared.update { $0 = second } }
        return withExtendedLifetime(token) { counter.value }
      case .computed:
        let source = Observed(wrappedValue: 0)
        let computed = Computed(source) { $0 == 0 ? first : second }
        let token = computed.observe { _ in counter.add() }
        source.wrappedValue = 1
        return withExtendedLifetime((token, computed)) { counter.value }
      case .path:
        let outer = Observed(wrappedValue: Box(first))
        let owner = PlainOwner()
        outer.readOnly.observe(\.$value, owner: owner) { _, _ in counter.add() }
        outer.wrappedValue = Box(second)
        return withExtendedLifetime(owner) { counter.value }
      case .assignment, .mutation, .inBatch: break
      }
      let token = property.readOnly.observe { _ in counter.add() }
      switch self {
      case .mutation:
        func replace(_ value: inout Value) { value = second }
        replace(&property.wrappedValue)
      case .inBatch: batch { property.wrappedValue = second }
      default: property.wrappedValue = second
      }
      return withExtendedLifetime(token) { counter.value }
    }
  }

  /// Expects reports from every kind of property.
  private func expect<Value: Equatable & Sendable>(
    _ count: Int,
    from first: Value,
    to second: Value,
    _ location: SourceLocation = #_sourceLocation
  ) {
    for kind in Kind.allCases {
      #expect(kind.reports(from: first, to: second) == count, "\(kind)", sourceLocation: location)
    }
  }

  @Test("Replacing NaN with NaN is not a change, for any type and sign")
  func numbers() {
    expect(0, from: Double.nan, to: .nan)
    expect(0, from: Double.nan, to: -.nan)
    expect(0, from: Double.nan, to: .signalingNaN)
    expect(0, from: Float.nan, to: .nan)
    #if !(os(macOS) && arch(x86_64))
    expect(0, from: Float16.nan, to: .nan)
    expect(0, from: [Float16?.some(.nan)], to: [.nan])
    #endif
    #if arch(x86_64) && !os(Windows)
    expect(0, from: Float80.nan, to: .nan)
    expect(0, from: [Float80?.some(.nan)], to: [.nan])
    #endif
    expect(0, from: 0.0, to: -0.0)
    expect(1, from: Double.nan, to: 1)
    expect(1, from: 1, to: Double.nan)
  }

  @Test("Replacing NaN with NaN inside nested optionals, arrays and dictionaries is not a change")
  func nested() {
    expect(0, from: Double?.some(.nan), to: .nan)
    expect(1, from: Double?.some(.nan), to: nil)
    expect(1, from: Double?.none, to: .nan)
    expect(0, from: Double?.none, to: nil)
    expect(0, from: Float??.some(.nan), to: .nan)
    expect(1, from: Float??.some(.nan), to: .some(nil))
    expect(0, from: [Double.nan, 1], to: [.nan, 1])
    expect(1, from: [Double.nan, 1], to: [.nan, 2])
    expect(1, from: [Double.nan], to: [.nan, .nan])
    expect(0, from: [Double.nan][...], to: [1, .nan].dropFirst())
    expect(1, from: [Double.nan][...], to: [1, .nan, 2].dropFirst())
    expect(0, from: ContiguousArray([Float.nan]), to: [.nan])
    expect(1, from: ContiguousArray([Float.nan]), to: [1])
    expect(0, from: ["a": Float.nan], to: ["a": .nan])
    expect(1, from: ["a": Float.nan], to: ["b": .nan])
    expect(1, from: ["a": Float.nan], to: ["a": 1])
    expect(0, from: [Double]?.some([.nan]), to: [.nan])
    expect(1, from: [Double]?.some([.nan]), to: [1])
    expect(0, from: [Double?.some(.nan), nil], to: [.nan, nil])
    expect(1, from: [Double?.some(.nan), nil], to: [nil, .nan])
    expect(0, from: [[Double.nan], [], [1]], to: [[.nan], [], [1]])
    expect(1, from: [[Double.nan], [], [1]], to: [[.nan], [1], []])
    expect(0, from: ["a": [Double.nan]], to: ["a": [.nan]])
    expect(1, from: ["a": [Double.nan]], to: ["a": [.nan, 1]])
    expect(0, from: [["a": Double?.some(.nan)]], to: [["a": .nan]])
    expect(1, from: [["a": Double?.some(.nan)]], to: [["a": Double?.none]])
  }

  @Test("Replacing NaN with NaN in a vector is not a change")
  func vectors() {
    expect(0, from: SIMD2(Double.nan, 1), to: SIMD2(.nan, 1))
    expect(1, from: SIMD2(Double.nan, 1), to: SIMD2(.nan, 2))
    expect(1, from: SIMD2(Double.nan, 1), to: SIMD2(1, .nan))
    expect(0, from: SIMD3(Float.nan, 1, 2), to: SIMD3(.nan, 1, 2))
    expect(0, from: SIMD4(Float.nan, 1, 2, 3), to: SIMD4(.nan, 1, 2, 3))
    expect(0, from: SIMD8(repeating: Float.nan), to: SIMD8(repeating: .nan))
    expect(0, from: SIMD16(repeating: Float.nan), to: SIMD16(repeating: .nan))
    expect(0, from: SIMD32(repeating: Float.nan), to: SIMD32(repeating: .nan))
    expect(0, from: SIMD64(repeating: Float.nan), to: SIMD64(repeating: .nan))
    expect(0, from: SIMD2<Double>?.some(SIMD2(.nan, 1)), to: SIMD2(.nan, 1))
    expect(0, from: [SIMD2(Double.nan, 1)], to: [SIMD2(.nan, 1)])
    expect(1, from: [SIMD2(Double.nan, 1)], to: [SIMD2(.nan, 2)])
    expect(0, from: SIMD2(1, 2), to: SIMD2(1, 2))
    expect(1, from: SIMD2(1, 2), to: SIMD2(2, 1))
  }

  @Test("Of structures and enumerations, `==` decides, which finds NaN different")
  func structures() {
    expect(1, from: Mark(place: .nan, name: "a"), to: Mark(place: .nan, name: "a"))
    expect(0, from: Mark(place: 1, name: "a"), to: Mark(place: 1, name: "a"))
    expect(1, from: Reading.some(.nan, 1), to: .some(.nan, 1))
    expect(0, from: Reading.some(1, 1), to: .some(1, 1))
    expect(1, from: [Mark(place: .nan)], to: [Mark(place: .nan)])
  }

  @Test("A predicate also decides about structures and enumerations")
  func predicateOfStructures() {
    let counter = Counter()
    let property = Observed(wrappedValue: Mark(place: .nan, name: "a")) { one, other in
      (one.place == other.place || one.place.isNaN && other.place.isNaN) && one.name == other.name
    }
    let token = property.readOnly.observe { _ in counter.add() }
    property.wrappedValue = Mark(place: .nan, name: "a")
    #expect(counter.value == 0)
    property.wrappedValue = Mark(place: .nan, name: "b")
    #expect(counter.value == 1)
    withExtendedLifetime(token) {}
  }

  @Test("A change of a part that a mirror of the value does not show is one")
  func reflection() {
    expect(1, from: Veiled(), to: Veiled(name: "a"))
    let property = Observed(wrappedValue: Veiled())
    let token = property.readOnly.observe { _ in }
    property.wrappedValue.name = "a"
    #expect(property.wrappedValue.name == "a")
    withExtendedLifetime(token) {}
  }

  @Test("A change calls `==` once for each comparison, however much the value contains")
  func calls() {
    for kind in Kind.allCases {
      let calls = Counter()
      let values = (1...2).map { Counted(number: $0, calls: calls) }
      #expect(kind.reports(from: values[0], to: values[1]) == 1)
      // A batch also compares its net change; and a computed value, whether its observers know it.
      #expect(calls.value == (kind == .inBatch || kind == .computed ? 2 : 1), "\(kind)")
    }
  }

  @Test("Long lists that differ at their head are not compared to their end")
  func lists() {
    // Released outside the small stack, because the release of the links nests.
    let rest = (0..<5_000).reduce(Chain.end) { .link($1, $0) }
    let (one, other) = (Chain.link(-1, rest), Chain.link(-2, rest))
    defer { withExtendedLifetime((rest, one, other)) {} }
    onStack(of: 128 << 10) {
      let (property, shared) = (Observed(wrappedValue: one), SharedObserved(one))
      let count = Counter()
      let tokens = [
        property.readOnly.observe { _ in count.add() }, shared.observe { _ in count.add() },
      ]
      property.wrappedValue = other
      shared.value = other
      #expect(count.value == 2)
      withExtendedLifetime(tokens) {}
    }
  }

  @Test("Apart from NaN, `==` decides, even about a value that differs from itself")
  func odd() {
    expect(1, from: Odd(), to: Odd())
    expect(1, from: Odd?.some(Odd()), to: Odd())
  }

  @Test("A custom predicate also decides about NaN")
  func predicate() {
    let counter = Counter()
    let property = Observed(wrappedValue: Double.nan, comparing: ==)
    let token = property.readOnly.observe { _ in counter.add() }
    property.wrappedValue = .nan
    #expect(counter.value == 1)
    withExtendedLifetime(token) {}
  }

  @Test("Elements that are NaN are not a difference between collections")
  func elements() {
    let list = Observed(wrappedValue: [1, Double.nan, 2])
    let splices = Notes<Splice<Double>>()
    let tokens = [
      list.readOnly.observeElements { splices.entries += $0.minimalSplices() },
      list.readOnly.observe { _ in },
    ]
    list.wrappedValue = [1, .nan, 2, 3]
    #expect(splices.entries.map(\.range) == [3..<3])
    withExtendedLifetime(tokens) {}
  }

  @Test("Nor are elements that contain NaN")
  func nestedElements() {
    let list = Observed(wrappedValue: [[1], [Double.nan], [2]])
    let splices = Notes<Splice<[Double]>>()
    let tokens = [
      list.readOnly.observeElements { splices.entries += $0.minimalSplices() },
      list.readOnly.observe { _ in },
    ]
    list.wrappedValue = [[1], [.nan], [2], [3]]
    #expect(splices.entries.map(\.range) == [3..<3])
    batch {
      list.replace(at: 1, with: [3])
      list.replace(at: 1, with: [.nan])
    }
    #expect(splices.entries.count == 1)
    withExtendedLifetime(tokens) {}
  }
}

/// Two properties of each kind, and bindings from one to the other.
@MainActor
final class BoundPair<Value: Equatable & Sendable> {
  /// The kinds of properties that can be bound.
  enum Kind: CaseIterable, Sendable { case observed, shared, computed }

  private let observed: [Observed<Value>]
  private let shared: [SharedObserved<Value>]
  private let computed: [Computed<Value>]
  private let kinds: [Kind]
  /// The number of assignments by bindings.
  private(set) var count = 0

  init(_ kinds: [Kind], _ value: Value, line: UInt = 1) {
    let properties = (0..<2).map { _ in
      Observed(wrappedValue: value, fileID: "Sample/Bound.swift", line: line)
    }
    observed = properties
    computed = properties.map {
      Computed($0, from: { $0 }, fileID: "Sample/Bound.swift", line: line)
    }
    shared = (0..<2).map { _ in SharedObserved(value, fileID: "Sample/Bound.swift", line: line) }
    self.kinds = kinds
    bind(0, to: \.second)
    bind(1, to: \.first)
  }

  /// The value of a property; setting it counts.
  private subscript(index: Int) -> Value {
    get { kinds[index] == .shared ? shared[index].value : observed[index].wrappedValue }
    set {
      count += 1
      set(newValue, index)
    }
  }

  var first: Value {
    get { self[0] }
    set { self[0] = newValue }
  }

  var second: Value {
    get { self[1] }
    set { self[1] = newValue }
  }

  func set(_ value: Value, _ index: Int = 0) {
    if kinds[index] == .shared {
      shared[index].value = value
    } else {
      observed[index].wrappedValue = value
    }
  }

  private func bind(_ index: Int, to path: ReferenceWritableKeyPath<BoundPair, Value>) {
    switch kinds[index] {
    case .observed: observed[index].bind(to: self, path)
    case .shared: shared[index].bind(to: self, path)
    case .computed: computed[index].bind(to: self, path)
    }
  }
}

@MainActor
@Suite("Properties that are bound to each other")
struct BoundPairTests {
  @Test("A change ends where the values are equal, even with NaN")
  func ends() async {
    let all = BoundPair<Double>.Kind.allCases
    let pairs = all.flatMap { first in all.map { [first, $0] } }
      .map { (kinds: $0, pair: BoundPair($0, 0.0)) }
    for value in [1, Double.nan, .nan, 2, -.nan] {
      for (_, pair) in pairs { pair.set(value) }
      await rest()
      for (kinds, pair) in pairs {
        #expect(pair.first.isNaN == value.isNaN && pair.second.isNaN == value.isNaN, "\(kinds)")
      }
    }
    for (kinds, pair) in pairs {
      #expect(pair.count <= 15, "\(kinds): \(pair.count) assignments")
    }
  }
}
