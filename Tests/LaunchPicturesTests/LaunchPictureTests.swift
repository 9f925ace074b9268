import EventBus
import EventBusTesting
import LaunchLoader
import LaunchPictures
import TestSupport
import Testing

/// A rectangle of a picture.
private struct Box: Equatable {
  let x: Int
  let y: Int
  let width: Int
  let height: Int

  func overlaps(_ other: Box) -> Bool {
    x < other.x + other.width && other.x < x + width && y < other.y + other.height
      && other.y < y + height
  }
}

/// What a test reads from the text of a picture.
private struct Picture {
  let text: String
  let lines: [Substring]

  init(_ text: String) {
    self.text = text
    lines = text.split(separator: "\n")
  }

  /// The value of an attribute in a line.
  static func value(of name: String, in line: Substring) -> String? {
    let parts = line.split(separator: " \(name)=\"", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count < 2 ? nil : parts[1].split(separator: "\"").first.map { String($0) }
  }

  static func number(_ name: String, in line: Substring) -> Int? {
    value(of: name, in: line).flatMap { Int($0) }
  }

  /// The boxes with a note, which are those of workers.
  var boxes: [Box] {
    lines.filter { $0.hasPrefix("<rect") && $0.contains("<title>") }.compactMap(Self.box)
  }

  private static func box(_ line: Substring) -> Box? {
    guard let x = number("x", in: line), let y = number("y", in: line),
      let width = number("width", in: line), let height = number("height", in: line)
    else { return nil }
    return Box(x: x, y: y, width: width, height: height)
  }

  /// The areas that texts occupy.
  var texts: [Box] {
    lines.filter { $0.hasPrefix("<text") }.compactMap { line in
      guard let x = Self.number("x", in: line), let y = Self.number("y", in: line),
        let width = Self.number("textLength", in: line)
      else { return nil }
      let start =
        switch Self.value(of: "text-anchor", in: line) {
        case "end": x - width
        case "middle": x - width / 2
        default: x
        }
      return Box(x: start, y: y - 10, width: width, height: 13)
    }
  }

  /// Whether no text leaves the picture or overlaps another one.
  var hasRoomForTexts: Bool {
    guard let size else { return false }
    let texts = texts
    let isInside = texts.allSatisfy {
      $0.x >= 0 && $0.x + $0.width <= size.width && $0.y >= 0 && $0.y + $0.height <= size.height
    }
    return isInside
      && texts.indices.allSatisfy { index in !texts[..<index].contains { $0.overlaps(texts[index]) }
      }
  }

  /// The contents of the texts.
  var words: [Substring] {
    lines.filter { $0.hasPrefix("<text") }.compactMap { line in
      line.split(separator: ">").dropFirst().first?.split(separator: "<").first
    }
  }

  var size: (width: Int, height: Int)? {
    guard let line = lines.first, let width = Self.number("width", in: line),
      let height = Self.number("height", in: line)
    else { return nil }
    return (width, height)
  }

  /// Whether it has one root, closed tags, only integers, and nothing from outside.
  var isSound: Bool {
    let outside = ["<script", "<image", "<style", "href", "url(", "@import", "font-face", "NaN"]
    let numbers = lines.flatMap { line in
      ["x", "y", "width", "height", "d", "viewBox"].compactMap { Self.value(of: $0, in: line) }
    }
    return text.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\"")
      && text.hasSuffix("\n</svg>\n")
      && outside.allSatisfy { !text.contains($0) } && numbers.allSatisfy { !$0.contains(".") }
      && lines.dropFirst().dropLast().allSatisfy { line in
        line.hasSuffix("/>") || line.hasPrefix("<title>") && line.hasSuffix("</title>")
          || line.hasPrefix("<desc>") && line.hasSuffix("</desc>")
          || line.hasPrefix("<text ") && line.hasSuffix("</text>")
            && Self.number("textLength", in: line) != nil
          || line.hasPrefix("<rect ") && line.hasSuffix("</title></rect>")
      }
  }
}

@Suite("Pictures of launches", .timeLimit(.minutes(5)))
struct LaunchPictureTests {
  let clock = ManualClock()

