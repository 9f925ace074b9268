import EventBus
import LaunchLoader
import Testing

@testable import Inspector

/// For ThreadSanitizer: `check.sh threads`.
@Suite("Readers in parallel with posting threads", .timeLimit(.minutes(5)))
struct ContentionTests {
  @Test("Pages are fed, samples taken and services added while threads post")
  func contention() async throws {
    let bus = EventBus()
    let app = AppHost(bus: EventBus(), loader: LaunchLoader())
    let inspector = Inspector(bus, app: app, capacity: 500, describing: { "\($0.payload)" })
    let name = EventName<Int>("number")
    let tokens = (0..<4).map { _ in bus.observe(name) { _ in } }
    await onThreads(6) { thread in
      switch thread {
      case 0..<3:
        for number in 0..<2_000 { bus.post(name, number) }
      case 3..<5:
        var feed = PageFeed(inspector.model)
        for _ in 0..<100 { _ = feed.next() }
      default:
        for number in 0..<50 {
          try? app.add("service \(number)") { _ in }
          bus.observe(name) { _ in }.cancel()
          inspector.sample()
          _ = inspector.model.saved
        }
      }
    }
    // Two steps of each post, and two of each call; calls of the observers between are more.
    #expect(inspector.model.recorder.count >= 3 * 2_000 * 10)
    #expect(inspector.model.current.services.rows.count == 50)
    withExtendedLifetime(tokens) {}
  }
}
