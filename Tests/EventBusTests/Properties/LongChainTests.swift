import EventBus
import TestSupport
import Testing

/// A property of any kind, whose handlers and bindings are on the main actor.
@MainActor
private final class Source {
  enum Kind: CaseIterable, Sendable { case observed, computed, shared }

  private let kind: Kind
  private let observed = Observed(wrappedValue: 0)
  private let shared = SharedObserved(0)
  private lazy var computed = Computed(observed) { $0 }
  private var token: Token?

  init(_ kind: Kind) { self.kind = kind }

  var value: Int {
    get { kind == .shared ? shared.value : observed.wrappedValue }
    set { if kind == .shared { shared.value = newValue } else { observed.wrappedValue = newValue } }
  }

  func observe(_ body: @escaping @MainActor (Int) -> Void) {
    switch kind {
    case .observed: token = observed.observe { body($0.new) }
    case .computed: token = computed.observe { body($0.new) }
    case .shared: token = shared.observe { @MainActor in body($0.new) }
    }
  }

  func bind(to label: Label) {
    switch kind {
    case .observed: observed.bind(to: label, \.number)
    case .computed: computed.bind(to: label, \.number)
    case .shared: shared.bind(to: label, \.number)
    }
  }
}

@MainActor
private final class Label {
  var number = -1
}

@MainActor
@Suite("Bindings beside long series of changes")
struct LongChainTests {
  /// More changes than a binding follows in one chain.
  private static let count = size(10_500, full: 20_000)

  @Test("A binding assigns the last of many thousand values that one handler sets")
  func series() async {
    for kind in Source.Kind.allCases {
      let (source, label) = (Source(kind), Label())
      source.observe { [unowned source] number in
        if number == 1 { for number in 2...Self.count { source.value = number } }
      }
      source.bind(to: label)
      source.value = 1
      await rest()
      #expect(label.number == Self.count, "\(kind)")
    }
  }

  @Test("A binding assigns the last of many thousand values that a handler sets one after another")
  func countdown() async {
    for kind in Source.Kind.allCases {
      let (source, label) = (Source(kind), Label())
      source.observe { [unowned source] number in if number > 0 { source.value = number - 1 } }
      source.bind(to: label)
      source.value = Self.count
      await rest()
      #expect(label.number == 0, "\(kind)")
    }
  }

  @Test("A binding of a property that is set late in a series of another one's changes assigns it")
  func another() async {
    for kind in Source.Kind.allCases {
      for other in Source.Kind.allCases where kind == other || isFullSize {
        let (source, target, label) = (Source(kind), Source(other), Label())
        source.observe { [unowned source] number in
          if number == Self.count - 500 { target.value = 7 }
          if number < Self.count { source.value = number + 1 }
        }
        target.bind(to: label)
        source.value = 1
        await rest()
        #expect(label.number == 7, "\(kind), \(other)")
      }
    }
  }
}
