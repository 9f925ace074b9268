import EventBus
import TestSupport
import Testing

@Suite("Element reports")
struct CollectionReportTests {
  private let shelf = Shelf([1, 2, 3])
  private let notes = Notes<String>()

  private func observe() -> Token {
    shelf.$items.observeElements { [notes] in notes.append($0.text) }
  }

  @Test("A whole assignment is reported as one change, whose difference is computed on demand")
  func assignment() {
    let token = shelf.$items.observeElements { [notes] change in
      #expect(change.kind == .set)
      #expect(change.splices.isEmpty)
      notes.append(change.minimalSplices().map(\.text).joined(separator: " "))
    }
    shelf.items = [1, 5, 3, 4]
    shelf.items = [1, 5, 3, 4]
    shelf.items = []
    #expect(notes.entries == ["=1[2]→[5] +3[4]", "-0[1, 5, 3, 4]"])
    withExtendedLifetime(token) {}
  }

  @Test("A plain mutation is reported; without the old value, its difference replaces everything")
  func mutation() {
    let token = shelf.$items.observeElements { [notes] change in
      #expect(change.kind == .set)
      for splice in change.minimalSplices() {
        notes.append("\(splice.range) \(splice.removed) \(splice.inserted)")
      }
    }
    shelf.items.append(4)
    shelf.items[0] = 9
    #expect(notes.entries == ["0..<3 [] [1, 2, 3, 4]", "0..<4 [] [9, 2, 3, 4]"])
    withExtendedLifetime(token) {}
  }

  @Test("The initial report comes once, before any change, as an insertion of all elements")
  func initial() {
    let token = shelf.$items.observeElements(initial: true) { [notes] change in
      notes.append("\(change.text): " + change.minimalSplices().map(\.text).joined())
    }
    shelf.itemsProperty.append(4)
    #expect(notes.entries == ["initial: +0[1, 2, 3]", "+3[4]: +3[4]"])
    withExtendedLifetime(token) {}
  }

  @Test("A batch is one change with all splices in order")
  func batchOfOperations() {
    let token = observe()
    batch {
      shelf.itemsProperty.append(4)
      shelf.itemsProperty.remove(at: 0)
      shelf.itemsProperty.swapAt(0, 1)
      #expect(notes.entries.isEmpty)
    }
    #expect(notes.entries == ["+3[4] -0[1] =0[2]→[3] =1[3]→[2]"])
    withExtendedLifetime(token) {}
  }

  @Test(
    "A batch without a net change reports nothing to observers of elements, however it was made"
  )
  func netZero() {
    let token = observe()
    let changes: [() -> Void] = [
      {
        shelf.itemsProperty.append(4)
        shelf.itemsProperty.remove(at: 3)
      },
      {
        shelf.itemsProperty.swapAt(0, 2)
        shelf.itemsProperty.move(from: 1, to: 2)
        shelf.itemsProperty.move(from: 2, to: 1)
        shelf.itemsProperty.swapAt(2, 0)
      },
      { shelf.itemsProperty.replace(at: 1, with: 2) },
      {
        shelf.itemsProperty.removeAll()
        shelf.itemsProperty.append(contentsOf: [1, 2, 3])
      },
      {
        shelf.items.append(4)
        shelf.items.removeLast()
      },
      {
        shelf.items = []
        shelf.items = [1, 2, 3]
      },
    ]
    for change in changes { batch { change() } }
    let other = shelf.$items.observe { _ in }
    for change in changes { batch { change() } }
    #expect(notes.entries.isEmpty)
    batch {
      shelf.itemsProperty.append(4)
      shelf.itemsProperty.remove(at: 0)
    }
    #expect(notes.entries.count == 1)
    withExtendedLifetime((token, other)) {}
  }

  @Test("An observer registered in a batch receives exactly the later changes")
  func registeredInBatch() {
    let first = observe()
    var mirror: [Int] = []
    var token: Token?
    batch {
      shelf.itemsProperty.append(4)
      token = shelf.$items.observeElements(initial: true) {
        for splice in $0.minimalSplices() { mirror.apply(splice) }
      }
      #expect(mirror == [1, 2, 3, 4])
      shelf.itemsProperty.remove(at: 0)
    }
    #expect(mirror == [2, 3, 4])
    shelf.itemsProperty.append(5)
    #expect(mirror == [2, 3, 4, 5])
    #expect(notes.entries == ["+3[4] -0[1]", "+3[5]"])
    withExtendedLifetime((first, token)) {}
  }

