import EventBus

/// An object whose properties others may observe and not change.
@MainActor
final class Ledger {
  // expected-note@+1 {{'_balance' declared here}}
  @Observed private(set) var balance = 0
  // expected-note@+1 {{'_items' declared here}}
  @Observed private(set) var items: [Int] = []
  // expected-note@+1 {{'_screen' declared here}}
  @WeakObserved private(set) var screen: Screen?
}

// MARK: What acts on a property belongs to the type that declares it.

@MainActor
func assignment(_ ledger: Ledger) {
  // expected-error@+1 {{cannot assign to property: 'balance' setter is inaccessible}}
  ledger.balance = 1
  // expected-error@+1 {{cannot use mutating member on immutable value: 'items' setter is inaccessible}}
  ledger.items.append(1)
  // expected-error@+1 {{cannot assign to property: 'screen' setter is inaccessible}}
  ledger.screen = nil
  // expected-error@+1 {{cannot assign to property: 'value' is a get-only property}}
  ledger.$balance.value = 1
  // expected-error@+1 {{value of type 'Observed<Int>.ReadOnly' has no member 'wrappedValue'}}
  ledger.$balance.wrappedValue = 1
  // expected-error@+1 {{cannot assign to property: 'value' is a get-only property}}
  ledger.$screen.value = nil
  // expected-error@+2 {{value of type 'Screen?' has no member 'wrappedValue'}}
  // expected-error@+1 {{cannot convert value '$screen' of type 'WeakObserved<Screen>.ReadOnly' to expected type 'Screen?', use wrapped value instead}}
  ledger.$screen.wrappedValue = nil
}

@MainActor
func storedProperty(_ ledger: Ledger) -> Token {
  // expected-error@+1 {{'_items' is inaccessible due to 'private' protection level}}
  ledger._items.append(1)
  // expected-error@+1 {{'_screen' is inaccessible due to 'private' protection level}}
  ledger._screen.wrappedValue = nil
  // expected-error@+1 {{'_balance' is inaccessible due to 'private' protection level}}
  return ledger._balance.validate { _, _ in true }
}

@MainActor
func propertyBehindItsView(_ ledger: Ledger) {
  // expected-error@+1 {{'property' is inaccessible due to 'internal' protection level}}
  ledger.$balance.property.wrappedValue = 1
  // expected-error@+1 {{'property' is inaccessible due to 'fileprivate' protection level}}
  ledger.$screen.property.wrappedValue = nil
}

@MainActor
func validator(_ ledger: Ledger) -> Token {
  // expected-error@+1 {{value of type 'Observed<Int>.ReadOnly' has no member 'validate'}}
  ledger.$balance.validate { _, _ in true }
}

@MainActor
func silentWrite(_ ledger: Ledger) {
  // expected-error@+1 {{value of type 'Observed<Int>.ReadOnly' has no member 'withoutNotifying'}}
  ledger.$balance.withoutNotifying { $0 = 1 }
  // expected-error@+1 {{value of type 'Observed<Int>.ReadOnly' has no member 'notifyChange'}}
  ledger.$balance.notifyChange(from: 1)
}

@MainActor
func operationsOnElements(_ ledger: Ledger) {
  // expected-error@+2 {{no exact matches in call to instance method 'append'}}
  // expected-note@+1 {{found candidate with type '(__owned Int) -> ()'}}
  ledger.$items.append(1)
  // expected-error@+1 {{value of type 'Observed<[Int]>.ReadOnly' has no member 'move'}}
  ledger.$items.move(from: 0, to: 1)
  // expected-error@+2 {{no exact matches in call to instance method 'removeAll'}}
  // expected-note@+1 {{found candidate with type '(Bool) -> ()'}}
  ledger.$items.removeAll()
}

