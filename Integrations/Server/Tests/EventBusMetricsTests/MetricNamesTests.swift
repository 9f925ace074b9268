internal import CoreMetrics
internal import EventBus
internal import EventBusMetrics
internal import EventBusTesting
internal import Foundation
internal import LaunchLoader
internal import MetricsTestKit
internal import Synchronization
internal import TestKit
internal import Testing

@Suite("The names of metrics", .timeLimit(.minutes(1)))
struct MetricNamesTests {
  /// The folder `Integrations`.
  private let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../..").standardizedFileURL

  @Test("Each metric of a bus and an application has one kind, and the README lists it")
  func measured() async throws {
    let (metrics, clock) = (StrictMetrics(), ManualClock())
    let (bus, loader) = (EventBus(label: "orders"), LaunchLoader())
    loader.register("settings") { _ in }
    let app = AppHost(
      bus: bus,
      loader: loader,
      configuration: AppHost.Configuration(
        signals: [:],
        onMessage: { _ in },
        launchOptions: LaunchOptions()
      )
    )
    let tokens = [
      bus.startMeasuring(prefix: "shop", factory: metrics, interval: .seconds(10), clock: clock),
      app.startMeasuring(prefix: "shop", factory: metrics),
    ]
    try app.add("web", onThrow: .ignore) { _ in throw SampleError() }
    let policy = RestartPolicy(pause: .zero)
    try app.add("feed", reportsReadiness: true, onThrow: .restart(policy)) { context in
      if context.attempt == 1 { throw SampleError() }
      context.markReady()
      try await context.waitUntilShutdown()
    }
    try app.add("db") { context in
      context.markReady()
      try await context.waitUntilShutdown()
    }
    let run = Task { try await app.run() }
    try await app.waitUntil(state: .active)
    await until(
      metrics.kinds["shop.launch.worker.duration"] != nil
        && metrics.kinds["shop.services.failures"] != nil
    )
    await clock.waitForSleepers(atLeast: 1)
    await clock.advance(by: .seconds(10))
    await clock.waitForSleepers(atLeast: 1)
    app.shutdown()
    #expect(try await run.value == 0)
    withExtendedLifetime(tokens) {}
    #expect(metrics.clashes == [])

    let readme = try String(
      contentsOf: folder.appending(path: "Metrics/README.md"),
      encoding: .utf8
    )
    let row = /\| `<prefix>\.([a-z.]+)` \| (counter|gauge|timer)\b.*/
    let listed = readme.split(separator: "\n").compactMap { try? row.wholeMatch(in: $0) }
    #expect(
      metrics.kinds
        == Dictionary(
          listed.map { ("shop.\($0.output.1)", String($0.output.2)) },
          uniquingKeysWith: { "\($0) and \($1)" }
        )
    )
  }

  @Test("No sample and no program gives two kinds of metrics one name")
  func samples() throws {
    let label = /\b(Counter|FloatingPointCounter|Gauge|Meter|Recorder|Timer)\(\s*label: "([^"]+)"/
    var found: [(name: String, kind: String, file: String)] = []
    for file in try sources() {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: label) {
        let kind =
          switch match.output.1 {
          case "Counter", "FloatingPointCounter": "counter"
          case "Gauge", "Meter": "gauge"
          default: "\(match.output.1)"
          }
        found.append((String(match.output.2), kind, file.lastPathComponent))
      }
    }
    // The programs and samples of two packages.
    #expect(Set(found.map(\.file)).isSuperset(of: ["README.md", "Feed.swift"]))
    for (index, one) in found.enumerated() {
      for other in found[..<index] where other.kind != one.kind {
        let isClash = Self.mayEqual(one.name, other.name)
        #expect(!isClash, "\(one) is \(other)")
      }
    }
  }

  @Test(
    "Two names with inserted values may be equal if both their ends fit",
    arguments: [
      (#"a.\(x)"#, #"a.\(y.z)"#, true), (#"a.\(x)"#, "a.b", true), (#"a.\(x)"#, "b.a", false),
      (#"\(x).a"#, #"\(x).b"#, false), ("a.b", "a_b", true), ("a", "b", false),
      (#"a.\(x)"#, "a", false), (#"a.\(x).c"#, "a.c", false),
    ]
  )
  func equality(_ one: String, _ other: String, _ isEqual: Bool) {
    #expect(Self.mayEqual(one, other) == isEqual)
    #expect(Self.mayEqual(other, one) == isEqual)
  }

  /// Returns whether two names of metrics with inserted values can become one in Prometheus.
  private static func mayEqual(_ one: String, _ other: String) -> Bool {
    let (one, other) = (parts(one), parts(other))
    let (ends, others) = ((one[0], one[one.count - 1]), (other[0], other[other.count - 1]))
    if one.count == 1, other.count == 1 { return one == other }
    if one.count == 1 || other.count == 1 {
      let (whole, ends) = one.count == 1 ? (one[0], others) : (other[0], ends)
      return whole.count >= ends.0.count + ends.1.count && whole.hasPrefix(ends.0)
        && whole.hasSuffix(ends.1)
    }
    return (ends.0.hasPrefix(others.0) || others.0.hasPrefix(ends.0))
      && (ends.1.hasSuffix(others.1) || others.1.hasSuffix(ends.1))
  }

  /// The text between the inserted values of a name, as Prometheus writes it.
  private static func parts(_ name: String) -> [String] {
    name.split(separator: /\\\([^)]*\)/, omittingEmptySubsequences: false)
      .map { StrictMetrics.inPrometheus(String($0)) }
  }

  /// The articles, libraries and programs of all packages; names that are made of parts are those of another test.
  private func sources() throws -> [URL] {
    let excluded = ["/.build/", "/Tests/", "/Metrics/Sources/"]
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return try #require(files).compactMap { $0 as? URL }.filter { file in
      let path = file.path
      return ["swift", "md"].contains(file.pathExtension)
        && !excluded.contains { path.contains($0) }
    }
  }
}