  @Test("A report shows each worker as a bar from its start to its end, in integers")
  func report() async throws {
    let loader = LaunchLoader(clock: clock)
    loader.register("logging") { [clock] _ in clock.jump(by: .seconds(1)) }
    loader.register("database", after: ["logging"]) { [clock] _ in
      clock.jump(by: .seconds(3))
      throw Broken()
    }
    loader.register("index", after: ["database"]) { _ in }
    loader.register("quick") { _ in }
    let report = try await loader.launch()
    let picture = Picture(report.svg())
    #expect(picture.isSound && picture.hasRoomForTexts, "\(report.svg())")
    #expect(report.svg() == report.svg())
    let size = try #require(picture.size)
    let boxes = picture.boxes
    #expect(boxes.count == 3, "Skipped work has no bar.")
    #expect(boxes.map(\.width) == [120, 360, 2])
    #expect(boxes[1].x == boxes[0].x + 120 && boxes[2].x == boxes[0].x + 478)
    #expect(boxes.allSatisfy { $0.x + $0.width <= size.width && $0.y + $0.height <= size.height })
    for text in [
      "Launch ended after 4 s: 2 ok, 1 failed, 1 skipped", "logging", "index", "skipped", "failed",
      "broken", "because of database", "0", "1 s", "2 s", "3 s", "4 s", "end, 4 s",
    ] {
      #expect(picture.words.contains(text[...]), "\(text) in \(report.svg())")
    }
  }

  @Test(
    "The reason of a failure is below its bar, and that of skipped work in place of its bar"
  )
  func reasons() async throws {
    let loader = LaunchLoader(clock: clock)
    loader.register("database") { _ in throw Broken() }
    loader.register("index", after: ["database"]) { _ in }
    loader.register("database", fileID: "App/Other.swift", line: 7) { _ in }
    let picture = Picture(try await loader.launch().svg())
    let places = Dictionary(zip(picture.words, picture.texts)) { first, _ in first }
    let bar = try #require(picture.boxes.first)
    let reason = try #require(places["broken"])
    #expect(reason.y > bar.y + bar.height && reason.y < bar.y + 2 * 22)
    let cause = try #require(places["because of database"])
    #expect(cause.y == places["index"]?.y && cause.x == bar.x)
    #expect(picture.words.contains { $0.hasPrefix("at App/Other.swift:7, registered first at ") })
  }

  @Test("The longest chain of real dependencies is outlined and named; without one, nothing is")
  func chain() async throws {
    let loader = LaunchLoader(clock: clock)
    func register(_ id: LaunchID, after: [LaunchID] = [], _ seconds: Int) {
      loader.register(id, after: after) { [clock] _ in clock.jump(by: .seconds(seconds)) }
    }
    register("a", 1)
    register("alone", 4)
    register("b", after: ["a"], 1)
    register("c", after: ["a"], 3)
    register("d", after: ["c"], 2)
    let report = try await loader.launch()
    let picture = Picture(report.svg())
    let outlined = picture.lines.filter {
      $0.hasPrefix("<rect") && $0.contains("<title>") && $0.contains("stroke=")
    }
    #expect(outlined.count == 3)
    #expect(picture.words.contains("longest chain of dependencies, 6 s of 11 s: a → c → d"))
    #expect(report.criticalPath == ["a", "alone", "b", "c", "d"])

    // Without dependencies; with a chain that took less time than other work, or than half of the launch.
    for (ids, others, seconds) in [([], 3, 5), (["short"], 1, 3), (["short"], 5, 1)]
      as [([LaunchID], Int, Int)]
    {
      let loader = LaunchLoader(clock: clock)
      for id in ids {
        loader.register(id) { [clock] _ in clock.jump(by: .seconds(1)) }
        loader.register("next", after: [id]) { [clock] _ in clock.jump(by: .seconds(1)) }
      }
      for number in 0..<others {
        loader.register(LaunchID("\(number)")) { [clock] _ in clock.jump(by: .seconds(seconds)) }
      }
      let text = try await loader.launch().svg()
      #expect(!text.contains("longest chain"), "\(ids) \(others) \(seconds)")
    }
  }

  @Test(
    "Round times label the axis",
    arguments: [
      (.zero, ["0"]), (.nanoseconds(1), ["0", "1 ns"]),
      (.nanoseconds(7), ["0", "2 ns", "4 ns", "6 ns"]),
      (.milliseconds(2_370), ["0", "0.5 s", "1 s", "1.5 s", "2 s"]),
      (.microseconds(1_000), ["0", "0.2 ms", "0.4 ms", "0.6 ms", "0.8 ms", "1 ms"]),
      (.microseconds(999), ["0", "200 µs", "400 µs", "600 µs", "800 µs"]),
      (.seconds(3 * 3_600), ["0", "2000 s", "4000 s", "6000 s", "8000 s", "10000 s"]),
      (.seconds(-1), ["0"]),
    ] as [(Duration, [String])]
  )
  func axis(_ total: Duration, _ labels: [String]) {
    #expect(total.axisTicks.map { total.axisLabel(of: $0) } == labels)
    let places = total.axisTicks.map { total.axisPosition(of: $0, in: 480) }
    #expect(places.first == 0 && places == places.sorted() && places.allSatisfy { 0...480 ~= $0 })
    #expect(total.axisPosition(of: total * 2, in: 480) == (total > .zero ? 480 : 0))
  }

