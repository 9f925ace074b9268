import EventBus

@MainActor
final class Cart {
  @Observed var items: [String] = []
  @Observed var discount = 0
  @WeakObserved var session: Session?
  private(set) var log: [String] = []
  private var total: Computed<Int>?
  private var token: Token?

  init() {
    let total = Computed(_items, _discount) { items, discount in items.count - discount }
    total.observe(owner: self) { cart, change in cart.log.append("\(change.new)") }
    self.total = total
    token = $items.observe { [weak self] change in self?.log = change.new }
    $discount.observe(owner: self, id: "log", initial: true) { cart, change in
      cart.log.append("\(change.old)")
    }
    $items.observeElements(owner: self) { cart, change in cart.log = change.new }
    $session.observe(owner: self) { cart, _ in cart.log = [] }
  }

  func fill() async {
    items.append("apple")
    batch {
      items.append("pear")
      discount = 1
    }
    for await value in $discount.values() { log.append("\(value)") }
  }
}

let shared = SharedObserved(0)

func share() {
  let token = shared.observe { change in print(change.new) }
  shared.value = 1
  shared.update { $0 += 1 }
  token.cancel()
}
