import EventBus
import EventBusTesting
import LaunchLoader
import TestSupport
import Testing

extension LaunchKeys {
  fileprivate static let number = LaunchKey<Int>("number")
  fileprivate static let text = LaunchKey<String>("text")
  fileprivate static let list = LaunchKey<[Int]>("list")
  fileprivate static let view = LaunchKey<View>("view")
  fileprivate static let sum = LaunchKey<Int>("sum")
  fileprivate static let otherNumber = LaunchKey<String>("number")
  fileprivate static let function = LaunchKey<@Sendable (Int) -> Int>("function")
  fileprivate static let absent = LaunchKey<Int?>("absent")
}

/// A class of the main actor.
@MainActor
private final class View {
  var title = "untitled"
}

@Suite("Values that launch work makes", .timeLimit(.minutes(5)))
struct LaunchValueTests {
  let loader = LaunchLoader()
  let log = Log<String>()

  private func registerMakers(of loader: LaunchLoader) {
    loader.register(.list, needs: .number, .text) { _, number, text in [number, text.count] }
    loader.register(.view) { @MainActor _ in View() }
    loader.register(.text) { options in
      await Task.yield()
      return options.arguments.joined()
    }
    loader.register(.number) { _ in 7 }
  }

  @Test(
    "Workers receive one or two values, synchronously and asynchronously, in the order of needs"
  )
  func arities() async throws {
    loader.register("1", needs: .number) { [log] _, a in log.append("1: \(a)") }
    loader.register("2", needs: .number, .text) { [log] _, a, b in log.append("2: \(a) \(b)") }
    loader.register("3", needs: .text, .view) { @MainActor [log] _, a, b in
      log.append("3: \(a) \(b.title)")
    }
    loader.register("1, later", needs: .number) { [log] _, a in
      await Task.yield()
      log.append("1, later: \(a)")
    }
    loader.register("2, later", needs: .number, .text) { [log] _, a, b in
      await Task.yield()
      log.append("2, later: \(a) \(b)")
    }
    loader.register("3, later", needs: .text, .view) { [log] _, a, b in
      log.append("3, later: \(a) \(await b.title)")
    }
    registerMakers(of: loader)
    let report = try await loader.launch(LaunchOptions(arguments: ["ab"]))
    #expect(report.entries.allSatisfy { $0.outcome.description == "finished" })
    #expect(
      log.entries.sorted() == [
        "1, later: 7", "1: 7", "2, later: 7 ab", "2: 7 ab", "3, later: ab untitled",
        "3: ab untitled",
      ]
    )
  }

  @Test("Makers also receive one or two values")
  func makers() async throws {
    let keys = (0..<5).map { LaunchKey<Int>("made \($0)") }
    registerMakers(of: loader)
    loader.register(keys[0], needs: .number) { _, a in a }
    loader.register(keys[1], needs: .number, .text) { _, a, b in a + b.count }
    loader.register(keys[2], needs: .list, .view) { @MainActor _, a, b in a.count + b.title.count }
    loader.register(keys[3], needs: keys[0]) { _, a in
      await Task.yield()
      return a
    }
    loader.register(keys[4], needs: keys[0], keys[1]) { _, a, b in
      await Task.yield()
      return a + b
    }
    try await loader.launch(LaunchOptions(arguments: ["ab"]))
    var values: [Int] = []
    for key in keys { values.append(try await loader.value(of: key)) }
    #expect(values == [7, 9, 10, 7, 16])
  }

  @Test("Every closure runs in the isolation in which it was written")
  func isolation() async throws {
    loader.register(.view) { @MainActor _ in
      MainActor.assertIsolated()
      return View()
    }
    loader.register("asynchronous", needs: .view) { @MainActor [log] _, view in
      await Task.yield()
      MainActor.assertIsolated()
      view.title = "drawn"
      log.append(view.title)
    }
    loader.register("synchronous", needs: .view, after: ["asynchronous"]) {
      @MainActor [log] _, view in
      MainActor.assertIsolated()
      log.append(view.title)
    }
    loader.register(.number) { @SampleActor _ in
      SampleActor.shared.assertIsolated()
      return 1
    }
    loader.register("elsewhere", needs: .number) { @SampleActor _, _ in
      SampleActor.shared.assertIsolated()
    }
    let report = try await loader.launch()
    #expect(report.failures.isEmpty && log.entries == ["drawn", "drawn"])
    let view = try await loader.value(of: .view)
    #expect(await view.title == "drawn")
  }

  @Test("Values of types that wrap nothing, functions and optionals, arrive as they were made")
  func unusualTypes() async throws {
    loader.register(.function) { _ in { $0 + 1 } }
    loader.register(.absent) { _ in nil }
    loader.register("use", needs: .function, .absent) { [log] _, function, absent in
      log.append("\(function(1)) \(absent == nil)")
    }
    try await loader.launch()
    #expect(log.entries == ["2 true"])
    #expect(try await loader.value(of: .absent) == nil)
  }

  @Test("Launched by the event, workers that need values of synchronous makers run inside the post")
  func insideThePost() {
    let bus = EventBus()
    loader.register("sum", needs: .number) { [log] _, number in log.append("\(number)") }
    loader.register(.number) { _ in 5 }
    loader.launchByEvent(on: bus)
    #expect(log.entries == ["5"])
  }

  @Test("The plan, its graph, and the critical path show the edges that follow from needs")
  func edges() async throws {
    let clock = ManualClock()
    let loader = LaunchLoader(clock: clock)
    loader.register("use", needs: .sum, phase: .early) { _, _ in clock.jump(by: .seconds(1)) }
    loader.register(.sum, needs: .number, after: ["first"]) { _, number in
      clock.jump(by: .seconds(1))
      return number
    }
    loader.register(.number, phase: .late) { _ in
      clock.jump(by: .seconds(1))
      return 1
    }
    loader.register("first") { _ in }
    let plan = try loader.plan()
    #expect(plan.layers == [["number", "first"], ["sum"], ["use"]])
    let edges = plan.edges.map { [$0.from, $0.to] }
    #expect(edges.contains(["sum", "use"]) && edges.contains(["number", "sum"]))
    let report = try await loader.launch()
    #expect(report.criticalPath.suffix(2) == ["sum", "use"])
  }

  @Test("A need that fails, is skipped, or is missing skips the worker, and the report names it")
  func unmetNeeds() async throws {
    let condition: @Sendable (LaunchOptions) -> Bool = { _ in false }
    loader.register(.number) { _ -> Int in throw Broken() }
    loader.register(.text, when: condition) { _ in "" }
    loader.register("a", needs: .number) { [log] _, _ in log.append("a") }
    loader.register("b", needs: .text) { [log] _, _ in log.append("b") }
    loader.register("c", needs: .list) { [log] _, _ in log.append("c") }
    loader.register(.sum, needs: .list) { [log] _, _ in
      log.append("sum")
      return 1
    }
    loader.register("d", needs: .sum) { [log] _, _ in log.append("d") }
    let report = try await loader.launch()
    #expect(log.entries.isEmpty)
    #expect(
      report.summary == [
        "number failed: broken", "text skipped", "a skipped because of number",
        "b skipped because of text", "c skipped because of list", "sum skipped because of list",
        "d skipped because of sum",
      ]
    )
    #expect(report.problems.count == 2)
    #expect(report.problems.first?.code == .unknown("list", neededBy: "c"))
  }

  @Test(
    "Of two makers of a key, or of its name with another type, the first counts; both are named"
  )
  func duplicates() async throws {
    loader.register(.number, fileID: "App/A.swift", line: 1) { _ in 1 }
    let second = loader.register(.number, fileID: "App/B.swift", line: 2) { _ in 2 }
    let third = loader.register(.otherNumber, fileID: "App/C.swift", line: 3) { _ in "3" }
    let fourth = loader.register("number", fileID: "App/D.swift", line: 4) { _ in }
    for token in [second, third, fourth] {
      #expect(token.outcome?.description == "duplicate of number")
      #expect(token.original?.description == "App/A.swift:1")
    }
    let report = try await loader.launch()
    #expect(try await loader.value(of: .number) == 1)
    #expect(report.entries.map(\.site.fileID).count == 4)
    #expect(report.description.contains("at App/C.swift:3, registered first at App/A.swift:1"))
  }

  @Test("A need of another type than is made skips the worker, with an error that names both types")
  func mismatch() async throws {
    loader.register("a", needs: .otherNumber, fileID: "App/A.swift", line: 1) { [log] _, _ in
      log.append("a")
    }
    loader.register("b", after: ["a"]) { [log] _ in log.append("b") }
    loader.register(.number, fileID: "App/B.swift", line: 2) { _ in 1 }
    loader.register("c", needs: .text) { [log] _, _ in log.append("c") }
    loader.register("text") { _ in }
    #expect(throws: LaunchError.self) { try loader.plan() }
    let report = try await loader.launch()
    #expect(log.entries.isEmpty)
    #expect(
      report.summary == [
        "a skipped because of number", "b skipped because of a", "number finished",
        "c skipped because of text", "text finished",
      ]
    )
    guard case .mismatch("number", makes: "Int", needed: "String")? = report.problems.first?.code,
      case .mismatch("text", makes: nil, needed: "String")? = report.problems.last?.code
    else {
      Issue.record("\(report.problems)")
      return
    }
    let text = "\(report.problems[0])"
    for part in ["App/A.swift:1", "App/B.swift:2", "Int", "String", #""a""#, #""number""#] {
      #expect(text.contains(part), "\(text)")
    }
    let code = await launchErrorCode { try await loader.value(of: .otherNumber) }
    guard case .mismatch? = code else {
      Issue.record("\(String(describing: code))")
      return
    }
  }
}
