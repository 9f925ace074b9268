import EventBus
import Harness
import LaunchLoader

extension LaunchID {
  fileprivate static let first = LaunchID("benchmarks.first")
}

/// The first launch of a process, with one worker: what every program pays once, before its own work.
///
/// Half of it is the search of the Swift runtime for the conformances of types that appear first.
enum FirstLaunch {
  static let rows = [
    Row(
      Figure("first launch of a process"),
      pace: .first,
      entries: [
        Entry(.launchLoader) {
          { _ in
            var launched = 0
            let time = nanoseconds { launched = launch() }
            precondition(launched == 1, "\(launched) workers were launched")
            return time
          }
        }
      ]
    )
  ]

  private static func launch() -> Int {
    let sink = Sink()
    let (loader, bus) = (LaunchLoader(), EventBus())
    loader.register(.first) { _ in sink.add(1) }
    let attachment = loader.attach(to: bus)
    bus.post(.didFinishLaunching, LaunchOptions())
    return withExtendedLifetime(attachment) { sink.total }
  }

  private final class Sink: @unchecked Sendable {  // Reason: used on the thread that launches.
    private(set) var total = 0

    func add(_ value: Int) { total += value }
  }
}
