import EventBus
import Harness

/// The cost of an array whose element changes are observed.
enum Collections {
  static let rows = [
    Row(
      Figure("array of 100,000: append, nobody observes"),
      entries: [
        .timed(.eventBus) { appending(observers: 0) },
        .timed(.storedProperty) {
          let model = opaque(StoredList())
          return { model.append(times: $0) }
        },
      ]
    ),
    Row(
      Figure("array of 100,000: append, 1 observer of elements"),
      entries: [.timed(.eventBus) { appending(observers: 1) }]
    ),
    Row(
      Figure("array of 100,000: plain append, 1 observer of elements"),
      entries: [.timed(.eventBus) { appending(observers: 1, plainly: true) }]
    ),
  ]

  private static let count = 100_000

  private final class StoredList {
    var items = Array(0..<count)

    func append(times: Int) {
      for index in 0..<times { items.append(index) }
      items.removeLast(times)
    }
  }

  private final class ObservedList {
    @Observed var items = Array(0..<count)

    var itemsProperty: Observed<[Int]> { _items }
  }

  private static func appending(observers: Int, plainly: Bool = false) -> (Int) -> Void {
    let (model, sink, bag) = (opaque(ObservedList()), opaque(Sink()), TokenBag())
    for _ in 0..<observers {
      model.$items.observeElements { sink.add($0.new.count == 0 ? 0 : 1) }.store(in: bag)
    }
    return { iterations in
      let before = sink.total
      if plainly {
        for index in 0..<iterations { model.items.append(index) }
      } else {
        for index in 0..<iterations { model.itemsProperty.append(index) }
      }
      // Removes the added elements silently, so that each round begins with the same number.
      model.itemsProperty.withoutNotifying { $0.removeLast(iterations) }
      expectDeliveries(sink.total - before, iterations * observers, by: .eventBus)
      withExtendedLifetime(bag) {}
    }
  }
}
