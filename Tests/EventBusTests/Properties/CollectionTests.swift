import EventBus
import TestSupport
import Testing

@Suite("Observed collections")
struct CollectionTests {
  /// Performs an operation on a shelf and returns the changes that the observer of its items
  /// received.
  private func told(_ items: [Int] = [], _ body: (Shelf) -> Void) -> [String] {
    let (shelf, notes) = (Shelf(items), Notes<String>())
    let token = shelf.$items.observeElements { notes.append($0.text) }
    body(shelf)
    return withExtendedLifetime(token) { notes.entries }
  }

  @Test("Appending reports an insertion at the end")
  func append() {
    let told = told([1]) {
      $0.itemsProperty.append(2)
      $0.itemsProperty.append(contentsOf: 3...4)
      #expect($0.items == [1, 2, 3, 4])
    }
    #expect(told == ["+1[2]", "+2[3, 4]"])
  }

  @Test("Inserting reports its position")
  func insert() {
    let told = told([1, 2]) {
      $0.itemsProperty.insert(0, at: 0)
      $0.itemsProperty.insert(contentsOf: [8, 9], at: 3)
      #expect($0.items == [0, 1, 2, 8, 9])
    }
    #expect(told == ["+0[0]", "+3[8, 9]"])
  }

  @Test("Removing reports the removed element and returns it")
  func remove() {
    let told = told([1, 2, 3, 4]) {
      #expect($0.itemsProperty.remove(at: 1) == 2)
      $0.itemsProperty.removeSubrange(1..<3)
      #expect($0.items == [1])
      $0.itemsProperty.removeAll()
      #expect($0.items.isEmpty)
    }
    #expect(told == ["-1[2]", "-1[3, 4]", "-0[1]"])
  }

  @Test("Removing by a condition reports one removal per run of adjacent elements")
  func removeWhere() {
    let told = told([1, 2, 4, 5, 6, 8, 9]) {
      $0.itemsProperty.removeAll { $0.isMultiple(of: 2) }
      #expect($0.items == [1, 5, 9])
    }
    #expect(told == ["-1[2, 4] -2[6, 8]"])
  }

  @Test("A condition that throws removes nothing and reports nothing")
  func throwingCondition() {
    let told = told([1, 2, 3]) { shelf in
      #expect(throws: SampleError.self) {
        try shelf.itemsProperty.removeAll { number in
          if number == 3 { throw SampleError(number: 3) }
          return true
        }
      }
      #expect(shelf.items == [1, 2, 3])
    }
    #expect(told.isEmpty)
  }

  @Test("Replacing reports the removed and the inserted elements")
  func replace() {
    let told = told([1, 2, 3]) {
      #expect($0.itemsProperty.replace(at: 1, with: 7) == 2)
      $0.itemsProperty.replaceSubrange(0..<2, with: [4, 5, 6])
      #expect($0.items == [4, 5, 6, 3])
    }
    #expect(told == ["=1[2]→[7]", "=0[1, 7]→[4, 5, 6]"])
  }

  @Test("A move is a removal and an insertion, and leaves the element at its destination")
  func move() {
    let told = told([1, 2, 3, 4]) {
      $0.itemsProperty.move(from: 0, to: 2)
      #expect($0.items == [2, 3, 1, 4])
      $0.itemsProperty.move(from: 3, to: 0)
      #expect($0.items == [4, 2, 3, 1])
    }
    #expect(told == ["-0[1] +2[1]", "-3[4] +0[4]"])
  }

  @Test("A swap is two replacements")
  func swap() {
    let told = told([1, 2, 3]) {
      $0.itemsProperty.swapAt(0, 2)
      #expect($0.items == [3, 2, 1])
    }
    #expect(told == ["=0[1]→[3] =2[3]→[1]"])
  }

  @Test("An operation without effect is not a write")
  func nothing() {
    let told = told([1, 2]) {
      $0.itemsProperty.append(contentsOf: [])
      $0.itemsProperty.insert(contentsOf: [], at: 1)
      $0.itemsProperty.removeSubrange(1..<1)
      $0.itemsProperty.replaceSubrange(2..<2, with: [])
      $0.itemsProperty.removeAll { $0 > 5 }
      $0.itemsProperty.move(from: 1, to: 1)
      $0.itemsProperty.swapAt(0, 0)
    }
    #expect(told.isEmpty)
    #expect(self.told { $0.itemsProperty.removeAll() }.isEmpty)
  }

  @Test("Positions are offsets, even if indices do not start at zero")
  func offsets() {
    let (shelf, notes) = (Shelf(), Notes<String>())
    shelf.slice = [9, 9, 1, 2, 3][2...]
    let token = shelf.$slice.observeElements { notes.append($0.text) }
    shelf.sliceProperty.remove(at: 3)
    shelf.sliceProperty.insert(7, at: 2)
    #expect(Array(shelf.slice) == [7, 1, 3])
    #expect(notes.entries == ["-1[2]", "+0[7]"])
    withExtendedLifetime(token) {}
  }

  @Test("Later registrations sweep many dead owners")
  func sweep() {
    let shelf = Shelf()
    for _ in 0..<1_000 { shelf.$items.observeElements(owner: Viewer()) { _, _ in } }
    #expect(shelf.$items.observerSlotCount <= 16)
  }

  @Test("A removed element may use the property in its deinit, for every operation")
  func deinits() {
    final class Item {
      let atDeinit: () -> Void
      init(_ atDeinit: @escaping () -> Void) { self.atDeinit = atDeinit }
      deinit { atDeinit() }
    }
    final class Model {
      @Observed var items: [Item] = []

      var itemsProperty: Observed<[Item]> { _items }
    }
    for isObserved in [false, true] {
      let (model, notes) = (Model(), Notes<Int>())
      let token = isObserved ? model.$items.observeElements { _ in } : nil
      func fill() {
        for _ in 0..<6 {
          model.itemsProperty.append(Item { [unowned model] in notes.append(model.items.count) })
        }
      }
      fill()
      model.itemsProperty.remove(at: 0)
      model.itemsProperty.replace(at: 0, with: Item {})
      model.itemsProperty.removeSubrange(1..<2)
      var index = 0
      model.itemsProperty.removeAll { _ in
        defer { index += 1 }
        return index == 1
      }
      model.itemsProperty.removeAll()
      fill()
      model.itemsProperty.replaceSubrange(0..<6, with: [])
      #expect(notes.entries == [5, 5, 4, 3, 0, 0] + Array(repeating: 0, count: 6))
      withExtendedLifetime(token) {}
    }
  }

  @Test(
    "An operation is complete before the handler of a registration that its arguments end is released",
    arguments: [false, true]
  )
  func endedDuringAnOperation(keepsOldValue: Bool) {
    let shelf = Shelf([1, 2, 3, 4])
    var (mirror, isRight) = (shelf.items, true)
    let tokens = [
      shelf.$items.observeElements { isRight = mirror.apply($0.minimalSplices(), ==) && isRight },
      keepsOldValue ? shelf.$items.observe { _ in } : nil,
    ]
    let ended = shelf.$items.observeElements { [ending = Ending { shelf.items = [9] }] _ in
      withExtendedLifetime(ending) {}
    }
    shelf.itemsProperty.removeAll { item in
      if item == 3 { ended.cancel() }
      return item >= 3
    }
    #expect(shelf.items == [9])
    #expect(mirror == [9])
    #expect(isRight)
    withExtendedLifetime(tokens) {}
  }
}
