#if os(Linux) || os(macOS)
import EventBus
import TestSupport
import Testing

@Suite("Unbounded nesting of posts")
struct DeepPostTests {
  /// The lines of standard error that speak of nesting.
  private func warnings(_ result: ExitTest.Result?) throws -> [Substring] {
    String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      .split(separator: "\n").filter { $0.contains("nested") }
  }

  @Test("Nesting deeper than 64 warns once, with the chain of names, and still delivers")
  func deep() async throws {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      let bus = EventBus()
      let heard = Counter()
      let tokens = [
        bus.observe(.number) { [unowned bus] value in
          heard.add()
          if value > 0 { bus.post(.text, "\(value - 1)") }
        },
        bus.observe(.text) { [unowned bus] text in
          heard.add()
          bus.post(.number, Int(text) ?? 0)
        },
      ]
      for _ in 0..<2 {
        bus.post(.number, 100)
        precondition(heard.value == 201)
        heard.add(-201)
      }
      withExtendedLifetime(tokens) {}
    }
    let lines = try warnings(result)
    #expect(lines.count == 1)
    #expect(lines.first?.contains("sample.number → sample.text → sample.number") == true)
  }

  @Test("The nesting warning appears on every post path")
  func otherPaths() async throws {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      let bus = EventBus()
      let sender = SampleSender()
      let token = bus.observe(.number, from: sender, where: { $0 > 0 }) { [unowned bus] value in
        bus.post(.number, value - 1, from: sender)
      }
      bus.post(.number, 100, from: sender)
      withExtendedLifetime(token) {}
    }
    let lines = try warnings(result)
    #expect(lines.count == 1)
    #expect(lines.first?.contains("sample.number → sample.number") == true)
  }

  @Test("Nesting up to 64 posts does not warn")
  func notDeep() async throws {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      let bus = EventBus()
      let token = bus.observe(.number) { [unowned bus] value in
        if value > 1 { bus.post(.number, value - 1) }
      }
      for _ in 0..<10 { bus.post(.number, 64) }
      withExtendedLifetime(token) {}
    }
    #expect(try warnings(result).isEmpty)
  }

  @Test("Many threads that post at the same time do not trigger the nesting warning")
  func manyThreads() async throws {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      let (bus, threads) = (EventBus(), 100)
      let inside = Counter()
      let token = bus.observe(.number) { [unowned bus] value in
        if value > 0 { return }
        inside.add()
        while inside.value < threads { yieldThread() }
        bus.post(.number, 1)
      }
      await onThreads(threads) { _ in bus.post(.number, 0) }
      precondition(inside.value == threads)
      withExtendedLifetime(token) {}
    }
    #expect(try warnings(result).isEmpty)
  }

  @Test("Enqueueing breaks a cycle of posts")
  func enqueued() async throws {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      let bus = EventBus()
      let inbox = Inbox<Int>()
      // The cycle never ends by itself: it may still turn when the bus goes away.
      let token = bus.observe(.number) { [weak bus] value in
        inbox.append(value)
        bus?.enqueue(.number, value + 1)
      }
      bus.post(.number, 0)
      let heard = await inbox.first(200)
      precondition(heard == Array(0..<200))
      withExtendedLifetime(token) {}
    }
    #expect(try warnings(result).isEmpty)
  }
}
#endif
