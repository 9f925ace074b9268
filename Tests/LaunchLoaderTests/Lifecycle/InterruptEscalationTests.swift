import LaunchLoader
import Testing

@Suite("Interrupt escalation")
struct InterruptEscalationTests {
  @Test("The first interrupt asks, the second insists, the third and later ones exit")
  func escalation() {
    var rule = InterruptEscalation()
    let steps = [2, 15, 2, 2].map { rule.next($0) }
    #expect(steps == [.shutdown, .cancel(exitCode: 143), .exit(130), .exit(130)])
  }
}
