import EventBus
import EventBusTesting
import TestSupport
import Testing

@Suite("Samples for tests of hooks")
struct SampleTests {
  @Test("Samples have the passed values, and the line of the call")
  func samples() {
    let sender = SampleSender()
    let event = AnyEvent.sample("sample.number", payload: 7, sender: sender, line: 3)
    #expect(event.name == "sample.number" && event.payload as? Int == 7)
    #expect(event.sender == ObjectIdentifier(sender) && event.site.line == 3)
    let failure = HandlerFailure.sample(SampleError(), of: event, fileID: "A/B.swift", line: 4)
    #expect(failure.error is SampleError && failure.event.name == "sample.number")
    #expect("\(failure)".hasPrefix("The handler registered at A/B.swift:4 failed on"))
    let step = TraceStep.sample(
      .skipped(.paused),
      post: 2,
      name: "sample.number",
      outerPost: 1,
      depth: 1,
      registration: 9,
      actor: MainActor.shared,
      fileID: "A/B.swift",
      line: 5
    )
    #expect((step.post, step.outerPost, step.depth) == (2, 1, 1))
    #expect(step.registration?.id == 9 && step.registration?.site.line == 5)
    #expect(step.actor.map { "\($0)" } == "MainActor")
    #expect("\(step)".hasPrefix("#2     skipped A/B.swift:5: paused"))
  }
}
