import EventBus
import Harness
import Observation

/// Setting a property on one thread, with observers that add up the values they receive.
enum Properties {
  static let rows = [
    Row(
      Figure("property: set, nobody observes"),
      entries: [
        entry(.eventBus, 0, ObservedModel.self), entry(.storedProperty, 0, StoredModel.self),
        entry(.observation, 0, ObservableModel.self),
        entry(.openCombine, 0, PublishedModel.self),
        entry(.currentValue, 0, CurrentValueModel.self),
      ]
    ),
    observed("property: set, 1 observer", 1),
    observed("property: set, 10 observers", 10),
    Row(
      Figure("property: set, 1 weak owner"),
      entries: [
        entry(.eventBus, 1, OwnedModel.self), entry(.observation, 1, ObservableModel.self),
      ]
    ),
    Row(
      Figure("property: set, seen by 1 computed value"),
      entries: [entry(.eventBus, 1, ComputedModel.self)]
    ),
    Row(
      Figure("property: observe with an owner, and cancel"),
      entries: [
        .timed(.eventBus) {
          let (model, owner) = (opaque(OwnedModel()), opaque(Sink()))
          return { iterations in
            for _ in 0..<iterations { model.$number.observe(owner: owner) { _, _ in }.cancel() }
          }
        }
      ]
    ),
    Row(
      Figure("property: set, and take the value from a sequence"),
      entries: [
        taking(.eventBus) {
          let model = StreamedModel()
          return (model.$number.values(), { model.number = $0 })
        },
        taking(.observations) {
          let model = TrackedModel()
          return (Observations { model.number }, { model.number = $0 })
        },
      ]
    ),
  ]

  /// Rows that need the heap to be counted.
  static let counts = [
    Row(
      Figure("allocations per set, most of 0, 1, 10 observers", .count, mustBeZero: true),
      pace: .counted,
      entries: [
        allocations(.eventBus, ObservedModel.self), allocations(.closureLoop, DidSetModel.self),
        allocations(.observation, ObservableModel.self),
        allocations(.openCombine, PublishedModel.self),
        allocations(.currentValue, CurrentValueModel.self),
      ]
    )
  ]

  private static func observed(_ title: String, _ observers: Int) -> Row {
    Row(
      Figure(title),
      entries: [
        entry(.eventBus, observers, ObservedModel.self),
        entry(.closureLoop, observers, DidSetModel.self),
        entry(.observation, observers, ObservableModel.self),
        entry(.openCombine, observers, PublishedModel.self),
        entry(.currentValue, observers, CurrentValueModel.self),
      ]
    )
  }

  private static func entry<Model: PropertyModel>(
    _ subject: Subject,
    _ observers: Int,
    _: Model.Type
  ) -> Entry {
    .timed(subject) {
      let (model, sink) = (opaque(Model()), opaque(Sink()))
      for _ in 0..<observers { model.observe(by: sink) }
      return { iterations in
        let before = sink.total
        model.set(times: iterations)
        expectDeliveries(sink.total - before, iterations * observers, by: subject)
      }
    }
  }

  private static func allocations<Model: PropertyModel>(
    _ subject: Subject,
    _: Model.Type
  ) -> Entry {
    Entry(subject) {
      { _ in
        let counts = [0, 1, 10].map { observers in
          let (model, sink) = (opaque(Model()), opaque(Sink()))
          for _ in 0..<observers { model.observe(by: sink) }
          model.set(times: 2)
          return Double(Heap.during { _ in model.set(times: 100) }.allocations) / 100
        }
        return counts.max() ?? 0
      }
    }
  }

  /// An entry in which one task on the main actor sets a property and takes the value from a sequence, in turn.
  private static func taking<Values: AsyncSequence<Int, Never>>(
    _ subject: Subject,
    _ make: @escaping @MainActor @Sendable () -> (Values, @MainActor (Int) -> Void)
  ) -> Entry {
    Entry(subject) {
      { iterations in await time(make, iterations, subject) / Double(iterations) }
    }
  }

  @MainActor
  private static func time<Values: AsyncSequence<Int, Never>>(
    _ make: @MainActor @Sendable () -> (Values, @MainActor (Int) -> Void),
    _ iterations: Int,
    _ subject: Subject
  ) async -> Double {
    let (values, set) = make()
    var (iterator, taken) = (values.makeAsyncIterator(), 0)
    // The present value.
    _ = await iterator.next(isolation: MainActor.shared)
    let time = await nanosecondsOfAllThreads {
      for number in 1...iterations {
        set(number)
        if await iterator.next(isolation: MainActor.shared) == number { taken += 1 }
      }
    }
    expectDeliveries(taken, iterations, by: subject)
    return time
  }
}

@MainActor
private final class StreamedModel {
  @Observed var number = 0
}

@MainActor @Observable
private final class TrackedModel {
  var number = 0
}