/// Metrics that keep their kinds, and note what would end a program with swift-prometheus: one name for two kinds, or
/// with dimensions in one place and without in another.
private final class StrictMetrics: MetricsFactory {
  private struct State {
    var kinds: [String: String] = [:]
    var uses: [String: String] = [:]
    var clashes: [String] = []
  }

  private let base = TestMetrics()
  private let state = Mutex(State())

  /// The kinds of all metrics, by their labels.
  var kinds: [String: String] { state.withLock { $0.kinds } }
  /// Descriptions of all clashes.
  var clashes: [String] { state.withLock { $0.clashes } }

  /// A name in the characters of Prometheus.
  static func inPrometheus(_ name: String) -> String {
    String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }

  private func note(_ label: String, _ dimensions: [(String, String)], _ kind: String) {
    let use = "\(kind) with\(dimensions.isEmpty ? "out" : "") dimensions"
    state.withLock { state in
      state.kinds[label] = kind
      let former = state.uses.updateValue(use, forKey: Self.inPrometheus(label))
      if let former, former != use { state.clashes.append("\(label): \(former), \(use)") }
    }
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    note(label, dimensions, "counter")
    return base.makeCounter(label: label, dimensions: dimensions)
  }

  func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    note(label, dimensions, "gauge")
    return base.makeMeter(label: label, dimensions: dimensions)
  }

  func makeRecorder(
    label: String,
    dimensions: [(String, String)],
    aggregate: Bool
  ) -> any RecorderHandler {
    note(label, dimensions, aggregate ? "recorder" : "gauge")
    return base.makeRecorder(label: label, dimensions: dimensions, aggregate: aggregate)
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    note(label, dimensions, "timer")
    return base.makeTimer(label: label, dimensions: dimensions)
  }

  func destroyCounter(_ handler: any CounterHandler) { base.destroyCounter(handler) }
  func destroyMeter(_ handler: any MeterHandler) { base.destroyMeter(handler) }
  func destroyRecorder(_ handler: any RecorderHandler) { base.destroyRecorder(handler) }
  func destroyTimer(_ handler: any TimerHandler) { base.destroyTimer(handler) }
}
