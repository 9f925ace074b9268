import LaunchLoader
import Testing

@Suite("The rule of interrupts")
struct InterruptEscalationTests {
  @Test("The first asks, the second insists, the third and all others leave")
  func escalation() {
    var rule = InterruptEscalation()
    let steps = [2, 15, 2, 2].map { rule.next($0) }
    #expect(steps == [.shutdown, .cancel(exitCode: 143), .exit(130), .exit(130)])
  }
}
