/// What one page has received, and what it receives next, as server-sent events.
struct PageFeed {
  /// The number of entries of one message.
  private static let batchSize = 5_000

  private let model: InspectorModel
  private var position = 0
  private var strings = 0
  private var lanes = 0
  private var versions: [Int] = []
  private var lastClock: Int64?
  /// True if there is more to send at once.
  private(set) var hasMore = false

  init(_ model: InspectorModel) { self.model = model }

  /// Returns the messages for the changes since the last call; `nil` if there are none.
  mutating func next() -> String? {
    var text = ""
    if versions.isEmpty { Self.add("meta", model.meta(isLive: true).text, to: &text) }
    let batch = model.recorder.batch(
      from: position,
      limit: Self.batchSize,
      strings: strings,
      lanes: lanes
    )
    hasMore = batch.entries.count == Self.batchSize
    if !batch.entries.isEmpty {
      Self.add("trace", batch.json(strings: strings, lanes: lanes), to: &text)
      position = batch.first + batch.entries.count
      strings += batch.strings.count
      lanes += batch.lanes.count
    }
    let views = model.current
    for (index, view) in views.all.enumerated() {
      if index < versions.count, versions[index] == views.versions[index] { continue }
      Self.add(view.name, view.json().text, to: &text)
    }
    versions = views.versions
    // It also shows that the program is alive.
    let now = model.recorder.now
    if lastClock.map({ now - $0 > 500_000_000 }) ?? true || !batch.entries.isEmpty {
      Self.add("clock", model.clock.text, to: &text)
      lastClock = now
    }
    return text.isEmpty ? nil : text
  }

  private static func add(_ name: String, _ json: String, to text: inout String) {
    text += "event: \(name)\ndata: \(json)\n\n"
  }
}
