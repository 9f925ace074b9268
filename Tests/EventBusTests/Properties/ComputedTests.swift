import EventBus
import TestSupport
import Testing

/// Sources for computed values.
final class Cart {
  @Observed var price = 2
  @Observed var count = 3
  @Observed var label = "cart"

  var priceProperty: Observed<Int> { _price }
}

/// A view that is declared outside the library.
private struct Meter: ObservedProperty {
  let readOnly: Observed<Int>.ReadOnly
  var value: Int { readOnly.value }
}

@Suite("Computed values")
struct ComputedTests {
  @Test("A source that another module declares is the property behind its view")
  func viewOfAnotherModule() {
    let count = Observed(wrappedValue: 1)
    let doubled = Computed(Meter(readOnly: count.readOnly)) { $0 * 2 }
    #expect(doubled.value == 2)
    batch {
      count.wrappedValue = 5
      #expect(doubled.value == 10)
    }
  }

  @Test("A computed value follows its sources, which may have different types")
  func follows() {
    let cart = Cart()
    let text = Computed(cart.$label, cart.$price, cart.$count) { "\($0) \($1 * $2)" }
    #expect(text.value == "cart 6")
    cart.price = 5
    cart.label = "basket"
    #expect(text.value == "basket 15")
    withExtendedLifetime(text) {}
  }

  @Test("A predicate decides instead of the equality whether observers are called")
  func ownEquality() {
    let cart = Cart()
    let price = Computed(cart.$price, comparing: { abs($0 - $1) < 10 }) { $0 }
    let notes = Notes<String>()
    let token = price.observe { notes.append($0.text) }
    cart.price = 11
    #expect(notes.entries == [] && price.value == 11)
    cart.price = 14
    #expect(notes.entries == ["2→14"])
    withExtendedLifetime(token) {}
  }

  @Test("A computed value is computed only when read after a change")
  func lazy() {
    let cart = Cart()
    let counter = Counter()
    let total = Computed(cart.$price, cart.$count) { price, count in
      counter.add()
      return price * count
    }
    cart.price = 7
    #expect(counter.value == 0)
    #expect(total.value == 21)
    #expect(total.value == 21)
    #expect(counter.value == 1)
    cart.price = 8
    cart.price = 9
    #expect(counter.value == 1)
    #expect(total.value == 27)
    #expect(counter.value == 2)
    withExtendedLifetime(total) {}
  }

  @Test("Observers are notified if the value differs, with exact old and new values")
  func observed() {
    let cart = Cart()
    let isDear = Computed(cart.$price) { $0 > 10 }
    let notes = Notes<String>()
    let token = isDear.observe(initial: true) { notes.append($0.text) }
    for price in [3, 11, 12, 4] { cart.price = price }
    #expect(notes.entries == ["ifalse", "false→true", "true→false"])
    withExtendedLifetime(token) {}
    withExtendedLifetime(isDear) {}
  }

  @Test("In a diamond, one set causes one computation and one change")
  func diamond() {
    let cart = Cart()
    let counter = Counter()
    let double = Computed(cart.$price) { $0 * 2 }
    let triple = Computed(cart.$price) { $0 * 3 }
    let sum = Computed(double, triple) { double, triple in
      counter.add()
      return double + triple
    }
    let notes = Notes<String>()
    let token = sum.observe { notes.append($0.text) }
    let before = counter.value
    cart.price = 10
    #expect(notes.entries == ["10→50"])
    #expect(counter.value == before + 1)
    withExtendedLifetime(token) {}
    withExtendedLifetime((double, triple, sum)) {}
  }

  @Test("The property's observers run first, then values by height, in any creation order")
  func heights() {
    let cart = Cart()
    let notes = Notes<String>()
    let low = Computed(cart.$price) { $0 + 1 }
    let high = Computed(low) { $0 + 1 }
    let mixed = Computed(high, cart.$price) { $0 + $1 }
    let other = Computed(cart.$price) { $0 + 5 }
    let tokens = [
      mixed.observe { _ in notes.append("mixed") }, high.observe { _ in notes.append("high") },
      low.observe { _ in notes.append("low") }, other.observe { _ in notes.append("other") },
      cart.$price.observe { _ in notes.append("price") },
    ]
    cart.price = 9
    #expect(notes.entries == ["price", "low", "other", "high", "mixed"])
    withExtendedLifetime(tokens) {}
    withExtendedLifetime((low, high, mixed, other)) {}
  }

