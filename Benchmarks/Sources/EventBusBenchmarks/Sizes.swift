import EventBus
import Foundation
import Harness
import OpenCombine

extension EventNames {
  fileprivate static let tick = EventName<Int>("benchmarks.sizes.tick")
}

extension Notification.Name {
  fileprivate static let tick = Notification.Name("benchmarks.sizes.tick")
}

/// The bytes of each kind of registration, and of objects that nobody observes.
///
/// Counts, not times. A token counts where a program keeps it; owners, and the array that keeps tokens, exist before
/// and do not count.
enum Sizes {
  static let rows = [
    Row(
      Figure("bytes: handler with an owner on the main actor", .bytes, per: count),
      pace: .counted,
      entries: [
        entry(.eventBus, { _ in Panel() }) { panel in
          _ = bus.observe(.tick, owner: panel) { panel, value in panel.total &+= value }
        },
        entry(.payloadCenter, { _ in Panel() }) { panel in
          center.addObserver(forName: .tick, object: nil, queue: nil) { [weak panel] note in
            let value = note.userInfo?["value"] as? Int ?? 0
            MainActor.assumeIsolated { panel?.total &+= value }
          }
        },
        entry(.typedCenter, { _ in Panel() }) { panel in
          center.addObserver(for: Tick.self) { [weak panel] tick in panel?.total &+= tick.value }
        },
      ]
    ),
    Row(
      Figure("bytes: handler with an owner, no actor", .bytes, per: count),
      pace: .counted,
      entries: [
        entry(.eventBus, { _ in Sink() }) { sink in observe(sink) },
        entry(.notificationCenter, { _ in Sink() }) { sink in
          center.addObserver(forName: .tick, object: nil, queue: nil) { [weak sink] _ in
            sink?.add(1)
          }
        },
      ]
    ),
    ours("bytes: handler on the main actor") {
      bus.observe(.tick) { @MainActor value in consume(value) }
    },
    ours("bytes: handler, once") { observeOnce() },
    ours("bytes: handler of a sender") { observeSender() },
    ours("bytes: asynchronous handler") { observeAsynchronously() },
    ours("bytes: observer of a property") { property.observe { _ in } },
    ours("bytes: observer of a shared property") { shared.observe { _ in } },
    ours("bytes: shared property that nobody observes") { SharedObserved(1) },
    Row(
      Figure("bytes: signal that nobody observes", .bytes, per: count),
      pace: .counted,
      entries: [
        entry(.eventBus, { $0 }) { _ in Signal<Int>() },
        entry(.openCombine, { $0 }) { _ in PassthroughSubject<Int, Never>() },
      ]
    ),
    ours("bytes: signal with 1 handler on the main actor") {
      let signal = Signal<Int>()
      signal.observe(owner: panel) { panel, value in panel.total &+= value }
      return signal
    },
    ours("bytes: bus that nobody observes") { EventBus() },
    Row(
      Figure("bytes: name that nobody observes any more", .bytes, per: count),
      pace: .counted,
      entries: [
        entry(.eventBus, { $0 }) { index in bus.observe(names[index]) { _ in }.cancel() },
        entry(.notificationCenter, { $0 }) { index in
          center.removeObserver(
            center.addObserver(forName: foundationNames[index], object: nil, queue: nil) { _ in }
          )
        },
      ]
    ),
    ours("bytes: bus that observes the thousandth name of the process") {
      let bus = EventBus()
      bus.observe(names[999], owner: panel) { panel, value in panel.total &+= value }
      return bus
    },
  ]

  private static let count = 20_000

  private static let bus = EventBus()
  private static let texts = (0..<count).map { "benchmarks.sizes.\($0)" }
  private static let names = texts.map { EventName<Int>($0) }
  private static let foundationNames = texts.map { Notification.Name($0) }
  @MainActor private static let center = NotificationCenter()
  @MainActor private static let panel = Panel()
  @MainActor private static let property = Observed(wrappedValue: 1)
  private static let shared = SharedObserved(1)

  /// A row about something that only this project has.
  private static func ours<Kept>(
    _ title: String,
    _ make: @escaping @MainActor @Sendable () -> Kept
  ) -> Row {
    Row(
      Figure(title, .bytes, per: count),
      pace: .counted,
      entries: [entry(.eventBus, { $0 }) { _ in make() }]
    )
  }

  // Handlers without an actor are made outside the main actor, to which they would belong otherwise.

  nonisolated private static func observe(_ owner: Sink) {
    bus.observe(.tick, owner: owner) { owner, value in owner.add(value) }
  }

  nonisolated private static func observeOnce() -> Token {
    bus.observe(.tick, once: true) { value in consume(value) }
  }

  nonisolated private static func observeSender() -> Token {
    bus.observe(.tick, from: bus) { value in consume(value) }
  }

  nonisolated private static func observeAsynchronously() -> Token {
    bus.observe(.tick) { value async in consume(value) }
  }

  /// Makes a thousand things and keeps them.
  private static func entry<Owner, Kept>(
    _ subject: Harness.Subject,
    _ owner: @escaping @MainActor @Sendable (_ index: Int) -> Owner,
    _ make: @escaping @MainActor @Sendable (Owner) -> Kept
  ) -> Entry {
    Entry(subject) {
      { _ in
        let owners = (0..<count).map(owner)
        var kept: [Kept] = []
        kept.reserveCapacity(count + 1)
        // One-time costs, such as tables, do not count.
        kept.append(make(owner(0)))
        let bytes = Heap.during { _ in
          for owner in owners { kept.append(make(owner)) }
        }.bytes
        return withExtendedLifetime((owners, kept)) { Double(bytes) }
      }
    }
  }
}

/// An object of the main actor, such as a view.
@MainActor
private final class Panel {
  var total = 0
}

/// A message for the objects of the main actor.
private struct Tick: NotificationCenter.MainActorMessage {
  typealias Subject = Sink

  static let name = Notification.Name("benchmarks.sizes.typed")

  let value: Int
}
