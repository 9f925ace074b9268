import EventBus
import TestSupport
import Testing

/// Computed values of computed values, in chains that no stack would hold.
@Suite("Long chains of computed values")
struct ComputedChainTests {
  /// What a chain consists of; each link is computed from the one before.
  private enum Shape: CaseIterable {
    case plain
    /// Each link also has its own property, as the balances of an account book have.
    case accountBook
    /// Each link has the two before it as sources.
    case ladder
    /// Two links side by side, each of both before them: without order, a number of visits that doubles each time.
    case diamonds
    /// The sources are views of another type.
    case views

    func links(_ count: Int, on base: Observed<Int>, _ probe: Tally.Probe) -> [Computed<Int>] {
      func first() -> Computed<Int> {
        Computed(base) { value in
          probe.touch()
          return value
        }
      }
      var links = [first(), first()]
      while links.count < count {
        let (last, other) = (links[links.count - 1], links[links.count - 2])
        switch self {
        case .plain: links.append(Computed(last) { $0 &+ 1 })
        case .accountBook:
          links.append(Computed(Observed(wrappedValue: 1).readOnly, last, from: &+))
        case .ladder: links.append(Computed(last, other) { last, _ in last &+ 1 })
        case .diamonds:
          links.append(Computed(last, other) { last, _ in last &+ 1 })
          links.append(Computed(other, last) { other, _ in other &+ 1 })
        case .views: links.append(Computed(base.readOnly, last) { _, last in last &+ 1 })
        }
      }
      return links
    }
  }

  /// More than a stack of 128 KiB has room for, with whatever the compiler makes of a call.
  private static let count = size(800, full: 100_000)

  /// Runs a closure with chains of all shapes, on a small stack.
  private func onSmallStack(
    _ body:
      @escaping @Sendable (_ base: Observed<Int>, _ links: [Computed<Int>], _ shape: String) -> Void
  ) {
    for shape in Shape.allCases {
      onStack(of: 128 << 10) {
        let base = Observed(wrappedValue: 0)
        body(base, shape.links(Self.count, on: base, Tally().probe()), "\(shape)")
      }
    }
  }

  @Test("The last value is read first, and again after each change at the beginning")
  func reading() {
    onSmallStack { base, links, shape in
      guard let last = links.last else { return }
      let first = last.value
      #expect(first > 0, "\(shape)")
      base.wrappedValue = 5
      #expect(last.value == first + 5, "\(shape)")
      batch {
        base.wrappedValue = 6
        #expect(last.value == first + 6, "\(shape)")
      }
    }
  }

  @Test("A change reaches the observers of the last value, and no value is computed twice for it")
  func observing() {
    onSmallStack { base, links, shape in
      guard let last = links.last else { return }
      let notes = Notes<Int>()
      let counter = Counter()
      let end = Computed(last, links[links.count / 2]) { last, _ in
        counter.add()
        return last
      }
      let token = end.observe { notes.append($0.new - $0.old) }
      base.wrappedValue = 3
      batch {
        base.wrappedValue = 4
        base.wrappedValue = 5
      }
      #expect(notes.entries == [3, 2], "\(shape)")
      #expect(counter.value == 3, "\(shape)")
      withExtendedLifetime(token) {}
    }
  }

  @Test("Each value of a chain is read and observed")
  func readingAll() {
    onSmallStack { base, links, shape in
      let sum = Notes<Int>()
      let tokens = links.suffix(10).map { link in link.observe { sum.append($0.new - $0.old) } }
      for link in links { _ = link.value }
      base.wrappedValue = 2
      #expect(sum.entries == Array(repeating: 2, count: 10), "\(shape)")
      withExtendedLifetime(tokens) {}
    }
  }

  @Test("The last reference to the last value releases the chain, whether it was computed or not")
  func release() {
    for shape in Shape.allCases {
      for isRead in [false, true] {
        onStack(of: 128 << 10) {
          let (base, tally) = (Observed(wrappedValue: 0), Tally())
          var last = shape.links(Self.count, on: base, tally.probe()).last
          if isRead { _ = last?.value }
          base.wrappedValue = 9
          #expect(tally.live == 1, "\(shape)")
          withExtendedLifetime(last) {}
          last = nil
          #expect(tally.live == 0, "\(shape)")
        }
      }
    }
  }

  @Test("A handler may release the chain from which it is called")
  func releaseInAHandler() {
    for shape in Shape.allCases {
      onStack(of: 128 << 10) {
        let (base, tally) = (Observed(wrappedValue: 0), Tally())
        var last = shape.links(Self.count, on: base, tally.probe()).last
        let notes = Notes<Int>()
        let token = last?.observe { change in
          notes.append(change.new - change.old)
          last = nil
        }
        base.wrappedValue = 1
        base.wrappedValue = 3
        #expect(notes.entries == [1], "\(shape)")
        #expect(tally.live == 0, "\(shape)")
        withExtendedLifetime(token) {}
      }
    }
  }
}