  @Test("A change made by an observer is reported in its own round")
  func reentrancy() {
    var mirrors = [[Int]](repeating: [1, 2, 3], count: 2)
    let tokens = (0..<2).map { index in
      shelf.$items.observeElements { [unowned shelf, notes] change in
        notes.append("\(index) \(change.text)")
        for splice in change.splices { mirrors[index].apply(splice) }
        #expect(mirrors[index] == change.new)
        if index == 0, change.new.count < 6 { shelf.itemsProperty.insert(change.new.count, at: 0) }
      }
    }
    shelf.itemsProperty.append(9)
    #expect(shelf.items == [5, 4, 1, 2, 3, 9])
    #expect(mirrors == [shelf.items, shelf.items])
    #expect(
      notes.entries == [
        "0 +3[9]", "1 +3[9]", "0 +0[4]", "1 +0[4]", "0 +0[5]", "1 +0[5]",
      ]
    )
    withExtendedLifetime(tokens) {}
  }

  @Test("A silently stored value is reported with the next change")
  func withoutNotifying() {
    let token = shelf.$items.observeElements { [notes] change in
      notes.append(change.text)
      for splice in change.minimalSplices() { notes.append("\(splice.range) \(splice.inserted)") }
    }
    shelf.itemsProperty.withoutNotifying { $0.append(4) }
    #expect(notes.entries.isEmpty)
    shelf.itemsProperty.append(5)
    shelf.itemsProperty.append(6)
    shelf.itemsProperty.withoutNotifying { $0.removeAll() }
    shelf.items = [1]
    #expect(
      notes.entries == [
        "set", "0..<3 [1, 2, 3, 4, 5]", "+5[6]", "5..<5 [6]", "set", "0..<6 [1]",
      ]
    )
    withExtendedLifetime(token) {}
  }

  @Test("In manual mode, the operations since the last notice are reported with the next one")
  func manual() {
    final class Model {
      @Observed(notifies: .manually) var items = [1]

      var itemsProperty: Observed<[Int]> { _items }
    }
    let model = Model()
    let token = model.$items.observeElements { [notes] change in
      notes.append(change.minimalSplices().map(\.text).joined(separator: " "))
    }
    model.itemsProperty.append(2)
    model.itemsProperty.remove(at: 0)
    #expect(notes.entries.isEmpty)
    model.itemsProperty.notifyChange(from: [1])
    let old = model.items
    model.items.append(3)
    model.itemsProperty.append(4)
    model.itemsProperty.notifyChange(from: old)
    batch {
      let old = model.items
      model.items = []
      model.itemsProperty.notifyChange(from: old)
    }
    #expect(notes.entries == ["+1[2] -0[1]", "+1[3, 4]", "-0[2, 3, 4]"])
    withExtendedLifetime(token) {}
  }

  @Test("Silent operations are kept individually up to a thousand")
  func manyWrites() {
    final class Model {
      @Observed(notifies: .manually) var items: [Int] = []

      var itemsProperty: Observed<[Int]> { _items }
    }
    let model = Model()
    let token = model.$items.observeElements { [notes] change in
      notes.append("\(change.kind) \(change.splices.count)")
    }
    for count in [1_000, 1_001] {
      let old = model.items
      for number in 0..<count { model.itemsProperty.append(number) }
      model.itemsProperty.notifyChange(from: old)
    }
    #expect(notes.entries == ["splices 1000", "set 0"])
    withExtendedLifetime(token) {}
  }

  @Test("Operations kept for reports are released with the last observer that needs them")
  func recordsAreFreed() {
    final class Model {
      @Observed(notifies: .manually) var items: [Tally.Probe] = []

      var itemsProperty: Observed<[Tally.Probe]> { _items }
    }
    let (model, tally) = (Model(), Tally())
    let token = model.$items.observeElements { _ in }
    model.itemsProperty.append(tally.probe())
    model.itemsProperty.removeAll()
    #expect(tally.live == 1)
    token.cancel()
    model.itemsProperty.append(contentsOf: [])
    model.itemsProperty.removeAll { _ in false }
    #expect(tally.live == 0)
  }

  @Test("After a pause that missed changes, the next change replaces all elements")
  func pause() {
    var mirror = [1, 2, 3]
    let token = shelf.$items.observeElements { [notes] change in
      notes.append(change.text)
      for splice in change.minimalSplices() { mirror.apply(splice) }
    }
    let pause = token.pause()
    shelf.itemsProperty.append(4)
    pause.cancel()
    shelf.itemsProperty.append(5)
    shelf.itemsProperty.append(6)
    #expect(mirror == [1, 2, 3, 4, 5, 6])
    #expect(notes.entries == ["set", "+5[6]"])
    withExtendedLifetime(token) {}
  }

  @Test(
    "With a validator, an operation is an assignment with an exact difference and may be declined"
  )
  func validator() {
    let tokens = [
      shelf.itemsProperty.validate { _, proposed in
        if proposed.count > 4 { return false }
        proposed.sort()
        return true
      },
      shelf.$items.observeElements { [notes] change in
        notes.append("\(change.kind) " + change.minimalSplices().map(\.text).joined(separator: " "))
      },
    ]
    shelf.itemsProperty.append(0)
    shelf.itemsProperty.append(9)
    #expect(shelf.items == [0, 1, 2, 3])
    #expect(notes.entries == ["set +0[0]"])
    withExtendedLifetime(tokens) {}
  }

  @Test(
    "If an observer changes the collection before an operation is stored, all steps stay chained"
  )
  func prior() {
    var mirror = [1, 2, 3]
    let tokens = [
      shelf.$items.observe(prior: true) { [unowned shelf] change in
        if change.kind == .prior, change.new.count == 4 { shelf.itemsProperty.removeAll() }
      },
      shelf.$items.observeElements { for splice in $0.minimalSplices() { mirror.apply(splice) } },
    ]
    shelf.itemsProperty.append(4)
    #expect(shelf.items == [1, 2, 3, 4])
    #expect(mirror == [1, 2, 3, 4])
    withExtendedLifetime(tokens) {}
  }

  @Test("An operation with an equal result is reported only if the old value was not kept")
  func equal() {
    let token = observe()
    shelf.itemsProperty.replace(at: 0, with: 1)
    #expect(notes.entries == ["=0[1]→[1]"])
    let other = shelf.$items.observe { _ in }
    shelf.itemsProperty.replace(at: 0, with: 1)
    #expect(notes.entries.count == 1)
    withExtendedLifetime((token, other)) {}
  }
}