func actionsThroughTheProtocol(_ items: some ObservedProperty<[Int]>) {
  // expected-error@+1 {{value of type 'some ObservedProperty<[Int]>' has no member 'wrappedValue'}}
  items.wrappedValue = []
  // expected-error@+1 {{value of type 'some ObservedProperty<[Int]>' has no member 'validate'}}
  items.validate { _, _ in true }
  // expected-error@+1 {{value of type 'some ObservedProperty<[Int]>' has no member 'append'}}
  items.append(1)
  // expected-error@+1 {{value of type 'some ObservedProperty<[Int]>' has no member 'insert'}}
  items.insert(contentsOf: [1], at: 0)
  // expected-error@+1 {{value of type 'some ObservedProperty<[Int]>' has no member 'remove'}}
  items.remove(at: 0)
  // expected-error@+1 {{value of type 'some ObservedProperty<[Int]>' has no member 'removeSubrange'}}
  items.removeSubrange(0..<1)
  // expected-error@+1 {{value of type 'some ObservedProperty<[Int]>' has no member 'removeAll'}}
  items.removeAll()
  // expected-error@+1 {{value of type 'some ObservedProperty<[Int]>' has no member 'replace'}}
  items.replace(at: 0, with: 1)
  // expected-error@+1 {{value of type 'some ObservedProperty<[Int]>' has no member 'replaceSubrange'}}
  items.replaceSubrange(0..<1, with: [1])
  // expected-error@+1 {{value of type 'some ObservedProperty<[Int]>' has no member 'move'}}
  items.move(from: 0, to: 1)
  // expected-error@+1 {{value of type 'some ObservedProperty<[Int]>' has no member 'swapAt'}}
  items.swapAt(0, 1)
  // expected-error@+1 {{value of type 'some ObservedProperty<[Int]>' has no member 'formUnion'}}
  items.formUnion([1])
}

// MARK: Views and registrations

@MainActor
func unstoredObserver(_ ledger: Ledger) {
  // expected-warning@+1 {{result of call to 'observe(initial:prior:_:)' is unused}}
  ledger.$balance.observe { _ in }
}

@MainActor
func sharedView(_ ledger: Ledger) -> any Sendable {
  // expected-error@+1 {{conformance of 'Observed<Value>.ReadOnly' to 'Sendable' is unavailable}}
  ledger.$balance
}

@MainActor
func sharedViewOfAWeakProperty(_ ledger: Ledger) -> any Sendable {
  ledger.$screen
}

@MainActor
func observers(_ ledger: Ledger, _ view: View) -> [Token] {
  ledger.$balance.observe(owner: view) { view, change in view.size = change.new }
  ledger.$balance.bind(to: view, \.size)
  ledger.$items.observeElements(owner: view) { view, change in view.size = change.new.count }
  ledger.$screen.observe(owner: view) { view, change in view.size = change.new?.number ?? 0 }
  let balances: any ObservedValue<Int> = ledger.$balance
  return [balances.observe(initial: true) { _ in }]
}

// MARK: A value that several threads change is not announced before a change.

func priorReports(_ shared: SharedObserved<Int>, _ weak: WeakObserved<Screen>) -> [Token] {
  [
    // expected-error@+2 {{extra trailing closure passed in call}}
    // expected-error@+1 {{cannot convert value of type 'Bool' to expected argument type '@isolated(any) @Sendable (Change<Int>) -> Void'}}
    shared.observe(prior: true) { _ in },
    // expected-error@+2 {{extra trailing closure passed in call}}
    // expected-error@+1 {{cannot convert value of type 'Bool' to expected argument type '@isolated(any) @Sendable (Change<Int>) -> Void'}}
    shared.readOnly.observe(initial: true, prior: true) { _ in },
    // expected-error@+2 {{extra trailing closure passed in call}}
    // expected-error@+1 {{cannot convert value of type 'Bool' to expected argument type '@isolated(any) @Sendable (Change<Screen?>) -> Void'}}
    weak.observe(prior: true) { _ in },
  ]
}

// MARK: A computed value has sources of one isolation domain.

func computes(_ shared: SharedObserved<Int>, _ weak: WeakObserved<Screen>) {
  // expected-error@+1 {{requires that 'SharedObserved<Int>' conform to 'ObservedValue'}}
  _ = Computed(shared) { $0 + 1 }
  // expected-error@+1 {{requires that 'SharedObserved<Int>.ReadOnly' conform to 'ObservedValue'}}
  _ = Computed(shared.readOnly) { $0 + 1 }
  // expected-error@+1 {{requires that 'WeakObserved<Screen>' conform to 'ObservedValue'}}
  _ = Computed(weak) { $0 == nil }
}