  @Test("A computed value read inside any observer is current and still reports once, in its turn")
  func glitchFree() {
    let cart = Cart()
    let notes = Notes<String>()
    let total = Computed(cart.$price, cart.$count) { $0 * $1 }
    let half = Computed(total) { $0 / 2 }
    let tokens = [
      half.observe { notes.append("half \($0.text)") },
      total.observe { notes.append("total \($0.text) half \(half.value)") },
      cart.$price.observe { notes.append("price \($0.text) total \(total.value)") },
    ]
    cart.price = 4
    #expect(notes.entries == ["price 2→4 total 12", "total 6→12 half 6", "half 3→6"])
    withExtendedLifetime(tokens) {}
    withExtendedLifetime((total, half)) {}
  }

  @Test("A set inside a computed value's observer is reported in its own round, in a chain")
  func setInside() {
    let cart = Cart()
    let notes = Notes<String>()
    let total = Computed(cart.$price, cart.$count) { $0 * $1 }
    let tokens = [
      total.observe { [unowned cart] change in
        notes.append("a \(change.text)")
        if cart.count < 5 { cart.count += 1 }
      },
      total.observe { notes.append("b \($0.text)") },
    ]
    cart.price = 10
    #expect(
      notes.entries == ["a 6→30", "b 6→30", "a 30→40", "b 30→40", "a 40→50", "b 40→50"]
    )
    withExtendedLifetime(tokens) {}
    withExtendedLifetime(total) {}
  }

  @Test("After a silent write a computed value reads correctly and reports with the next change")
  func silentWrites() {
    let cart = Cart()
    let notes = Notes<String>()
    let total = Computed(cart.$price, cart.$count) { $0 * $1 }
    let token = total.observe { notes.append($0.text) }
    cart.priceProperty.withoutNotifying { $0 = 5 }
    #expect(total.value == 15)
    #expect(notes.entries.isEmpty)
    let late = Notes<String>()
    let second = total.observe(initial: true) { late.append($0.text) }
    cart.count = 4
    #expect(notes.entries == ["6→20"])
    #expect(late.entries == ["i15", "15→20"])
    withExtendedLifetime([token, second]) {}
    withExtendedLifetime(total) {}
  }

  @Test("A mutation in place updates the values computed from it")
  func inPlace() {
    let account = Account()
    let notes = Notes<String>()
    let count = Computed(account.$names) { $0.count }
    let token = count.observe { notes.append($0.text) }
    account.names.append("a")
    account.names.append("b")
    #expect(notes.entries == ["0→1", "1→2"])
    withExtendedLifetime(token) {}
    withExtendedLifetime(count) {}
  }

  @Test("A computed value retains its sources; they do not retain it")
  func ownership() {
    let cart = Cart()
    let (tally, weakCart) = (Tally(), Notes<() -> Bool>())
    var total: Computed<Int>? = Computed(cart.$price) { [probe = tally.probe()] price in
      probe.touch()
      return price
    }
    let token = total?.observe { _ in }
    #expect(tally.live == 1)
    cart.price = 3
    total = nil
    #expect(tally.live == 0)
    #expect(token?.isActive == false)
    cart.price = 4
    var source: Cart? = Cart()
    weakCart.append { [weak source] in source == nil }
    let later = source.map { Computed($0.$price) { $0 } }
    source = nil
    #expect(weakCart.entries[0]())
    #expect(later?.value == 2)
    withExtendedLifetime((total, source)) {}
  }

  @Test("Thousands of values of one property can be created, notified and released")
  func many() {
    let count = size(2_000, full: 10_000)
    let cart = Cart()
    let counter = Counter()
    var values = (0..<count).map { index in Computed(cart.$price) { $0 + index } }
    var tokens = values.map { $0.observe { _ in counter.add() } }
    cart.price = 3
    #expect(counter.value == count)
    withExtendedLifetime((values, tokens)) {}
    values.removeAll()
    cart.price = 4
    #expect(counter.value == count)
    withExtendedLifetime(tokens) {}
    tokens.removeAll()
  }

  @Test("A prior observer is called before the others")
  func prior() {
    let cart = Cart()
    let notes = Notes<String>()
    let total = Computed(cart.$price) { $0 * 10 }
    let tokens = [
      total.observe { notes.append("a \($0.text)") },
      total.observe(prior: true) { notes.append("b \($0.text)") },
    ]
    cart.price = 3
    #expect(notes.entries == ["b p20→30", "a 20→30", "b 20→30"])
    withExtendedLifetime(tokens) {}
    withExtendedLifetime(total) {}
  }

  @Test("A value that is not equal to itself is announced once")
  func notANumber() {
    let source = Observed(wrappedValue: 0.0)
    let copy = Computed(source) { $0 }
    var kinds: [Change<Double>.Kind] = []
    let token = copy.observe(prior: true) { kinds.append($0.kind) }
    source.wrappedValue = .nan
    source.wrappedValue = 1
    #expect(kinds == [.prior, .set, .prior, .set])
    withExtendedLifetime((token, copy)) {}
  }

  @Test("A prior observer that sets another source leaves one unbroken chain for the others")
  func priorSetsASource() {
    let cart = Cart()
    let notes = Notes<String>()
    let total = Computed(cart.$price, cart.$count) { $0 * $1 }
    let double = Computed(total) { $0 * 2 }
    let tokens = [
      total.observe(prior: true) { [unowned cart] change in
        if change.kind == .prior, cart.count == 3 { cart.count = 5 }
      },
      total.observe { notes.append($0.text) },
      double.observe { notes.append("double \($0.text)") },
    ]
    cart.price = 10
    #expect(total.value == 50)
    #expect(notes.entries == ["6→50", "double 12→100"])
    withExtendedLifetime(tokens) {}
    withExtendedLifetime((total, double)) {}
  }

  @Test("The value a prior observer of a computed value announces last reaches the others")
  func priorIsExact() {
    let cart = Cart()
    let notes = Notes<String>()
    let total = Computed(cart.$price, cart.$count) { $0 * $1 }
    let tokens = [
      total.observe(prior: true) { [unowned cart] change in
        notes.append("a \(change.text)")
        if change.kind == .prior, cart.price == 10 { cart.price = 20 }
      },
      total.observe { notes.append("b \($0.text)") },
    ]
    cart.price = 10
    #expect(notes.entries == ["a p6→30", "a p6→60", "a 6→60", "b 6→60"])
    withExtendedLifetime(tokens) {}
    withExtendedLifetime(total) {}
  }

  @Test("A computed value released by an earlier observer calls none of its own observers")
  func droppedByAnObserver() {
    let cart = Cart()
    let notes = Notes<String>()
    var values = (0..<3).map { index in Computed(cart.$price) { $0 + index } }
    var tokens = values.enumerated().map { index, value in
      value.observe { _ in
        notes.append("\(index)")
        if index == 0 { values.removeLast(2) }
      }
    }
    tokens.append(values[0].observe { _ in notes.append("0 again") })
    cart.price = 9
    #expect(notes.entries == ["0", "0 again"])
    #expect(tokens.map(\.isActive) == [true, false, false, true])
    withExtendedLifetime((values, tokens)) {}
  }

  @Test("A value can be computed from another kind of observed value, through the protocol alone")
  func foreignSource() {
    final class Foreign: ObservedValue {
      @Observed var number = 1
      var value: Int { number }
      func observe(initial: Bool, prior: Bool, _ handler: @escaping (Change<Int>) -> Void) -> Token
      {
        $number.observe(initial: initial, prior: prior, handler)
      }
    }
    let foreign = Foreign()
    let double = Computed(foreign) { $0 * 2 }
    let notes = Notes<String>()
    let token = double.observe { notes.append($0.text) }
    foreign.number = 5
    #expect(notes.entries == ["2→10"])
    #expect(double.value == 10)
    withExtendedLifetime(token) {}
    withExtendedLifetime(double) {}
  }
}
