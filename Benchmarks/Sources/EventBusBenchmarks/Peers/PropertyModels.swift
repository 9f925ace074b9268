import EventBus
import Harness
import Observation
import OpenCombine

/// An object with one property.
protocol PropertyModel: AnyObject, SendableMetatype {
  init()
  /// Adds an observer that adds one to the sink for every change.
  func observe(by sink: Sink)
  /// Sets the property that number of times, each time to another value.
  func set(times: Int)
}

/// Values that a property has not had before.
private struct Numbers {
  private var first = 0
  /// Opaque to the optimizer: it might read the property, so that no set may be left out.
  private let barrier: () -> Void = opaque {}

  @inline(__always)
  mutating func each(_ count: Int, _ set: (Int) -> Void) {
    for index in first..<first + count {
      set(index)
      barrier()
    }
    first += count
  }
}

final class StoredModel: PropertyModel {
  private var numbers = Numbers()
  var number = 0

  func observe(by sink: Sink) {}

  func set(times: Int) {
    numbers.each(times) { number = $0 }
  }
}

final class DidSetModel: PropertyModel {
  private var numbers = Numbers()
  private var observers: [(Int) -> Void] = []
  var number = -1 {
    didSet { for observer in observers { observer(number) } }
  }

  func observe(by sink: Sink) { observers.append { _ in sink.add(1) } }

  func set(times: Int) {
    numbers.each(times) { number = $0 }
  }
}

final class ObservedModel: PropertyModel {
  private var numbers = Numbers()
  @Observed var number = -1
  private let bag = TokenBag()

  func observe(by sink: Sink) { $number.observe { _ in sink.add(1) }.store(in: bag) }

  func set(times: Int) {
    numbers.each(times) { number = $0 }
  }
}

final class OwnedModel: PropertyModel {
  private var numbers = Numbers()
  @Observed var number = -1
  private var owners: [Sink] = []

  func observe(by sink: Sink) {
    let owner = Sink()
    owners.append(owner)
    $number.observe(owner: owner) { _, _ in sink.add(1) }
  }

  func set(times: Int) {
    numbers.each(times) { number = $0 }
  }
}

final class ComputedModel: PropertyModel {
  private var numbers = Numbers()
  @Observed var number = -1
  private let bag = TokenBag()
  private var values: [Computed<Int>] = []

  func observe(by sink: Sink) {
    let value = Computed($number) { $0 &+ 1 }
    value.observe { _ in sink.add(1) }.store(in: bag)
    values.append(value)
  }

  func set(times: Int) {
    numbers.each(times) { number = $0 }
  }
}

/// Tracking reports one change, before it is made: it is armed again in each call.
@Observable
final class ObservableModel: PropertyModel {
  @ObservationIgnored private var numbers = Numbers()
  var number = -1

  func observe(by sink: Sink) {
    let watcher = Watcher(self, sink)
    watcher.arm()
  }

  func set(times: Int) {
    numbers.each(times) { number = $0 }
  }

  private final class Watcher: @unchecked Sendable {  // Reason: used by one thread.
    private unowned let model: ObservableModel
    private let sink: Sink

    init(_ model: ObservableModel, _ sink: Sink) {
      self.model = model
      self.sink = sink
    }

    func arm() {
      withObservationTracking {
        _ = model.number
      } onChange: {
        self.sink.add(1)
        self.arm()
      }
    }
  }
}

final class PublishedModel: PropertyModel {
  private var numbers = Numbers()
  private let subject = Box()
  private var cancellables: Set<AnyCancellable> = []

  private final class Box: ObservableObject {
    @Published var number = -1
  }

  func observe(by sink: Sink) {
    subject.$number.dropFirst().sink { _ in sink.add(1) }.store(in: &cancellables)
  }

  func set(times: Int) {
    numbers.each(times) { subject.number = $0 }
  }
}

final class CurrentValueModel: PropertyModel {
  private var numbers = Numbers()
  private let subject = CurrentValueSubject<Int, Never>(-1)
  private var cancellables: Set<AnyCancellable> = []

  func observe(by sink: Sink) {
    subject.dropFirst().sink { _ in sink.add(1) }.store(in: &cancellables)
  }

  func set(times: Int) {
    numbers.each(times) { subject.value = $0 }
  }
}
