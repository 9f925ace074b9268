internal import EventBus
internal import _EventBusLocks

/// Records the steps of a bus in a ring.
///
/// ## Thread safety
///
/// Every member may be called from any thread. Errors and payloads are described outside the lock.
final class Recorder: Sendable {
  /// A part of the recording.
  struct Batch: Sendable {
    /// The number of the first entry.
    var first: Int
    var entries: [Entry]
    /// The errors and payloads, by the number of the entry.
    var texts: [Int: String]
    /// The strings and lanes from the requested indices on.
    var strings: ArraySlice<String>
    var lanes: ArraySlice<String>
  }

  fileprivate struct State {
    var ring: Ring<Entry>
    var texts: [Int: String] = [:]
    var strings = StringTable(limit: 20_000)
    var lanes: [Lane: UInt32] = [:]
    var laneNames = ["other actors"]
    var threadCount = 0
    /// The number of the post whose payload was kept last.
    var describedPost = 0
  }

  /// The limit of what is remembered about lanes.
  fileprivate static let limit = 10_000

  /// The time of the beginning.
  let start = ContinuousClock.now
  private let state: Locked<State>

  init(capacity: Int) { state = Locked(State(ring: Ring(capacity: capacity))) }

  /// The time since the beginning, in nanoseconds.
  var now: Int64 { (ContinuousClock.now - start).nanoseconds }

  /// The maximum number of entries.
  var capacity: Int { state.withLock { $0.ring.capacity } }

  /// The number of errors and payloads that are kept.
  var textCount: Int { state.withLock { $0.texts.count } }

  /// The number of entries that were ever recorded.
  var count: Int { state.withLock { $0.ring.end } }

  /// Records a step.
  func note(_ step: TraceStep) {
    if step.registration?.site.fileID.hasPrefix(Inspector.ownFiles) == true { return }
    var text = PayloadInterceptor.Payload.text(for: step, of: self)
    if case .finished(let error?) = step.kind { text = "\(error)".shortened(to: 2_000) }
    let time = (step.time - start).nanoseconds
    state.withLock { $0.append(step, time, text) }
  }

  /// Returns entries, with the strings and lanes that they may refer to.
  ///
  /// - Parameters:
  ///   - number: The number of the first entry, if it is still kept.
  ///   - limit: The maximum number of entries.
  ///   - strings: The number of strings that the reader has.
  ///   - lanes: The number of lanes that the reader has.
  /// - Returns: The entries with their texts.
  func batch(from number: Int, limit: Int, strings: Int = 0, lanes: Int = 0) -> Batch {
    state.withLock { state in
      let first = max(number, state.ring.start)
      let count = min(limit, max(0, state.ring.end - first))
      let entries = state.ring.elements(first..<first + count)
      var texts: [Int: String] = [:]
      for (offset, entry) in entries.enumerated() where entry.hasText {
        texts[first + offset] = state.texts[first + offset]
      }
      return Batch(
        first: first,
        entries: entries,
        texts: texts,
        strings: state.strings.strings.dropFirst(strings),
        lanes: state.laneNames.dropFirst(lanes)
      )
    }
  }
}

extension Recorder.State {
  fileprivate mutating func append(_ step: TraceStep, _ time: Int64, _ text: String?) {
    var entry = Entry(
      kind: .began,
      post: step.post,
      outer: step.outerPost ?? 0,
      time: time,
      name: strings.index(of: step.name),
      site: strings.index(of: step.site),
      lane: lane(of: step)
    )
    if let registration = step.registration {
      entry.registration = Int32(truncatingIfNeeded: registration.id)
      entry.handler = strings.index(of: registration.site)
    }
    var text = text
    switch step.kind {
    case .began: break
    case .ended: entry.kind = .ended
    case .queued: entry.kind = .queued
    case .started:
      entry.kind = .started
      // The deliveries of one post have one payload.
      if text != nil, describedPost == step.post { text = nil }
      if text != nil { describedPost = step.post }
    case .finished(let error): entry.kind = error == nil ? .finished : .failed
    case .skipped(let reason):
      entry.kind = .skipped
      entry.reason = UInt8(Entry.reasons.firstIndex(of: reason) ?? 0)
    }
    if ring.end - ring.start == ring.capacity, !texts.isEmpty {
      texts[ring.start] = nil
    }
    if let text {
      texts[ring.end] = text
      entry.hasText = true
    }
    ring.append(entry)
  }

  private mutating func lane(of step: TraceStep) -> UInt32 {
    let lane = step.actor.map { Lane.actor($0.id) } ?? .thread(step.thread)
    if let index = lanes[lane] { return index }
    guard laneNames.count < Recorder.limit else { return 0 }
    if let actor = step.actor {
      laneNames.append(actor.description.shortened(to: 200))
    } else {
      threadCount += 1
      laneNames.append("thread \(threadCount)")
    }
    lanes[lane] = UInt32(laneNames.count - 1)
    return UInt32(laneNames.count - 1)
  }
}

extension Duration {
  /// The duration in whole nanoseconds.
  var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
