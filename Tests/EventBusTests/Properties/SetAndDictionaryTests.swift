import EventBus
import TestSupport
import Testing

extension SetChange where Element == String {
  /// The inserted and removed elements, in order.
  var text: String { "\(kind) +\(inserted.sorted()) -\(removed.sorted())" }
}

extension DictionaryChange where Key == String, Value == Int {
  /// The inserted, removed and updated entries, in order.
  var text: String {
    let updates = updated.sorted { $0.key < $1.key }.map { "\($0)\($1.old)→\($1.new)" }
    return "\(kind) +\(Self.text(inserted)) -\(Self.text(removed)) =\(updates)"
  }

  private static func text(_ values: [String: Int]) -> [String] {
    values.sorted { $0.key < $1.key }.map { "\($0)\($1)" }
  }
}

@Suite("Observed sets")
struct ObservedSetTests {
  private let shelf = Shelf()
  private let notes = Notes<String>()

  private func observe(_ options: ObserveOptions = []) -> Token {
    shelf.$tags.observeElements(options: options) { [notes] in notes.append($0.text) }
  }

  @Test("Set operations report insertions and removals, and nothing if the set stays equal")
  func operations() {
    let token = observe()
    #expect(shelf.tagsProperty.insert("a"))
    #expect(!shelf.tagsProperty.insert("a"))
    shelf.tagsProperty.formUnion(["a", "b", "c"])
    #expect(shelf.tagsProperty.remove("b") == "b")
    #expect(shelf.tagsProperty.remove("b") == nil)
    shelf.tagsProperty.subtract(["b", "c", "d"])
    shelf.tagsProperty.subtract(["d"])
    #expect(shelf.tags == ["a"])
    #expect(
      notes.entries == [
        #"elements +["a"] -[]"#, #"elements +["b", "c"] -[]"#, #"elements +[] -["b"]"#,
        #"elements +[] -["c"]"#,
      ]
    )
    withExtendedLifetime(token) {}
  }

  @Test("A whole assignment of a set is compared on demand; a plain mutation replaces everything")
  func setting() {
    shelf.tags = ["a", "b"]
    let token = shelf.$tags.observeElements(options: .initial) { [notes] in
      notes.append($0.text + ($0.isReset ? " reset" : ""))
    }
    shelf.tags = ["b", "c"]
    shelf.tags.insert("d")
    #expect(
      notes.entries == [
        #"initial +["a", "b"] -[] reset"#, #"setting +["c"] -["a"]"#,
        #"setting +["b", "c", "d"] -[] reset"#,
      ]
    )
    withExtendedLifetime(token) {}
  }

  @Test("A batch reports the sum of a set's operations, and nothing if they cancel out")
  func batches() {
    shelf.tags = ["a"]
    let token = observe()
    batch {
      shelf.tagsProperty.insert("b")
      shelf.tagsProperty.insert("c")
      shelf.tagsProperty.remove("b")
      shelf.tagsProperty.remove("a")
      shelf.tagsProperty.formUnion(["a", "d"])
    }
    batch {
      shelf.tagsProperty.insert("e")
      shelf.tagsProperty.remove("e")
    }
    #expect(notes.entries == [#"elements +["c", "d"] -[]"#])
    withExtendedLifetime(token) {}
  }

  @Test("Removing all elements of a set is one change, and no write if it is empty")
  func removeAll() {
    shelf.tags = ["a", "b"]
    let token = observe()
    shelf.tagsProperty.removeAll()
    shelf.tagsProperty.removeAll()
    #expect(shelf.tags.isEmpty)
    batch {
      shelf.tagsProperty.insert("c")
      shelf.tagsProperty.removeAll()
    }
    #expect(notes.entries == [#"elements +[] -["a", "b"]"#])
    withExtendedLifetime(token) {}
  }
}

@Suite("Observed dictionaries")
struct ObservedDictionaryTests {
  private let shelf = Shelf()
  private let notes = Notes<String>()

  private func observe() -> Token {
    shelf.$prices.observeElements { [notes] in notes.append($0.text) }
  }

