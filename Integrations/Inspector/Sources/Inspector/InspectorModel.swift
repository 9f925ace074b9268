internal import EventBus
internal import _EventBusLocks

#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif

/// Everything that the page shows.
///
/// ## Thread safety
///
/// Every member may be called from any thread.
final class InspectorModel: Sendable {
  /// The views that are sent as a whole when they change.
  struct Views: Sendable {
    var observers = ObserverTable() { didSet { versions[0] += 1 } }
    var services = ServiceTable() { didSet { versions[1] += 1 } }
    var launch = LaunchView() { didSet { versions[2] += 1 } }
    var themes = ThemeHistory() { didSet { versions[3] += 1 } }
    /// The number of changes of each view.
    private(set) var versions = [1, 1, 1, 1]

    /// The name and the contents of each view, in the order of the versions.
    var all: [(name: String, json: @Sendable () -> JSON)] {
      let views = self
      return [
        ("observers", { views.observers.json }), ("services", { views.services.json }),
        ("launch", { views.launch.json }), ("themes", { views.themes.json }),
      ]
    }
  }

  /// The time between two snapshots of the observers.
  static let samplingInterval = Duration.milliseconds(500)

  let recorder: Recorder
  private let label: String
  private let startDate: Int64
  private let views = Locked(Views())

  init(label: String, capacity: Int) {
    recorder = Recorder(capacity: capacity)
    self.label = label
    startDate = Int64(Date().timeIntervalSince1970 * 1_000)
  }

  /// Changes the views.
  ///
  /// - Parameter change: Calls no foreign code, because it runs under a lock.
  func update(_ change: (inout Views) -> Void) { views.withLock { change(&$0) } }

  /// The views at this moment.
  var current: Views { views.withLock { $0 } }

  /// The description of the program.
  func meta(isLive: Bool) -> JSON {
    let program = CommandLine.arguments.first?.split(separator: "/").last
    return [
      "program": JSON(program.map(String.init)), "label": .string(label),
      "process": JSON(ProcessInfo.processInfo.processIdentifier), "start": .int(startDate),
      "capacity": JSON(recorder.capacity), "isLive": .bool(isLive),
      "columns": JSON(Recorder.Batch.columns),
      "reasons": JSON(Entry.reasons.map(\.rawValue)),
    ]
  }

  /// The time of the program and the number of entries.
  var clock: JSON { ["now": .int(recorder.now), "count": JSON(recorder.count)] }

  /// The messages of a page without a server: the names with their texts of JSON.
  var saved: [(name: String, text: String)] {
    [("meta", meta(isLive: false).text), ("trace", recorder.all.json())]
      + current.all.map { ($0.name, $0.json().text) } + [("clock", clock.text)]
  }
}

extension Recorder {
  /// All that is recorded.
  var all: Batch { batch(from: 0, limit: .max) }
}
