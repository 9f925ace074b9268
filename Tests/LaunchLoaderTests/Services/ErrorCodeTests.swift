import LaunchLoader
import TestSupport
import Testing

@Suite("Codes of launch and service errors")
struct ErrorCodeTests {
  @Test("Codes of launch errors are equal if their cases and values are")
  func launch() {
    let codes: [LaunchError.Code] = [
      .cycle(["a", "b", "a"]), .cycle(["b", "a", "b"]), .missing("a", neededBy: "b"),
      .missing("b", neededBy: "a"), .mismatch("a", makes: nil, needed: "Int"),
      .mismatch("a", makes: "Int", needed: "Int"), .noValue("a", nil), .noValue("a", .undone),
      .reentrant, .stopped, .inUse, .launched, .cancelled,
    ]
    #expect(Set(codes + codes).count == codes.count)
  }

  @Test("Codes of service errors are equal if their cases and values are, errors by description")
  func services() {
    let codes: [AppServiceError.Code] = [
      .duplicate("a"), .duplicate("b"), .unknown("a", neededBy: "b"), .cycle(["a", "a"]),
      .stopping("a"), .endedBeforeReady("a"), .notStarted("a"), .returned("a"), .stuck("a"),
      .alreadyRan, .unsuitable("a", reason: "b"), .unsuitable("a", reason: "c"),
      .failed(group: "a", errors: []), .failed(group: "a", errors: [Broken()]),
      .failed(group: "b", errors: [Broken()]),
    ]
    #expect(Set(codes + codes).count == codes.count)
    #expect(
      AppServiceError.Code.failed(group: "a", errors: [Broken()])
        == .failed(group: "a", errors: [Broken()])
    )
  }
}
