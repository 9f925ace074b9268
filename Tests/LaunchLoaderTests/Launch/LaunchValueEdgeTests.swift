import EventBus
import LaunchLoader
import TestSupport
import Testing

extension LaunchKeys {
  fileprivate static let number = LaunchKey<Int>("number")
  fileprivate static let text = LaunchKey<String>("text")
  fileprivate static let list = LaunchKey<[Int]>("list")
  fileprivate static let sum = LaunchKey<Int>("sum")
  fileprivate static let otherNumber = LaunchKey<String>("number")
}

@Suite("Launch values of late, moved and cancelled work", .timeLimit(.minutes(5)))
struct LaunchValueEdgeTests {
  let loader = LaunchLoader()
  let log = Log<String>()

  @Test("Work registered during the launch, whose need is there or pending, receives it")
  func joining() async throws {
    let mayEnd = ManualLatch()
    loader.register(.number) { _ in
      await mayEnd.wait()
      return 3
    }
    loader.register("outer") { [loader, log] _ in
      loader.register("inner", needs: .number) { _, number in log.append("inner \(number)") }
      loader.register("wrong", needs: .otherNumber) { _, _ in log.append("wrong") }
      mayEnd.open()
    }
    let report = try await loader.launch()
    #expect(log.entries == ["inner 3"])
    #expect(report.problems.count == 1)
    #expect(report.summary.last == "wrong skipped because of number")
  }

  @Test("The value of late work that was skipped does not wait for late work registered after it")
  func lateSkipped() async throws {
    let mayEnd = ManualLatch()
    try await loader.launch()
    loader.register(.number, after: ["missing"]) { _ in 1 }
    let other = loader.register("other") { _ in await mayEnd.wait() }
    // A wait would throw the cancellation.
    let reading = Task { [loader] in
      cancelCurrentTask()
      return try await loader.value(of: .number)
    }
    let error = await #expect(throws: LaunchError.self) { try await reading.value }
    #expect(error?.description.contains("skipped because of \"missing\"") == true)
    mayEnd.open()
    #expect(try await other.waitUntilFinished().description == "finished")
    // The reason outlives the rows.
    for index in 0..<100 { loader.register(LaunchID("\(index)")) { _ in await Task.yield() } }
    let later = Task { [loader] in try await loader.value(of: .number) }
    let again = await #expect(throws: LaunchError.self) { try await later.value }
    #expect(again?.description == error?.description)
  }

  @Test("A late worker waits for its pending needs, and runs at once if they are there")
  func late() async throws {
    let mayEnd = ManualLatch()
    loader.register(.number) { _ in 1 }
    loader.register(.text, phase: .idle) { _ in
      await mayEnd.wait()
      return "idle"
    }
    try await loader.launch()
    let now = loader.register("now", needs: .number) { [log] _, number in log.append("\(number)") }
    #expect(now.outcome?.description == "finished" && log.entries == ["1"])
    let later = loader.register("later", needs: .number, .text) { [log] _, number, text in
      log.append("\(number) \(text)")
    }
    let made = loader.register(.list, needs: .text) { _, text in [text.count] }
    #expect(later.outcome == nil && made.outcome == nil)
    mayEnd.open()
    #expect(try await later.waitUntilFinished().description == "finished")
    #expect(log.entries == ["1", "1 idle"])
    #expect(try await loader.value(of: .list) == [4])
    let missing = loader.register("missing", needs: .sum) { _, _ in }
    #expect(missing.outcome?.description == "skipped because of sum")
    loader.register(.sum, needs: .list) { _, list in list[0] + 1 }
    #expect(try await loader.value(of: .sum) == 5)
  }

