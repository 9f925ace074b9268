import EventBus
import TestSupport
import Testing

@Suite("Waiting for the end of a lifetime", .timeLimit(.minutes(5)))
struct EndingTests {
  @Test("Waiting for an end returns when the lifetime ends, and at once if it has ended")
  func ending() async throws {
    let lifetime = Lifetime()
    let ending = lifetime.ending
    let waiting = Task { try await ending.waitUntilEnded() }
    await rest()
    lifetime.end()
    try await waiting.value
    try await ending.waitUntilEnded()
    try await Lifetime.ended.ending.waitUntilEnded()
  }

  @Test("Waiting for an end does not retain the lifetime")
  func endingIsWeak() async throws {
    let lifetime = Holder(Lifetime())
    let ending = try #require(lifetime.value?.ending)
    let waiting = Task { try await ending.waitUntilEnded() }
    await rest()
    lifetime.letGo()
    try await waiting.value
  }

  @Test("Cancelling a task that waits for an end throws and leaves no hook")
  func endingIsCancellable() async {
    let lifetime = Lifetime()
    let waiting = Task { [ending = lifetime.ending] in try await ending.waitUntilEnded() }
    await rest()
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    lifetime.end()
  }
}
