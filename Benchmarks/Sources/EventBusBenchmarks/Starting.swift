import EventBus
import Foundation
import Harness
import LaunchLoader
import Synchronization

extension EventNames {
  fileprivate static let login = EventName<Int>("benchmarks.starting.login")
  fileprivate static let theme = EventName<Int>("benchmarks.starting.theme")
  fileprivate static let network = EventName<Int>("benchmarks.starting.network")
}

extension Notification.Name {
  fileprivate static let login = Notification.Name("benchmarks.starting.login")
  fileprivate static let theme = Notification.Name("benchmarks.starting.theme")
  fileprivate static let network = Notification.Name("benchmarks.starting.network")
}

private protocol Message: NotificationCenter.MainActorMessage where Subject == Sink {
  var value: Int { get }
}

private struct Login: Message {
  static let name = Notification.Name("benchmarks.starting.login.typed")
  let value: Int
}

private struct Repaint: Message {
  static let name = Notification.Name("benchmarks.starting.theme.typed")
  let value: Int
}

private struct Online: Message {
  static let name = Notification.Name("benchmarks.starting.network.typed")
  let value: Int
}

/// The start of an app: 50 features are set up in order, each observes three events with an object that is not
/// kept alive, and the first event of each kind is posted.
enum Starting {
  static let rows = [
    Row(
      Figure("start of an app with 50 features, a feature", per: features),
      pace: .single,
      entries: [
        entry(.eventBus) { registered(after: { $0 > 0 ? [names[$0 - 1]] : [] }) },
        entry(.payloadCenter, called), entry(.typedCenter, calledWithMessages),
      ]
    ),
    Row(
      Figure("start of an app with 50 features without dependencies, a feature", per: features),
      pace: .single,
      entries: [
        entry(.eventBus) { registered(after: { _ in [] }) },
        entry(.payloadCenter, called), entry(.typedCenter, calledWithMessages),
      ]
    ),
  ]

  private static let features = 50
  private static let names = (0..<features).map { LaunchID("feature.\($0)") }

  private final class Feature: Sendable {
    let heard = Atomic<Int>(0)

    func hear(_ value: Int) { heard.add(value, ordering: .relaxed) }
  }

  /// Measures a start, and checks that each feature has received each event.
  private static func entry(
    _ subject: Subject,
    _ start: @escaping @Sendable () -> (nanoseconds: Double, features: [Feature])
  ) -> Entry {
    Entry(subject) {
      { _ in
        let (time, started) = start()
        let heard = started.reduce(0) { $0 + $1.heard.load(ordering: .relaxed) }
        expectDeliveries(heard, 3 * features, by: subject)
        return time
      }
    }
  }

  /// Launch work with names and dependencies, and a bus.
  private static func registered(after dependencies: (Int) -> [LaunchID]) -> (Double, [Feature]) {
    let started = (0..<features).map { _ in Feature() }
    let (loader, bus) = (LaunchLoader(), EventBus())
    let time = nanoseconds {
      for (index, feature) in started.enumerated() {
        loader.register(names[index], after: dependencies(index)) { _ in
          bus.observe(.login, owner: feature) { feature, value in feature.hear(value) }
          bus.observe(.theme, owner: feature) { feature, value in feature.hear(value) }
          bus.observe(.network, owner: feature) { feature, value in feature.hear(value) }
        }
      }
      let attachment = loader.attach(to: bus)
      bus.post(.didFinishLaunching, LaunchOptions())
      bus.post(.login, 1)
      bus.post(.theme, 1)
      bus.post(.network, 1)
      withExtendedLifetime(attachment) {}
    }
    return (time, started)
  }

  /// A list of functions that are called in order, and a notification center.
  private static func called() -> (Double, [Feature]) {
    let started = (0..<features).map { _ in Feature() }
    let center = NotificationCenter()
    func observe(_ name: Notification.Name, _ feature: Feature) -> any NSObjectProtocol {
      center.addObserver(forName: name, object: nil, queue: nil) { [weak feature] note in
        feature?.hear(note.userInfo?["value"] as? Int ?? 0)
      }
    }
    let time = nanoseconds {
      var work: [() -> [any NSObjectProtocol]] = []
      for feature in started {
        work.append {
          [observe(.login, feature), observe(.theme, feature), observe(.network, feature)]
        }
      }
      work = opaque(work)
      let tokens = work.map { $0() }
      center.post(name: .login, object: nil, userInfo: ["value": 1])
      center.post(name: .theme, object: nil, userInfo: ["value": 1])
      center.post(name: .network, object: nil, userInfo: ["value": 1])
      withExtendedLifetime(tokens) {}
    }
    return (time, started)
  }

  /// The same with typed messages.
  private static func calledWithMessages() -> (Double, [Feature]) {
    MainActor.assumeIsolated {
      let started = (0..<features).map { _ in Feature() }
      let center = NotificationCenter()
      func observe<Kind: Message>(
        _: Kind.Type,
        _ feature: Feature
      ) -> NotificationCenter.ObservationToken {
        center.addObserver(for: Kind.self) { [weak feature] message in feature?.hear(message.value)
        }
      }
      let time = nanoseconds {
        var work: [@MainActor () -> [NotificationCenter.ObservationToken]] = []
        for feature in started {
          work.append {
            [
              observe(Login.self, feature), observe(Repaint.self, feature),
              observe(Online.self, feature),
            ]
          }
        }
        work = opaque(work)
        let tokens = work.map { $0() }
        center.post(Login(value: 1))
        center.post(Repaint(value: 1))
        center.post(Online(value: 1))
        withExtendedLifetime(tokens) {}
      }
      return (time, started)
    }
  }
}