  @Test("Late work whose need has another type fails with an error about it; its name is free")
  func lateMismatch() async throws {
    loader.register(.number, fileID: "App/Made.swift", line: 1) { _ in 1 }
    loader.register("plain") { _ in }
    try await loader.launch()
    let late = loader.register(.list, needs: .otherNumber, fileID: "App/Late.swift", line: 2) {
      [log] _, _ in
      log.append("ran")
      return []
    }
    guard case .failed(let error as LaunchError)? = late.outcome,
      case .mismatch("number", makes: "Int", needed: "String") = error.code
    else {
      Issue.record("\(String(describing: late.outcome))")
      return
    }
    for part in ["App/Made.swift:1", "App/Late.swift:2", #""list""#, #""number""#] {
      #expect("\(error)".contains(part), "\(error)")
    }
    let second = loader.register(.list, needs: .number) { _, number in [number] }
    #expect(second.outcome?.description == "finished")
    #expect(try await loader.value(of: .list) == [1] && log.entries.isEmpty)
    let noValue = loader.register(needs: LaunchKey<Int>("plain")) { _, _ in }
    guard case .failed(let error as LaunchError)? = noValue.outcome,
      case .mismatch("plain", makes: nil, needed: "Int") = error.code
    else {
      Issue.record("\(String(describing: noValue.outcome))")
      return
    }
  }

  @Test("A need in a later phase, even in the idle one, runs in the phase of the worker")
  func laterPhases() async throws {
    loader.register(.text, phase: .idle) { [log] _ in
      log.append("text")
      return "idle"
    }
    loader.register(.number, needs: .text, phase: .late) { [log] _, text in
      log.append("number")
      return text.count
    }
    loader.register("between", phase: .standard) { [log] _ in log.append("between") }
    loader.register("use", needs: .number, phase: .early) { [log] _, number in
      log.append("use \(number)")
    }
    let report = try await loader.launch()
    #expect(log.entries == ["text", "number", "use 4", "between"])
    #expect(report.entries.map(\.phase) == [.early, .early, .standard, .early])
  }

  @Test("With the policy to stop, values that were made stay, and the others are not awaited")
  func stopKeepsValues() async throws {
    let loader = LaunchLoader(onFailure: .stop)
    loader.register(.number, undo: { [log] _ in log.append("undone") }) { _ in 1 }
    loader.register("fails", needs: .number) { _, _ in throw Broken() }
    loader.register(.text, after: ["fails"]) { _ in "" }
    guard case .failed(let report)? = await launchErrorCode({ try await loader.launch() }) else {
      Issue.record("The launch has to fail.")
      return
    }
    #expect(
      report.summary == [
        "number finished", "fails failed: broken", "text skipped because of fails",
      ]
    )
    #expect(try await loader.value(of: .number) == 1 && log.entries.isEmpty)
    let late = loader.register("late", needs: .number) { [log] _, number in
      log.append("late \(number)")
    }
    #expect(late.outcome?.description == "finished" && log.entries == ["late 1"])
    #expect(
      await launchErrorCode {
        try await loader.value(of: .text)
      } == .noValue("text", .skipped(because: "fails"))
    )
  }

  @Test(
    "The error about a value names the failure behind work that was skipped, however far away",
    arguments: [true, false]
  )
  func origin(isLate: Bool) async throws {
    let loader = LaunchLoader()
    if isLate { try await loader.launch() }
    loader.register("settings") { _ in throw Broken() }
    loader.register(.number, after: ["settings"]) { _ in 1 }
    loader.register(.text, needs: .number) { _, number in "\(number)" }
    if !isLate { try await loader.launch() }
    for (key, cause) in [("number", "settings"), ("text", "number")] {
      let error = await #expect(throws: LaunchError.self) {
        if key == "number" {
          _ = try await loader.value(of: .number)
        } else {
          _ = try await loader.value(of: .text)
        }
      }
      let text = error?.description ?? ""
      #expect(text.contains("\"\(key)\": its launch work was skipped because of \"\(cause)\""))
      #expect(text.contains(". \"settings\" failed: "), "\(text)")
    }
  }

  @Test("The error about a value names the outcome of work that failed after the launch")
  func failedAfterLaunch() async throws {
    let loader = LaunchLoader()
    try await loader.launch()
    loader.register(.number) { _ in throw Broken() }
    do {
      _ = try await loader.value(of: .number)
      Issue.record("Nothing made the value.")
    } catch let error as LaunchError {
      guard case .noValue("number", .failed(let cause)?) = error.code else { throw error }
      // The loader does not keep the error itself.
      #expect(!(cause is Broken))
      let text =
        "its launch work failed: error not retained; see the outcome of its LaunchRegistration."
      #expect(error.description.contains(text))
    }
  }
}
