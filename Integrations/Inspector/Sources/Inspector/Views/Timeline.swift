internal import EventBus

/// The posts and deliveries of a recording, as spans of time.
struct Timeline {
  /// A post, or a delivery to one handler.
  struct Span {
    var name: String
    /// The site of the post; for a delivery, that of the registration.
    var site: String
    var post: Int
    var outer: Int
    var lane: Int
    var begin: Int64
    var end: Int64
    /// The time at which a delivery was queued, and where.
    var queued: (time: Int64, lane: Int)?
    var isDelivery: Bool
    var error: String?
    var payload: String?
  }

  /// A delivery that was skipped.
  struct Skip {
    var name: String
    var site: String
    var post: Int
    var lane: Int
    var time: Int64
    var reason: String
  }

  /// Sorted by their beginning, outer ones first.
  private(set) var spans: [Span] = []
  private(set) var skips: [Skip] = []
  let lanes: [String]

  private struct Delivery: Hashable {
    var post: Int
    var registration: Int32
  }

  /// Reads a recording.
  ///
  /// What had not ended by the end of the recording ends there. What began before it is left out.
  init(_ batch: Recorder.Batch) {
    let strings = Array(batch.strings)
    lanes = Array(batch.lanes)
    let last = batch.entries.reduce(0) { max($0, $1.time) }
    var posts: [Int: Int] = [:]
    var deliveries: [Delivery: Int] = [:]
    var queued: [Delivery: (Int64, Int)] = [:]
    for (offset, entry) in batch.entries.enumerated() {
      let key = Delivery(post: entry.post, registration: entry.registration)
      let text = batch.texts[batch.first + offset]
      switch entry.kind {
      case .began, .started:
        let isDelivery = entry.kind == .started
        spans.append(
          Span(
            name: strings[Int(entry.name)],
            site: strings[Int(isDelivery ? entry.handler : entry.site)],
            post: entry.post,
            outer: entry.outer,
            lane: Int(entry.lane),
            begin: entry.time,
            end: max(last, entry.time),
            queued: isDelivery ? queued[key] : nil,
            isDelivery: isDelivery,
            payload: text
          )
        )
        if isDelivery {
          deliveries[key] = spans.count - 1
        } else {
          posts[entry.post] = spans.count - 1
        }
      case .ended:
        if let index = posts[entry.post] { spans[index].end = entry.time }
      case .finished, .failed:
        guard let index = deliveries[key] else { continue }
        spans[index].end = max(spans[index].begin, entry.time)
        spans[index].error = text
      case .queued:
        queued[key] = (entry.time, Int(entry.lane))
        // A start that was reported before its queueing is joined to it.
        guard let index = deliveries[key] else { continue }
        spans[index].queued = (min(entry.time, spans[index].begin), Int(entry.lane))
      case .skipped:
        skips.append(
          Skip(
            name: strings[Int(entry.name)],
            site: strings[Int(entry.handler)],
            post: entry.post,
            lane: Int(entry.lane),
            time: entry.time,
            reason: Entry.reasons[Int(entry.reason)].rawValue
          )
        )
        if let index = deliveries[key] { spans[index].end = entry.time }
      }
    }
    spans.sort { ($0.begin, $1.end) < ($1.begin, $0.end) }
  }
}
