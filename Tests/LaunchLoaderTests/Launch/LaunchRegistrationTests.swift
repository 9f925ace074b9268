import EventBus
import LaunchLoader
import TestSupport
import Testing

@Suite("Launch registrations")
struct LaunchRegistrationTests {
  let loader = LaunchLoader()
  let log = Log<String>()

  @Test("A registration has no outcome before its work ends, and keeps it afterwards")
  func outcome() async throws {
    let tokens = Log<LaunchRegistration>()
    let token = loader.register { [log] _ in
      log.append(tokens.entries.first?.outcome == nil ? "none yet" : "too early")
    }
    tokens.append(token)
    #expect(token.outcome == nil)
    try await loader.launch()
    #expect(log.entries == ["none yet"])
    #expect(token.outcome?.description == "finished")
    #expect(try await token.waitUntilFinished().description == "finished")
  }

  @Test("A cancelled registration does not run, is freed at once, and is not in the report")
  func cancelling() async throws {
    let tally = Tally()
    let token = loader.register("a") { [log, probe = tally.probe()] _ in
      probe.touch()
      log.append("ran")
    }
    loader.register("b") { _ in }
    #expect(token.cancel())
    #expect(tally.live == 0)
    #expect(token.outcome?.description == "skipped")
    #expect(!token.cancel(), "It is cancelled once.")
    #expect(try await loader.launch().summary == ["b finished"])
    #expect(log.entries.isEmpty)
  }

  @Test("The name of a cancelled registration may be used again")
  func nameIsFreed() async throws {
    loader.register("a") { [log] _ in log.append("first") }.cancel()
    loader.register("a") { [log] _ in log.append("second") }
    try await loader.launch()
    #expect(log.entries == ["second"])
  }

  @Test("A worker may cancel later workers, but not itself and earlier ones")
  func cancellingDuringTheLaunch() async throws {
    let tokens = Log<LaunchRegistration>()
    tokens.append(loader.register("a") { _ in })
    tokens.append(
      loader.register("b") { [log] _ in
        log.append(
          tokens.entries.map { $0.cancel() ? "cancelled" : "too late" }.joined(separator: ", ")
        )
      }
    )
    tokens.append(loader.register("c") { [log] _ in log.append("c") })
    tokens.append(
      loader.register("d") { [log] _ in
        await Task.yield()
        log.append("d")
      }
    )
    let report = try await loader.launch()
    #expect(log.entries == ["too late, too late, cancelled, cancelled"])
    #expect(report.summary == ["a finished", "b finished"])
  }

  @Test("The registration of late work cannot cancel it")
  func cancellingLateWork() async throws {
    try await loader.launch()
    #expect(!loader.register { _ in }.cancel())
    let asynchronous = loader.register { _ in await Task.yield() }
    #expect(!asynchronous.cancel())
    #expect(try await asynchronous.waitUntilFinished().description == "finished")
  }

  @Test("A task waiting for a registration resumes at the end, or when it is cancelled")
  func waiting() async throws {
    let token = loader.register { _ in }
    let patient = Task { try await token.waitUntilFinished().description }
    let impatient = Task { await isCancelled { try await token.waitUntilFinished() } }
    impatient.cancel()
    #expect(await impatient.value)
    try await loader.launch()
    #expect(try await patient.value == "finished")
  }
}
