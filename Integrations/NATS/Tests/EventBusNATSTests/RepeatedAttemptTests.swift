import EventBus
import EventBusNATS
import Testing

@Suite("Attempts that are wanted again while they run", .timeLimit(.minutes(5)))
struct RepeatedAttemptTests {
  /// A link each of whose attempts to prepare a stream waits for a latch, and ends with an outcome.
  private struct Attempts {
    let server = ScriptedServer(seed: 0)
    let link: ScriptedLink
    let began = Collected<Int>()
    let latches = (0..<4).map { _ in Latch() }

    init(_ outcomes: [LinkFailure?]) {
      link = ScriptedLink(server)
      link.onPreparing { [began, latches] () async throws(LinkFailure) in
        let number = began.count
        began.append(number)
        guard number < latches.count else { return }
        try? await latches[number].wait()  // Reason: not cancelled.
        if number < outcomes.count, let failure = outcomes[number] { throw failure }
      }
    }
  }

  @Test(
    "A denial is thrown although the attempt was wanted again while it ran, and another one runs"
  )
  func denied() async throws {
    let attempts = Attempts([.notAuthorized("no")])
    let a = Party("a", link: attempts.link)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    await eventually("the first one runs") { attempts.began.count == 1 }
    attempts.link.reconnect()
    attempts.latches[0].open()
    await eventually("the second one runs") { attempts.began.count == 2 }
    await #expect { try await a.bridge.prepared(within: .seconds(20)) } throws: {
      ($0 as? NATSError)?.code == .notAuthorized
    }
    for latch in attempts.latches { latch.open() }
    await eventually("it is prepared") { a.bridge.isPrepared }
    try await a.bridge.prepared()
    try await a.bridge.post(.number, 1)
  }

  @Test("A success ends the wait although the attempt was wanted again while it ran")
  func prepared() async throws {
    let attempts = Attempts([])
    let a = Party("a", link: attempts.link)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    await eventually("the first one runs") { attempts.began.count == 1 }
    attempts.link.reconnect()
    attempts.latches[0].open()
    await eventually("the second one runs") { attempts.began.count == 2 }
    try await a.bridge.prepared(within: .seconds(20))
    for latch in attempts.latches { latch.open() }
  }

  @Test("What was denied or prepared before is not thrown or returned instead of the newer outcome")
  func newer() async throws {
    let attempts = Attempts([nil, .notAuthorized("no")])
    let a = Party("a", link: attempts.link)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    attempts.latches[0].open()
    try await a.bridge.prepared()
    attempts.link.reconnect()
    await eventually("the second one runs") { attempts.began.count == 2 }
    attempts.link.reconnect()
    attempts.latches[1].open()
    await eventually("the third one runs") { attempts.began.count == 3 }
    await #expect { try await a.bridge.prepared(within: .seconds(20)) } throws: {
      ($0 as? NATSError)?.code == .notAuthorized
    }
    for latch in attempts.latches { latch.open() }
  }

  @Test("A denial that is told late leaves no event refused after a newer success")
  func lateDenial() async throws {
    for seed in 0..<10 {
      let server = ScriptedServer(seed: UInt64(seed))
      let link = ScriptedLink(server)
      var configuration = EventBridge.Configuration.quick()
      // The server permits it again while the senders learn of the denial.
      configuration.onReport = { report in
        guard report.event == "_inbox" else { return }
        server.permit()
        link.reconnect()
      }
      let bus = EventBus()
      let bridge = EventBridge(bus, link: link, node: "a", configuration)
      let names = (0..<300).map { EventName<Int>("late.\($0)") }
      link.onSending { message in
        // Some events wait in every sender.
        if message.subject.contains("late.") { server.faults = Faults(lost: 100) }
      }
      for name in names { bridge.carry(name, .outgoing, delivery: .durable(stream: "S")) }
      try await bridge.prepared()
      for name in names { for number in 0..<5 { bus.post(name, number) } }
      guard let inbox = server.subjects.first(where: { $0.hasPrefix(link.inbox) }) else {
        Issue.record("nothing listens to \(link.inbox)")
        return
      }
      link.deny(.subscribe, inbox)
      await eventually("the denial was reported") { bridge.counts[.notAuthorized] > 0 }
      await eventually("it is permitted") { !server.isDenied(.subscribe, inbox) }
      // Each outcome is told before the next attempt begins.
      await eventually("it is prepared") { bridge.isPrepared }
      link.onSending { _ in }
      server.faults = Faults()
      await #expect(throws: Never.self) { try await bridge.prepared() }
      for name in names {
        do throws(NATSError) {
          try await bridge.post(name, 9)
        } catch {
          Issue.record("\(name.name): \(error)")
          return
        }
      }
      await bridge.drain(within: .milliseconds(1))
    }
  }
}