  @Test("Dictionary operations report insertions, removals and updates")
  func operations() {
    let token = observe()
    shelf.pricesProperty["a"] = 1
    #expect(shelf.pricesProperty["a"] == 1)
    #expect(shelf.pricesProperty.updateValue(2, forKey: "a") == 1)
    shelf.pricesProperty["a"]? += 1
    #expect(shelf.pricesProperty.removeValue(forKey: "a") == 3)
    shelf.pricesProperty["a"] = nil
    #expect(shelf.prices.isEmpty)
    #expect(
      notes.entries == [
        #"elements +["a1"] -[] =[]"#, #"elements +[] -[] =["a1→2"]"#,
        #"elements +[] -[] =["a2→3"]"#, #"elements +[] -["a3"] =[]"#,
      ]
    )
    withExtendedLifetime(token) {}
  }

  @Test(
    "A whole assignment of a dictionary is compared on demand; a plain mutation replaces everything"
  )
  func setting() {
    shelf.prices = ["a": 1, "b": 2]
    let token = shelf.$prices.observeElements(options: .initial) { [notes] in
      notes.append($0.text + ($0.isReset ? " reset" : ""))
    }
    shelf.prices = ["b": 3, "c": 4]
    shelf.prices["d"] = 5
    #expect(
      notes.entries == [
        #"initial +["a1", "b2"] -[] =[] reset"#, #"setting +["c4"] -["a1"] =["b2→3"]"#,
        #"setting +["b3", "c4", "d5"] -[] =[] reset"#,
      ]
    )
    withExtendedLifetime(token) {}
  }

  @Test("A whole assignment reports updates for unequal values and values without equality only")
  func comparing() {
    final class Box {}
    final class Model {
      @Observed var numbers = ["a": 1, "b": 2]
      @Observed var boxes = ["a": Box(), "b": Box()]
    }
    let (model, keys) = (Model(), Notes<[String]>())
    let tokens = [
      model.$numbers.observeElements { keys.append($0.updated.keys.sorted()) },
      model.$boxes.observeElements { keys.append($0.updated.keys.sorted()) },
    ]
    model.numbers = ["a": 1, "b": 3]
    model.boxes = model.boxes.filter { _ in true }
    #expect(keys.entries == [["b"], ["a", "b"]])
    withExtendedLifetime(tokens) {}
  }

  @Test("A batch reports the sum of a dictionary's operations, and nothing if they cancel out")
  func batches() {
    shelf.prices = ["a": 1, "b": 2]
    let token = observe()
    batch {
      shelf.pricesProperty["a"] = 5
      shelf.pricesProperty["a"] = 6
      shelf.pricesProperty["b"] = nil
      shelf.pricesProperty["c"] = 3
      shelf.pricesProperty["d"] = 4
      shelf.pricesProperty["d"] = nil
    }
    batch {
      shelf.pricesProperty["a"] = 7
      shelf.pricesProperty["a"] = 6
    }
    batch { shelf.pricesProperty["a"] = 6 }
    #expect(notes.entries == [#"elements +["c3"] -["b2"] =["a1→6"]"#])
    withExtendedLifetime(token) {}
  }

  @Test("Removing all keys of a dictionary is one change, and no write if it is empty")
  func removeAll() {
    shelf.prices = ["a": 1, "b": 2]
    let token = observe()
    shelf.pricesProperty.removeAll()
    shelf.pricesProperty.removeAll()
    #expect(shelf.prices.isEmpty)
    batch {
      shelf.pricesProperty["c"] = 3
      shelf.pricesProperty.removeAll()
      shelf.pricesProperty["d"] = 4
    }
    let changes = [#"elements +[] -["a1", "b2"] =[]"#, #"elements +["d4"] -[] =[]"#]
    #expect(notes.entries == changes)
    withExtendedLifetime(token) {}
  }

  @Test("An optional value of a dictionary counts as a value")
  func optionalValues() {
    final class Model {
      @Observed var values: [String: Int?] = [:]

      var valuesProperty: Observed<[String: Int?]> { _values }
    }
    let (model, notes) = (Model(), Notes<String>())
    let token = model.$values.observeElements {
      notes.append("\($0.inserted.count) \($0.updated.count) \($0.removed.count)")
    }
    model.valuesProperty["a"] = .some(nil)
    model.valuesProperty["a"] = .some(1)
    model.valuesProperty["a"] = .some(nil)
    model.valuesProperty["a"] = .none
    #expect(notes.entries == ["1 0 0", "0 1 0", "0 1 0", "0 0 1"])
    withExtendedLifetime(token) {}
  }
}
