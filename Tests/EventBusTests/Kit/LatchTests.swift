import EventBus
import TestSupport
import Testing

@Suite("Latch")
struct LatchTests {
  @Test("An open latch resumes waiting and later tasks", .timeLimit(.minutes(5)))
  func opens() async {
    let latch = Latch()
    async let early = latch.wait()
    await rest()
    latch.open()
    latch.open()
    #expect(await early)
    #expect(await latch.wait())
  }

  @Test("A cancelled task resumes although the latch stays closed", .timeLimit(.minutes(5)))
  func cancels() async {
    let latch = Latch()
    let waiter = Task { await latch.wait() }
    await rest()
    waiter.cancel()
    #expect(await !waiter.value)
    #expect(!latch.isOpen)
  }

  @Test("A task cancelled while it begins to wait always resumes", .timeLimit(.minutes(5)))
  func cancelRace() async {
    for _ in 0..<2_000 {
      let latch = Latch()
      let waiter = Task { await latch.wait() }
      waiter.cancel()
      #expect(await !waiter.value || latch.isOpen)
    }
  }
}
