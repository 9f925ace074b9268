import EventBus
import EventBusTesting
import Foundation
import LaunchLoader
import Testing
import Theming

@testable import Inspector

extension EventNames {
  fileprivate static let outer = EventName<Int>("outer")
  fileprivate static let inner = EventName<String>("inner")
}

private struct SampleError: Error, CustomStringConvertible {
  let description = "</script> broken"
}

@Suite("Records of an inspector")
struct RecordingTests {
  @Test("A nested post is joined to its cause, with sites, lanes and errors")
  func nesting() throws {
    let bus = EventBus(label: "nesting")
    let inspector = Inspector(bus)
    let first = bus.observe(.outer) { number in bus.post(.inner, "\(number)") }
    let second = bus.observe(.inner) { _ in throw SampleError() }
    bus.post(.outer, 7)
    let timeline = Timeline(inspector.model.recorder.all)
    #expect(timeline.spans.map(\.name) == ["outer", "outer", "inner", "inner"])
    #expect(timeline.spans.map(\.isDelivery) == [false, true, false, true])
    #expect(timeline.spans[2].outer == timeline.spans[0].post)
    #expect(timeline.spans[3].error == "</script> broken")
    #expect(timeline.spans.allSatisfy { $0.site.hasPrefix("InspectorTests/RecordingTests.swift:") })
    #expect(Set(timeline.spans.map(\.lane)).count == 1)
    // Each span is inside the one around it.
    for (outer, inner) in zip(timeline.spans, timeline.spans.dropFirst()) {
      #expect(outer.begin <= inner.begin && inner.end <= outer.end)
    }
    withExtendedLifetime((first, second)) {}
  }

  @Test("Payloads are recorded only if a closure describes them, and for the right post")
  func payloads() {
    for isAsked in [false, true] {
      let bus = EventBus()
      let inspector =
        isAsked
        ? Inspector(bus, describing: { $0.name == "inner" ? "secret \($0.payload)" : nil })
        : Inspector(bus)
      let tokens = [
        bus.observe(.outer) { bus.post(.inner, "\($0)") }, bus.observe(.inner) { _ in },
        bus.observe(.inner) { _ in },
      ]
      for number in 1...3 { bus.post(.outer, number) }
      let texts = inspector.model.recorder.all.texts.sorted { $0.key < $1.key }.map(\.value)
      #expect(texts == (isAsked ? ["secret 1", "secret 2", "secret 3"] : []))
      let json = inspector.model.saved.map(\.text).joined()
      #expect(json.contains("secret") == isAsked)
      withExtendedLifetime(tokens) {}
    }
  }

  @Test("Of two inspectors of one bus, each records all, and only the payloads that it describes")
  func twoInspectors() {
    let bus = EventBus()
    let (silent, first) = (Inspector(bus), Inspector(bus, describing: { "first \($0.payload)" }))
    let second = Inspector(bus, describing: { $0.name == "inner" ? "second \($0.payload)" : nil })
    let tokens = [bus.observe(.outer) { bus.post(.inner, "\($0)") }, bus.observe(.inner) { _ in }]
    bus.post(.outer, 1)
    func texts(_ inspector: Inspector) -> [String] {
      inspector.model.recorder.all.texts.sorted { $0.key < $1.key }.map(\.value)
    }
    #expect(texts(first) == ["first 1", "first 1"])
    #expect(texts(second) == ["second 1"])
    #expect(texts(silent).isEmpty)
    for inspector in [silent, first, second] {
      #expect(inspector.model.recorder.count == 8)
      inspector.sample()
      #expect(inspector.model.current.observers.total == 2)
    }
    withExtendedLifetime(tokens) {}
  }

