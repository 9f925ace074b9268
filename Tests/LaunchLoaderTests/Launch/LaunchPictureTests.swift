import EventBus
import LaunchLoader
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
    lines.filter { $0.hasPrefix("<rect") && $0.contains("<title>") }.compactMap { line in
      guard let x = Self.number("x", in: line), let y = Self.number("y", in: line),
        let width = Self.number("width", in: line), let height = Self.number("height", in: line)
      else { return nil }
      return Box(x: x, y: y, width: width, height: height)
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
          || line.hasPrefix("<text ") && line.hasSuffix("</text>")
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
    let picture = Picture(report.svg)
    #expect(picture.isSound, "\(report.svg)")
    #expect(report.svg == report.svg)
    let size = try #require(picture.size)
    let boxes = picture.boxes
    #expect(boxes.count == 3, "Skipped work has no bar.")
    #expect(boxes.map(\.width) == [120, 360, 2])
    #expect(boxes[1].x == boxes[0].x + 120 && boxes[2].x == boxes[0].x + 478)
    #expect(boxes.allSatisfy { $0.x + $0.width <= size.width && $0.y + $0.height <= size.height })
    let outlined = picture.lines.filter { $0.hasPrefix("<rect") && $0.contains("stroke=") }
    #expect(report.criticalPath == ["logging", "database", "quick"])
    #expect(outlined.count == 3, "The critical path is outlined.")
    for text in [
      "4 launch workers in 4 s", ">logging</text>", ">index</text>", ">skipped</text>",
      ">failed</text>", "failed: broken", ">critical path: logging → database",
    ] {
      #expect(picture.text.contains(text), "\(text) in \(report.svg)")
    }
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
    let picture = Picture(plan.svg)
    #expect(picture.isSound, "\(plan.svg)")
    #expect(plan.svg == plan.svg)
    let boxes = picture.boxes
    #expect(boxes.count == 9)
    for (index, box) in boxes.enumerated() {
      #expect(!boxes[..<index].contains { $0.overlaps(box) }, "\(plan.svg)")
    }
    // In the order of layers: logging, database and the numbers, index, caches.
    #expect(Set(boxes.map(\.x)).count == 4 && boxes.map(\.x) == boxes.map(\.x).sorted())
    let heads = picture.lines.filter { $0.contains(" l 7 -4 v 8 z") }
    let ends = Set(boxes.map { "M \($0.x + $0.width) \($0.y + $0.height / 2) l" })
    #expect(heads.count == 3)
    #expect(heads.allSatisfy { line in ends.contains { line.contains($0) } }, "\(plan.svg)")
    #expect(picture.lines.count { $0.contains("stroke-dasharray") } == 1)
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
    for text in [try loader.plan().svg, try await loader.launch().svg] {
      let picture = Picture(text)
      #expect(picture.isSound, "\(text)")
      #expect(text.contains("&lt;a &amp; &quot;b&quot;&gt; \u{FFFD}\u{FFFD}\u{FFFD}ü"), "\(text)")
      #expect(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
    }
  }

  @Test("Long names are shortened at their start, so that they stay in their column")
  func longNames() throws {
    let loader = LaunchLoader()
    loader.register(LaunchID(String(repeating: "long ", count: 50) + "end")) { _ in }
    let picture = Picture(try loader.plan().svg)
    let line = try #require(picture.lines.first { $0.contains("…") })
    #expect(line.hasSuffix("end</text>"))
    let box = try #require(picture.boxes.first)
    #expect(box.width == 28 * 8 + 16)
  }

  @Test("Nothing to show is a picture, too")
  func empty() async throws {
    let loader = LaunchLoader(clock: clock)
    #expect(Picture(try loader.plan().svg).isSound)
    let report = try await loader.launch()
    #expect(Picture(report.svg).isSound && report.svg.contains("0 launch workers in 0 ns"))
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
    register("search <index>", after: ["database"], "Mail/Search.swift", .seconds(1), Broken())
    register("suggestions", after: ["search <index>"], "Mail/Suggestions.swift", .milliseconds(5))
    register("spelling", phase: .late, "Mail/Spelling.swift", .milliseconds(60))
    register("old attachments", phase: .idle, "Mail/Attachments.swift", .seconds(3))
    return loader
  }

  /// Compares a picture with the stored one, which has been looked at.
  private func expectStored(_ picture: String, as name: String) throws {
    let tests = parent(ofPath: parent(ofPath: parent(ofPath: #filePath)))
    let path = "\(tests)/Expected/\(name).svg"
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
    try expectStored(await mail().launch().svg, as: "launch-report")
  }

  @Test("The picture of a plan is the stored one, byte by byte")
  func storedPlan() throws { try expectStored(mail().plan().svg, as: "launch-plan") }
}