  @Test("The longest possible time also has an axis")
  func endlessAxis() {
    let end = Duration.seconds(Int64.max)
    #expect(end.axisTicks.count == 5)
    #expect(end.axisPosition(of: end, in: 480) == 480)
  }

  @Test("A plan shows each layer as a column and arrows that end at boxes, none of which overlap")
  func plan() throws {
    let loader = LaunchLoader()
    loader.register("index", after: ["database"], afterIfPresent: ["logging"]) { _ in }
    loader.register("database") { _ in }
    loader.register("logging", phase: .early) { _ in }
    loader.register("caches", after: ["index"], phase: .idle) { _ in }
    for number in 0..<5 { loader.register(LaunchID("number \(number)")) { _ in } }
    let plan = try loader.plan()
    let picture = Picture(plan.svg())
    #expect(picture.isSound && picture.hasRoomForTexts, "\(plan.svg())")
    #expect(plan.svg() == plan.svg())
    let boxes = picture.boxes
    #expect(boxes.count == 9)
    for (index, box) in boxes.enumerated() {
      #expect(!boxes[..<index].contains { $0.overlaps(box) }, "\(plan.svg())")
    }
    // In the order of layers: logging, database and the numbers, index, caches.
    #expect(Set(boxes.map(\.x)).count == 4 && boxes.map(\.x) == boxes.map(\.x).sorted())
    // An arrow ends at the left edge of work that depends on other work. The legend has two more.
    let heads = picture.lines.filter { $0.contains(" l -8 -4 v 8 z") }
    let ends = boxes.map { "M \($0.x) \($0.y + $0.height / 2) l" }
    #expect(heads.count == 3 + 2)
    #expect(
      heads.prefix(3).allSatisfy { line in ends.contains { line.contains($0) } },
      "\(plan.svg())"
    )
    let starts = Set(boxes.map { "M \($0.x + $0.width) \($0.y + $0.height / 2) C" })
    let arrows = picture.lines.filter { line in starts.contains { line.contains("\"\($0)") } }
    #expect(arrows.count == 3, "Each begins at the right edge of the work that is needed.")
    #expect(picture.lines.count { $0.contains("stroke-dasharray") } == 2)
    #expect(picture.words.contains("B needs A: B begins when A has finished"))
    #expect(picture.words.contains("B follows A if both are registered, even if A fails"))
    for phase in ["early", "standard", "idle"] {
      #expect(picture.text.contains(">\(phase)</text>"))
    }
    #expect(!picture.text.contains(">late</text>"))
  }

  @Test("Text is escaped, and characters that XML cannot hold are replaced")
  func escaping() async throws {
    let loader = LaunchLoader()
    loader.register(LaunchID("<a & \"b\">\n\u{0}\u{1B}\u{FFFE}ü")) { _ in }
    loader.register("<script>alert(1)</script>") { _ in throw Broken() }
    for text in [try loader.plan().svg(), try await loader.launch().svg()] {
      let picture = Picture(text)
      #expect(picture.isSound, "\(text)")
      #expect(text.contains("&lt;a &amp; &quot;b&quot;&gt; \u{FFFD}\u{FFFD}\u{FFFD}ü"), "\(text)")
      #expect(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
    }
  }

  @Test("Long names are shortened at their start, so that they stay in their column")
  func longNames() async throws {
    let loader = LaunchLoader()
    loader.register(LaunchID(String(repeating: "long ", count: 50) + "end")) { _ in }
    loader.register(LaunchID(String(repeating: "日本", count: 50) + "end")) { _ in }
    loader.register(LaunchID("marks" + String(repeating: "\u{301}", count: 5_000))) { _ in }
    loader.register(LaunchID(String(repeating: "\u{2068}", count: 40))) { _ in }
    let plan = Picture(try loader.plan().svg())
    let lines = plan.lines.filter { $0.contains("…") && $0.hasPrefix("<text") }
    #expect(lines.count == 3 && lines.count { $0.hasSuffix("end</text>") } == 2)
    #expect(plan.boxes.allSatisfy { $0.width <= 28 * 8 + 16 })
    #expect(plan.words.contains { $0.hasPrefix("…") && $0.count { "日本".contains($0) } == 12 })
    let report = try await loader.launch()
    #expect(plan.hasRoomForTexts && Picture(report.svg()).hasRoomForTexts)
    #expect(plan.text.count { $0.unicodeScalars.count > 16 } == 0)
    #expect(!report.description.isEmpty)
  }

  @Test("Right-to-left text, and text that would reverse its surroundings, affects only itself")
  func directions() async throws {
    let loader = LaunchLoader(clock: clock)
    loader.register("\u{202E}turned\u{202C}") { _ in }
    loader.register("שלום") { [clock] _ in clock.jump(by: .seconds(1)) }
    loader.register("next", after: ["שלום"]) { [clock] _ in clock.jump(by: .seconds(1)) }
    let text = try await loader.launch().svg()
    #expect(text.contains(": \u{2068}שלום\u{2069} → next"))
    #expect(!text.unicodeScalars.contains("\u{202E}") && text.contains("\u{FFFD}turned\u{FFFD}"))
  }

  @Test("The picture of a long report has 100 rows, failures first, and counts the others")
  func manyEntries() async throws {
    let loader = LaunchLoader(clock: clock)
    for number in 0..<2_000 {
      loader.register(LaunchID("worker \(number)")) { [clock] _ in
        clock.jump(by: .microseconds(number == 1_000 ? 900 : number % 100))
        if number == 1_999 { throw Broken() }
      }
    }
    loader.register("skipped", after: ["worker 1999"]) { _ in }
    let picture = Picture(try await loader.launch().svg())
    #expect(picture.isSound && picture.hasRoomForTexts)
    #expect(picture.boxes.count == 99)
    for name in ["worker 1000", "worker 99", "worker 1999", "skipped"] {
      #expect(picture.words.contains(name[...]), "\(name)")
    }
    #expect(picture.words.contains("and 1,901 more: 1,901 ok; none of them took longer than 95 µs"))
    #expect(picture.words.first == "Launch ended after 99.90 ms: 1,999 ok, 1 failed, 1 skipped")
    #expect(picture.text.utf8.count < 100_000)
  }

  @Test("If everything fails, the heading reports it, and long messages are truncated")
  func allFailed() async throws {
    struct Loud: Error, CustomStringConvertible {
      var description: String { String(repeating: "a <long>\nmessage & ", count: 1_000) }
    }
    let loader = LaunchLoader(clock: clock)
    for number in 0..<300 { loader.register(LaunchID("\(number)")) { _ in throw Loud() } }
    loader.register("needs much", after: (0..<40).map { LaunchID("missing \($0)") }) { _ in }
    let picture = Picture(try await loader.launch().svg())
    #expect(picture.isSound && picture.hasRoomForTexts)
    #expect(picture.words.first == "Launch ended after 0 ns: 300 failed, 1 skipped")
    #expect(
      picture.words.contains(
        "and 201 more: 201 failed; none of them took longer than 0 ns"
      )
    )
    #expect(picture.words.contains("and 32 more faults in the dependencies"))
    #expect(picture.text.utf8.count < 200_000)
  }

  @Test("The picture of a large plan is bounded, and counts the work that it omits")
  func largePlans() throws {
    let wide = LaunchLoader()
    for number in 0..<2_000 { wide.register(LaunchID("\(number)")) { _ in } }
    wide.register("last", after: ["1999"]) { _ in }
    let broad = Picture(try wide.plan().svg())
    #expect(broad.isSound && broad.hasRoomForTexts)
    #expect(broad.boxes.count == 40 && broad.words.contains("and 1,961 more"))
    #expect(broad.words.contains("1999"), "Work with arrows comes first.")

    let deep = LaunchLoader()
    for number in 0..<2_000 {
      deep.register(LaunchID("\(number)"), after: number > 0 ? [LaunchID("\(number - 1)")] : []) {
        _ in
      }
    }
    let long = Picture(try deep.plan().svg())
    #expect(long.isSound && long.hasRoomForTexts)
    #expect(long.boxes.count == 16)
    #expect(long.words.contains("not shown: 1,984 more steps with 1,984 workers"))

    let dense = LaunchLoader()
    for number in 0..<40 { dense.register(LaunchID("from \(number)")) { _ in } }
    for number in 0..<40 {
      dense.register(LaunchID("to \(number)"), after: (0..<40).map { LaunchID("from \($0)") }) {
        _ in
      }
    }
    let full = Picture(try dense.plan().svg())
    #expect(full.lines.count { $0.contains(" l -8 -4 v 8 z") } == 1_000 + 1)
    #expect(full.words.contains("not shown: 600 more arrows"))
    #expect([broad, long, full].allSatisfy { $0.text.utf8.count < 300_000 })
  }

  @Test("An arrow past other layers runs between their boxes, not behind them")
  func lanes() throws {
    let loader = LaunchLoader()
    loader.register("first") { _ in }
    for number in 0..<7 { loader.register(LaunchID("middle \(number)"), after: ["first"]) { _ in } }
    loader.register("last", after: ["middle 3", "first"]) { _ in }
    loader.register("late", after: ["first"], phase: .late) { _ in }
    let picture = Picture(try loader.plan().svg())
    let first = try #require(picture.boxes.first)
    let lanes = picture.lines.filter {
      $0.hasPrefix("<path") && $0.contains(" H ") && $0.contains("M \(first.x + first.width) ")
    }
    #expect(lanes.count == 2)
    for line in lanes {
      let words = Picture.value(of: "d", in: line)?.split(separator: " ") ?? []
      for (index, word) in words.enumerated() where word == "H" {
        let (y, x, endX) = (Int(words[index - 1]), Int(words[index - 2]), Int(words[index + 1]))
        let lane = Box(x: x ?? 0, y: y ?? 0, width: (endX ?? 0) - (x ?? 0), height: 1)
        #expect(!picture.boxes.contains { $0.overlaps(lane) }, "\(line)")
      }
    }
  }

  @Test("A report without workers is also a picture, and so is one with a single worker")
  func empty() async throws {
    let loader = LaunchLoader(clock: clock)
    #expect(Picture(try loader.plan().svg()).isSound)
    #expect(try loader.plan().svg().contains(">Launch plan: no workers<"))
    let none = try await loader.launch().svg()
    #expect(Picture(none).isSound && none.contains(">Launch ended after 0 ns: no workers<"))
    let other = LaunchLoader(clock: clock)
    other.register("only") { _ in }
    #expect(try other.plan().svg().contains(">Launch plan: 1 worker in 1 step<"))
    let one = try await other.launch().svg()
    #expect(Picture(one).isSound && one.contains(">Launch ended after 0 ns: 1 ok<"))
  }

  private struct Damage: Error, CustomStringConvertible {
    let description = "the index is damaged: 3 segments are missing"
  }

  /// The launch of a mail program, whose sites do not depend on this file.
  private func mail() -> LaunchLoader {
    let loader = LaunchLoader(clock: clock)
    func register(
      _ name: LaunchID,
      after: [LaunchID] = [],
      phase: LaunchPhase = .standard,
      _ file: StaticString,
      _ duration: Duration,
      _ error: (any Error)? = nil
    ) {
      loader.register(name, after: after, phase: phase, fileID: file, line: 12) { [clock] _ in
        clock.jump(by: duration)
        if let error { throw error }
      }
    }
    register("crash reports", phase: .early, "Mail/CrashReports.swift", .milliseconds(40))
    register("settings", "Mail/Settings.swift", .milliseconds(120))
    register("database", after: ["settings"], "Mail/Database.swift", .milliseconds(900))
    register("accounts", after: ["database"], "Mail/Accounts.swift", .milliseconds(250))
    register("search <index>", after: ["database"], "Mail/Search.swift", .seconds(1), Damage())
    register("suggestions", after: ["search <index>"], "Mail/Suggestions.swift", .milliseconds(5))
    register("spelling", phase: .late, "Mail/Spelling.swift", .milliseconds(60))
    register("old attachments", phase: .idle, "Mail/Attachments.swift", .seconds(3))
    return loader
  }

  /// Compares a picture with the stored one, which has been looked at and which an article shows.
  private func expectStored(_ picture: String, as name: String) throws {
    let root = parent(ofPath: parent(ofPath: parent(ofPath: #filePath)))
    let path = "\(root)/Sources/LaunchLoader/LaunchLoader.docc/\(name).svg"
    let stored = (try? text(ofPath: path)) ?? ""
    #expect(
      picture == stored,
      """
      The picture differs from \(path). If the change is meant, look at this one, and store it:
      \(picture)
      """
    )
  }

  @Test("The picture of a report is the stored one, byte by byte")
  func storedReport() async throws {
    try expectStored(await mail().launch().svg(), as: "launch-report")
  }

  @Test("The picture of a plan is the stored one, byte by byte")
  func storedPlan() throws { try expectStored(mail().plan().svg(), as: "launch-plan") }
}