  @Test("Names of a million characters cost and show no more than short ones")
  func longNames() {
    let bus = EventBus()
    let inspector = Inspector(bus, describing: { "\($0.payload)" })
    let letters = String(repeating: "x", count: 1_000_000)
    // One character, of a million scalars.
    let accents = "a" + String(repeating: "\u{301}", count: 1_000_000)
    let tokens = [letters, accents].flatMap { text in
      let name = EventName<String>(text)
      let token = bus.observe(name) { _ in }
      for _ in 0..<3 { bus.post(name, text) }
      return [token]
    }
    inspector.sample()
    #expect(inspector.model.saved.reduce(0) { $0 + $1.text.utf8.count } < 60_000)
    withExtendedLifetime(tokens) {}
  }

  @Test("A bus with 100,000 observers is sampled, and the table stays bounded")
  func manyObservers() {
    let bus = EventBus()
    let inspector = Inspector(bus)
    let tokens = (0..<100_000).map { bus.observe(.outer, line: UInt($0 % 3_000)) { _ in } }
    inspector.sample()
    let table = inspector.model.current.observers
    #expect(table.total == 100_000)
    #expect(table.rows.count == ObserverTable.limit)
    #expect(table.omittedCount == 2_000)
    #expect(table.json.text.utf8.count < 400_000)
    withExtendedLifetime(tokens) {}
  }

  @Test("A file that cannot be written is named in the error")
  func unwritable() {
    let inspector = Inspector(EventBus())
    for path in ["/nonexistent/trace.html", "/", ""] {
      #expect(throws: InspectorError.self) { try inspector.save(to: path) }
      do throws(InspectorError) {
        try inspector.saveTrace(to: path)
        Issue.record("\(path) was written.")
      } catch {
        #expect("\(error.code)" == "cannotWrite(path: \(path.debugDescription))")
        let place = path.isEmpty ? "an empty path" : path
        #expect(error.description.contains(place) && error.reason.count > 5, "\(error)")
      }
    }
  }

  @Test("Skips are recorded with their reasons")
  func skips() {
    let bus = EventBus()
    let inspector = Inspector(bus)
    let declining = bus.observe(.outer, where: { _ in false }) { _ in }
    let paused = bus.observe(.outer) { _ in }
    let pause = paused.pause()
    bus.post(.outer, 1)
    let timeline = Timeline(inspector.model.recorder.all)
    #expect(timeline.skips.map(\.reason) == ["declined", "paused"])
    withExtendedLifetime((declining, paused, pause)) {}
  }

  @Test("Queued deliveries are joined to their post, and wait in the table until they start")
  func queues() async throws {
    let bus = EventBus()
    let inspector = Inspector(bus)
    let receiver = Receiver()
    receiver.observe(bus)
    bus.post(.outer, 1)
    bus.post(.outer, 2)
    inspector.sample()
    #expect(inspector.model.current.observers.rows.values.map(\.waiting) == [2])
    receiver.executor.open()
    _ = await bus.postAndWait(.outer, 3)
    inspector.sample()
    #expect(inspector.model.current.observers.rows.values.map(\.waiting) == [0])
    let deliveries = Timeline(inspector.model.recorder.all).spans.filter(\.isDelivery)
    #expect(deliveries.count == 3)
    #expect(deliveries.allSatisfy { $0.queued != nil })
    let lanes = Timeline(inspector.model.recorder.all).lanes
    #expect(deliveries.allSatisfy { lanes[$0.lane] == "Receiver" })
  }

