import EventBus
import TestSupport
import Testing

@Suite("Bindings and values of computed values")
struct ComputedFamilyTests {
  private final class Cart {
    @Observed var prices = [1, 2]
  }

  private final class Label {
    var total = 0
  }

  private let cart = Cart()
  private let total: Computed<Int>

  init() { total = Computed(cart.$prices) { $0.reduce(0, +) } }

  @Test("A binding sets the property now and after every change, and ends with its token")
  func binding() {
    let label = Label()
    let token = total.bind(to: label, \.total)
    #expect(label.total == 3)
    cart.prices = [4]
    #expect(label.total == 4)
    token.cancel()
    cart.prices = [5]
    #expect(label.total == 4)
  }

  @Test("The values end with the computed value, after those that wait")
  func valuesAfterTheEnd() async {
    var product: Computed<Int>? = Computed(cart.$prices) { $0.reduce(1, *) }
    guard let values = product?.values() else { return }
    cart.prices = [3, 3]
    product = nil
    var seen: [Int] = []
    for await value in values { seen.append(value) }
    #expect(seen == [2, 9])
  }

  @Test("Releasing a sequence of values frees those that wait, before the source changes again")
  func releasedValues() {
    let freed = Counter()
    let source = Observed<AtDeinit?>(wrappedValue: nil) { $0 === $1 }
    var values: (any Sendable)? = source.readOnly.values()
    source.wrappedValue = AtDeinit { freed.add() }
    source.wrappedValue = nil
    #expect(freed.value == 0)
    withExtendedLifetime(values) {}
    values = nil
    #expect(freed.value == 1)
  }

  @Test("A binding ends with a computed value that nothing else keeps")
  func bindingOfATemporary() {
    let label = Label()
    let token = Computed(cart.$prices) { $0.reduce(0, +) }.bind(to: label, \.total)
    #expect(label.total == 3)
    cart.prices = [4]
    #expect(label.total == 3)
    #expect(!token.isActive)
  }
}