@Suite("Copies of observed collections")
struct CollectionCopyTests {
  private func address(_ shelf: Shelf) -> UInt {
    let items = shelf.$items.value
    return unsafe items.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }  // Reason: compared.
  }

  /// Returns whether the elements kept their addresses after all operations.
  private func staysInPlace(_ shelf: Shelf) -> Bool {
    shelf.items.reserveCapacity(100)
    let address = address(shelf)
    shelf.itemsProperty.append(4)
    shelf.itemsProperty.append(contentsOf: [5, 6])
    shelf.itemsProperty.insert(0, at: 0)
    shelf.itemsProperty.insert(contentsOf: [7, 8], at: 2)
    shelf.itemsProperty.remove(at: 1)
    shelf.itemsProperty.removeSubrange(0..<1)
    shelf.itemsProperty.replace(at: 0, with: 3)
    shelf.itemsProperty.replaceSubrange(1..<2, with: [1, 2, 3])
    shelf.itemsProperty.move(from: 0, to: 3)
    shelf.itemsProperty.swapAt(0, 1)
    shelf.itemsProperty.removeAll { $0 == 2 }
    batch {
      shelf.itemsProperty.append(7)
      shelf.items.append(8)
    }
    shelf.items.append(9)
    shelf.itemsProperty.removeAll()
    shelf.itemsProperty.append(1)
    return address == self.address(shelf)
  }

  @Test("Observers of elements alone cause no copy")
  func inPlace() {
    let shelf = Shelf([1, 2, 3])
    var count = 0
    let token = shelf.$items.observeElements { _ in count += 1 }
    #expect(staysInPlace(shelf))
    #expect(count == 16)
    withExtendedLifetime(token) {}
  }

  @Test("An observer of whole values, a validator and a prior observer each cause one copy")
  func copies() {
    let shelf = Shelf([1, 2, 3])
    let kept = shelf.$items.observeElements { _ in }
    let wishes: [() -> Token] = [
      { shelf.$items.observe { _ in } },
      { shelf.$items.observe(prior: true) { _ in } },
      { shelf.itemsProperty.validate { _, _ in true } },
    ]
    for wish in wishes {
      let token = wish()
      #expect(!staysInPlace(shelf))
      token.cancel()
      #expect(staysInPlace(shelf))
    }
    withExtendedLifetime(kept) {}
  }

  @Test("Splices after a batch that a predicate declined are a reset, whose offsets fit")
  func declinedBatch() {
    let list = Observed(wrappedValue: [1], comparing: { $0.isEmpty == $1.isEmpty })
    let notes = Notes<String>()
    let token = list.readOnly.observeElements { change in
      let (removals, insertions) = (change.removals.ranges, change.insertions.ranges)
      notes.append("-\(Array(removals)) +\(Array(insertions))\(change.isReset ? " reset" : "")")
    }
    batch {
      list.wrappedValue = []
      list.wrappedValue = [1, 2]
    }
    list.append(3)
    list.append(4)
    #expect(notes.entries == ["-[Range(0..<1)] +[Range(0..<3)] reset", "-[] +[Range(3..<4)]"])
    withExtendedLifetime(token) {}
  }

  @Test("Removals and insertions are the offsets of a batch update; a reset replaces everything")
  func offsets() {
    let (shelf, notes) = (Shelf([1, 2, 3]), Notes<String>())
    let token = shelf.$items.observeElements(initial: true) { change in
      let (removals, insertions) = (change.removals.ranges, change.insertions.ranges)
      notes.append("-\(Array(removals)) +\(Array(insertions))\(change.isReset ? " reset" : "")")
    }
    let keeping = shelf.$items.observe { _ in }
    shelf.itemsProperty.move(from: 0, to: 2)
    shelf.items = [2, 4, 1]
    keeping.cancel()
    shelf.items.append(5)
    #expect(
      notes.entries == [
        "-[] +[Range(0..<3)] reset", "-[Range(0..<1)] +[Range(2..<3)]",
        "-[Range(1..<2)] +[Range(1..<2)]", "-[Range(0..<3)] +[Range(0..<4)] reset",
      ]
    )
    withExtendedLifetime((token, keeping)) {}
  }
}