  @Test("An event reported as queued after its start joins its post")
  func lateQueues() {
    let recorder = Recorder(capacity: 100)
    func note(_ step: TraceStep.Kind, _ post: Int, _ registration: Int? = nil) {
      recorder.note(TraceStep.sample(step, post: post, registration: registration))
    }
    for (post, steps) in [
      [TraceStep.Kind.queued, .started, .finished(nil)],
      [.started, .queued, .finished(nil)],
      [.started, .finished(nil), .queued],
      [.skipped(.dropped), .queued],
      [.queued, .skipped(.dropped)],
    ].enumerated() {
      note(.began, post)
      for step in steps { note(step, post, 7) }
      note(.ended(reached: 1), post)
    }
    let calls = Timeline(recorder.all).spans.filter(\.isDelivery)
    #expect(calls.count == 3)
    for call in calls { #expect(call.queued.map { $0.time <= call.begin } == true) }
  }

  @Test("The ring and its texts are bounded")
  func bounds() {
    let bus = EventBus()
    let inspector = Inspector(bus, capacity: 40, describing: { "\($0.payload)" })
    let token = bus.observe(.outer) { _ in }
    for number in 0..<100 { bus.post(.outer, number) }
    let batch = inspector.model.recorder.all
    #expect(batch.entries.count == 40)
    #expect(batch.first == 360)
    #expect(batch.texts.values.sorted() == (90..<100).map { "\($0)" })
    #expect(inspector.model.recorder.textCount == 10)
    // Spans that began before the ring are left out.
    #expect(Timeline(batch).spans.count == 20)
    withExtendedLifetime(token) {}
  }

  @Test("Names that never end are bounded")
  func manyNames() {
    let bus = EventBus()
    let inspector = Inspector(bus, capacity: 100)
    for number in 0..<21_000 { bus.post(EventName<Int>("name \(number)"), number) }
    let batch = inspector.model.recorder.all
    // The names, the site of the posts and the text for items beyond the limit.
    #expect(batch.strings.count == 20_002)
    #expect(batch.entries.last?.name == 0)
    #expect(batch.entries.last?.site != 0)
    #expect(batch.json().contains("\"(more)\""))
  }

  @Test("The launch, its services and the switches of themes are recorded")
  @MainActor
  func views() async throws {
    let (bus, loader) = (EventBus(), LaunchLoader())
    let app = AppHost(
      bus: bus,
      loader: loader,
      configuration: AppHost.Configuration(signals: [:], onMessage: { _ in })
    )
    let attached = loader.attach(to: bus)
    let inspector = Inspector(bus, app: app)
    loader.register("one") { _ in }
    loader.register("two", after: ["one"]) { _ in throw SampleError() }
    let key = ThemeKey<RGBA>("color.paper", default: RGBA(red: 1, green: 2, blue: 3))
    try app.add("web") { context in
      let manager = await ThemeManager(Theme("Day", appearance: .dark), bus: bus)
      try await manager.use(
        Theme("Night", appearance: .dark) { $0[key] = RGBA(red: 0, green: 0, blue: 0) }
      )
      app.shutdown()
      try await context.waitUntilShutdown()
    }
    _ = try await app.run()
    let views = inspector.model.current
    let launch = views.launch.json.text
    #expect(launch.contains("\"layers\":[[\"one\"],[\"two\"]]"))
    #expect(launch.contains("\\u003c/script\\u003e broken"))
    #expect(views.services.rows.map(\.name) == ["web"])
    #expect(views.services.rows.first?.state == .ended)
    #expect(views.services.states.last?.state == .terminated)
    #expect(views.themes.switches.map(\.new) == ["Night"])
    #expect(views.themes.switches.first?.keys.first?.new == ["color.paper = #000000 (Night)"])
    withExtendedLifetime(attached) {}
  }

  @Test("A file saved after the end shows the observers that there were before it")
  @MainActor
  func savedAfterTheEnd() async throws {
    let bus = EventBus()
    let app = AppHost(
      bus: bus,
      loader: LaunchLoader(),
      configuration: AppHost.Configuration(signals: [:], onMessage: { _ in })
    )
    let inspector = Inspector(bus, app: app)
    try app.add("web") { context in
      let token = bus.observe(.outer) { _ in }
      app.shutdown()
      try await context.waitUntilShutdown()
      withExtendedLifetime(token) {}
    }
    let kept = bus.observe(.inner) { _ in }
    _ = try await app.run()
    kept.cancel()
    let path = NSTemporaryDirectory() + "page-\(UUID().uuidString).html"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try inspector.save(to: path)
    #expect(inspector.model.current.observers.rows.keys.contains { $0.name == "inner" })
  }

  @Test("The trace for Perfetto is JSON whose spans nest in each track")
  func chromeTrace() async throws {
    let bus = EventBus()
    let inspector = Inspector(bus)
    let receiver = Receiver()
    receiver.executor.open()
    receiver.observe(bus)
    let token = bus.observe(.outer) { bus.post(.inner, "\($0)") }
    for number in 0..<50 { bus.post(.outer, number) }
    _ = await bus.postAndWait(.outer, 50)
    let path = NSTemporaryDirectory() + "trace-\(UUID().uuidString).json"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try inspector.saveTrace(to: path)
    let object = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: path)))
    let events = try #require((object as? [String: Any])?["traceEvents"] as? [[String: Any]])
    let spans = events.filter { $0["ph"] as? String == "X" }
    // A post and a delivery for each; the inner posts have no receiver, the outer ones have two.
    #expect(spans.count == 51 * 4)
    #expect(events.count { $0["ph"] as? String == "s" } == 51)
    var open: [Int: [Double]] = [:]
    for span in spans {
      let track = try #require(span["tid"] as? Int)
      let begin = try #require(span["ts"] as? Double)
      let end = begin + (try #require(span["dur"] as? Double))
      while let last = open[track]?.last, last <= begin + 0.000_5 { open[track]?.removeLast() }
      #expect(end <= (open[track]?.last ?? .infinity) + 0.000_5)
      open[track, default: []].append(end)
    }
    withExtendedLifetime(token) {}
  }

  @Test("Calls that overlap on one actor have separate tracks in the trace for Perfetto")
  func overlaps() throws {
    let recorder = Recorder(capacity: 100)
    for post in 1...3 { recorder.note(TraceStep.sample(.started, post: post, registration: post)) }
    for post in 1...3 {
      recorder.note(TraceStep.sample(.finished(nil), post: post, registration: post))
    }
    recorder.note(TraceStep.sample(.started, post: 4, registration: 4))
    recorder.note(TraceStep.sample(.finished(nil), post: 4, registration: 4))
    let text = ChromeTrace(Timeline(recorder.all)).text
    let tracks = text.split(separator: "\n").filter { $0.contains("\"ph\":\"X\"") }
      .compactMap { $0.firstMatch(of: /"tid":([0-9]+)/)?.1 }
    #expect(tracks == ["1", "2", "3", "1"])
    #expect(text.contains("\"thread 1 (3)\""))
  }

  @Test("A trace of 100,000 steps follows the rules of the format")
  func rules() async throws {
    let bus = EventBus()
    let inspector = Inspector(bus, describing: { "\($0.payload) \u{1F}</\u{2028}" })
    let receivers = (0..<4).map { _ in Receiver() }
    for receiver in receivers {
      receiver.observe(bus)
      receiver.executor.open()
    }
    let tokens = [
      bus.observe(.outer) { bus.post(.inner, "\($0)") },
      bus.observe(.inner, where: { $0.count > 4 }) { _ in throw SampleError() },
    ]
    let posters = (0..<3).map { poster in
      Task.detached { for number in 0..<2_500 { bus.post(.outer, number * poster) } }
    }
    for poster in posters { await poster.value }
    _ = await bus.postAndWait(.outer, 1)
    let recording = inspector.model.recorder.all
    #expect(recording.entries.count == 100_000 && recording.first > 0)
    let text = ChromeTrace(Timeline(recording)).text
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    #expect(object?["displayTimeUnit"] as? String == "ms")
    let events = try #require(object?["traceEvents"] as? [[String: Any]])
    var (names, flows): ([Int: Int], [Int: [Flow]]) = ([:], [:])
    var tracks: Set<Int> = []
    var posts: [Int: (track: Int, begin: Double, end: Double)] = [:]
    // The posts of deliveries, by the track and the nanosecond at which they begin.
    var deliveries: [Place: Int] = [:]
    for event in events {
      let phase = try #require(event["ph"] as? String)
      #expect(event["name"] is String && event["pid"] as? Int == 1)
      #expect(event["args"] == nil || event["args"] is [String: Any])
      if phase == "M" {
        if let track = event["tid"] as? Int { names[track, default: 0] += 1 }
        continue
      }
      let (track, time) = (event["tid"] as? Int ?? -1, event["ts"] as? Double ?? -1)
      #expect(track > 0 && time >= 0 && event["cat"] is String)
      switch phase {
      case "X":
        let duration = event["dur"] as? Double ?? -1
        #expect(duration >= 0)
        tracks.insert(track)
        let post = try #require((event["args"] as? [String: Any])?["post"] as? Int)
        if event["cat"] as? String == "post" {
          posts[post] = (track, time, time + duration)
        } else {
          deliveries[Place(track, time)] = post
        }
      case "i": #expect(event["s"] as? String == "t")
      case "s", "f":
        if phase == "f" { #expect(event["bp"] as? String == "e") }
        let kind = "\(event["cat"] ?? "") \(event["name"] ?? "")"
        flows[event["id"] as? Int ?? 0, default: []]
          .append(Flow(phase: phase, kind: kind, track: track, time: time))
      default: Issue.record("There is no phase \(phase).")
      }
    }
    #expect(names.values.allSatisfy { $0 == 1 })
    #expect(tracks.isSubset(of: names.keys))
    #expect(flows.count > 10_000)
    // Microseconds with three decimals, as binary fractions.
    let slack = 0.000_5
    for flow in flows.values {
      try #require(flow.map(\.phase) == ["s", "f"] && flow[0].kind == flow[1].kind)
      let (start, end) = (flow[0], flow[1])
      #expect(start.time <= end.time + slack)
      let number = try #require(deliveries[Place(end.track, end.time)], "It ends at a delivery.")
      let post = try #require(posts[number])
      // It begins within the event of the post that queued the delivery.
      try #require(post.track == start.track)
      try #require(post.begin - slack...post.end + slack ~= start.time)
    }
    withExtendedLifetime((tokens, receivers)) {}
  }

  /// A track, and a time in whole nanoseconds.
  private struct Place: Hashable {
    var track: Int
    var time: Int

    init(_ track: Int, _ microseconds: Double) {
      self.track = track
      time = Int((microseconds * 1_000).rounded())
    }
  }

  /// One end of a flow.
  private struct Flow {
    var phase: String
    var kind: String
    var track: Int
    var time: Double
  }

  @Test("A released inspector leaves nothing behind")
  func release() {
    let bus = EventBus()
    weak var recorder: Recorder?
    do {
      let inspector = Inspector(bus, describing: { "\($0.payload)" })
      recorder = inspector.model.recorder
      bus.post(.outer, 1)
      #expect(recorder != nil)
      #expect(recorder?.count == 2)
      #expect(!bus.snapshot().observations.isEmpty)
    }
    #expect(recorder == nil)
    #expect(bus.snapshot().observations.isEmpty)
  }

  @Test("An application that has the inspector as a service is not retained by it")
  func noCycle() throws {
    weak var recorder: Recorder?
    weak var application: AppHost?
    do {
      let app = AppHost(bus: EventBus(), loader: LaunchLoader())
      application = app
      let inspector = Inspector(app.bus, app: app)
      recorder = inspector.model.recorder
      try app.add(inspector)
    }
    #expect(recorder == nil)
    #expect(application == nil)
  }
}

/// An actor whose handlers wait until its executor is opened.
private actor Receiver {
  nonisolated let executor = HeldExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()  // Reason: the actor keeps it.
  }

  nonisolated func observe(_ bus: EventBus) {
    bus.observe(.outer, owner: self) { _, _ in }
  }
}

private final class HeldExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "receiver", attributes: .initiallyInactive)

  func open() { queue.activate() }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async {
      unsafe job.runSynchronously(on: self.asUnownedSerialExecutor())  // Reason: runs once.
    }
  }
}
