/// A recording in the trace event format of Chrome, which Perfetto and `chrome://tracing` read.
///
/// Source: "Trace Event Format", the format of the Chromium project. Posts and deliveries are complete events
/// (`X`), skips are instant events (`i`), and flows (`s`, `f`) join a delivery to the post that queued it: they begin
/// within the event of the post, and end where that of the delivery begins.
struct ChromeTrace {
  private let timeline: Timeline

  init(_ timeline: Timeline) { self.timeline = timeline }

  /// The text of the file.
  var text: String {
    var events: [JSON] = [
      ["ph": "M", "pid": 1, "name": "process_name", "args": ["name": "EventBus"]]
    ]
    var tracks = Tracks()
    var flow = 0
    var posts: [Int: (span: Timeline.Span, track: Int)] = [:]
    for span in timeline.spans {
      let track = tracks.place(span)
      events.append(Self.event(span, track))
      if !span.isDelivery { posts[span.post] = (span, track) }
      // The post may have begun before the recording.
      guard let queued = span.queued, let (post, from) = posts[span.post] else { continue }
      flow += 1
      let time = min(max(queued.time, post.begin), post.end)
      events.append(Self.flow("s", flow, from, min(time, span.begin)))
      events.append(Self.flow("f", flow, track, span.begin))
    }
    for skip in timeline.skips {
      events.append([
        "ph": "i", "s": "t", "pid": 1, "tid": JSON(tracks.first(of: skip.lane)),
        "ts": Self.microseconds(skip.time), "cat": "skip",
        "name": .string("\(skip.name) skipped: \(skip.reason)"),
        "args": ["post": JSON(skip.post), "registered at": .string(skip.site)],
      ])
    }
    for (track, lane, number) in tracks.all {
      let name = timeline.lanes[lane] + (number > 0 ? " (\(number + 1))" : "")
      events.append([
        "ph": "M", "pid": 1, "tid": JSON(track), "name": "thread_name",
        "args": ["name": .string(name)],
      ])
    }
    // One event in a line: people also read files of this kind.
    let lines = events.map(\.text).joined(separator: ",\n")
    return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n\(lines)\n]}\n"
  }

  private static func event(_ span: Timeline.Span, _ track: Int) -> JSON {
    var arguments: [(key: String, value: JSON)] = [
      ("post", JSON(span.post)),
      (span.isDelivery ? "registered at" : "posted at", .string(span.site)),
    ]
    if span.outer > 0 { arguments.append(("cause", JSON(span.outer))) }
    if let queued = span.queued {
      arguments.append(("waited µs", JSON((span.begin - queued.time) / 1_000)))
    }
    if let error = span.error { arguments.append(("error", .string(error))) }
    if let payload = span.payload { arguments.append(("payload", .string(payload))) }
    return [
      "ph": "X", "pid": 1, "tid": JSON(track), "ts": microseconds(span.begin),
      "dur": microseconds(span.end - span.begin),
      "cat": .string(span.isDelivery ? "delivery" : "post"),
      "name": .string(span.isDelivery ? "\(span.name) → \(span.site)" : span.name),
      "args": .object(arguments),
    ]
  }

  private static func flow(_ phase: String, _ id: Int, _ track: Int, _ time: Int64) -> JSON {
    [
      "ph": .string(phase), "bp": "e", "pid": 1, "tid": JSON(track), "ts": microseconds(time),
      "id": JSON(id), "cat": "queue", "name": "queued",
    ]
  }

  /// The format counts in microseconds, with decimals.
  private static func microseconds(_ time: Int64) -> JSON {
    .decimal(time / 1_000, thousandths: time % 1_000)
  }
}

/// The tracks of the lanes: events of one track must nest, but the calls of one actor may overlap.
private struct Tracks {
  private struct Track {
    var id: Int
    /// The ends of the open spans, the innermost last.
    var ends: [Int64] = []
  }

  private var lanes: [Int: [Track]] = [:]
  private var count = 0

  /// Returns the first track of a lane.
  mutating func first(of lane: Int) -> Int {
    if let track = lanes[lane]?.first { return track.id }
    return add(to: lane)
  }

  /// Returns the track for a span: the first one in which it nests.
  mutating func place(_ span: Timeline.Span) -> Int {
    _ = first(of: span.lane)
    for index in lanes[span.lane, default: []].indices {
      var ends = lanes[span.lane, default: []][index].ends
      while let end = ends.last, end <= span.begin { ends.removeLast() }
      guard span.end <= ends.last ?? .max else { continue }
      lanes[span.lane, default: []][index].ends = ends + [span.end]
      return lanes[span.lane, default: []][index].id
    }
    let id = add(to: span.lane)
    lanes[span.lane, default: []][lanes[span.lane, default: []].count - 1].ends = [span.end]
    return id
  }

  private mutating func add(to lane: Int) -> Int {
    count += 1
    lanes[lane, default: []].append(Track(id: count))
    return count
  }

  /// All tracks, with their lane and their number in it.
  var all: [(track: Int, lane: Int, number: Int)] {
    lanes.sorted { $0.key < $1.key }.flatMap { lane, tracks in
      tracks.enumerated().map { ($1.id, lane, $0) }
    }
  }
}
