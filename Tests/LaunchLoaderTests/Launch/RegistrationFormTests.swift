import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Forms of registration")
struct RegistrationFormTests {
  let loader = LaunchLoader()
  let log = Log<String>()

  private struct Worker: LaunchWorker {
    static let id: LaunchID = "worker"
    static let log = Log<String>()
    init() { Self.log.append("init") }
    func launch(_ options: LaunchOptions) async throws {
      await Task.yield()
      Self.log.append(options.arguments.joined())
    }
  }

  private struct NamelessWorker: LaunchWorker {
    func launch(_ options: LaunchOptions) throws { throw Broken() }
  }

  @Test("Closures register plain, throwing or asynchronous, each with and without a name")
  func closures() async throws {
    let file: StaticString = "App/Feature.swift"
    loader.register(fileID: file, line: 1) { [log] _ in log.append("plain") }
    loader.register(fileID: file, line: 2) { [log] _ in
      await Task.yield()
      log.append("asynchronous")
    }
    loader.register("named", fileID: file, line: 3) { _ in throw Broken() }
    loader.register("named, asynchronous", fileID: file, line: 4) { _ in
      await Task.yield()
      throw Broken()
    }
    loader.register("labeled", run: { [log] _ in log.append("labeled") })
    let report = try await loader.launch()
    #expect(log.entries.sorted() == ["asynchronous", "labeled", "plain"])
    #expect(
      report.summary == [
        "App/Feature.swift:1#1 finished", "App/Feature.swift:2#1 finished",
        "named failed: broken", "named, asynchronous failed: broken", "labeled finished",
      ]
    )
  }

  @Test("A worker type is created and run at the launch, under its name")
  func workerType() async throws {
    loader.register(Worker.self)
    #expect(Worker.log.entries.isEmpty)
    let report = try await loader.launch(LaunchOptions(arguments: ["ran"]))
    #expect(Worker.log.entries == ["init", "ran"])
    #expect(report.summary == ["worker finished"])
  }

  @Test("A worker type without a name uses the type's name")
  func namelessWorkerType() async throws {
    loader.register(NamelessWorker.self)
    let entry = try await loader.launch().entries.first
    #expect(entry?.id.rawValue.hasPrefix("LaunchLoaderTests.RegistrationFormTests") == true)
    #expect(entry?.id.rawValue.hasSuffix("NamelessWorker") == true)
    #expect(entry?.outcome.description == "failed: broken")
  }

  @Test("The static methods register with the process's shared loader")
  func staticForms() {
    let tokens = [
      LaunchLoader.register("RegistrationFormTests.a") { _ in },
      LaunchLoader.register("RegistrationFormTests.b") { _ in await Task.yield() },
      LaunchLoader.register(NamelessWorker.self),
    ]
    let second = LaunchLoader.shared.register("RegistrationFormTests.a") { _ in }
    #expect(second.outcome?.description == "duplicate of RegistrationFormTests.a")
    #expect(tokens.allSatisfy { $0.outcome == nil })
    for token in tokens { #expect(token.cancel()) }
  }

  @Test("Workers registered in a loop have separate names, counted from one")
  func anonymousNames() async throws {
    let line: UInt = #line + 1
    for _ in 0..<3 { loader.register { _ in } }
    loader.register(line: line) { [loader] _ in loader.register(line: line) { _ in } }
    let entries = try await loader.launch().entries
    let file = "LaunchLoaderTests/RegistrationFormTests.swift"
    #expect(entries.map(\.id) == (1...5).map { LaunchID("\(file):\(line)#\($0)") })
    #expect(entries.allSatisfy { $0.site == SourceSite(fileID: file, line: line) })
  }

  @Test(
    "Of two with one name, the second is freed at once, and its registration reports the duplicate"
  )
  func duplicates() async throws {
    let tally = Tally()
    loader.register("a", fileID: "App/First.swift", line: 1) { [log] _ in log.append("first") }
    let second = loader.register("a", fileID: "App/Second.swift", line: 2) {
      [log, probe = tally.probe()] _ in
      probe.touch()
      log.append("second")
    }
    #expect(second.outcome?.description == "duplicate of a")
    #expect(tally.live == 0)
    #expect(!second.cancel())
    let report = try await loader.launch()
    #expect(log.entries == ["first"])
    #expect(report.entries.map(\.site.fileID) == ["App/First.swift", "App/Second.swift"])
    #expect(report.entries.map(\.site.line) == [1, 2])
    #expect(report.summary == ["a finished", "a duplicate of a"])
  }
}
