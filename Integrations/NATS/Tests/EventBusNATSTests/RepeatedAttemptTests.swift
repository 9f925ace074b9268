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
    await #expect { try await a.bridge.waitUntilPrepared(within: .seconds(20)) } throws: {
      ($0 as? NATSError)?.code == .notAuthorized
    }
    for latch in attempts.latches { latch.open() }
    await eventually("it is prepared") { a.bridge.isPrepared }
    try await a.bridge.waitUntilPrepared()
    try await a.bridge.post(.number, 1)
  }

  @Test("A success ends the wait although the attempt was wanted again while it ran")
  func waitUntilPrepared() async throws {
    let attempts = Attempts([])
    let a = Party("a", link: attempts.link)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    await eventually("the first one runs") { attempts.began.count == 1 }
    attempts.link.reconnect()
    attempts.latches[0].open()
    await eventually("the second one runs") { attempts.began.count == 2 }
    try await a.bridge.waitUntilPrepared(within: .seconds(20))
    for latch in attempts.latches { latch.open() }
  }

  @Test("An earlier denial or success is not reported instead of the newer outcome")
  func newer() async throws {
    let attempts = Attempts([nil, .notAuthorized("no")])
    let a = Party("a", link: attempts.link)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    attempts.latches[0].open()
    try await a.bridge.waitUntilPrepared()
    attempts.link.reconnect()
    await eventually("the second one runs") { attempts.began.count == 2 }
    attempts.link.reconnect()
    attempts.latches[1].open()
    await eventually("the third one runs") { attempts.began.count == 3 }
    await #expect { try await a.bridge.waitUntilPrepared(within: .seconds(20)) } throws: {
      ($0 as? NATSError)?.code == .notAuthorized
    }
    for latch in attempts.latches { latch.open() }
  }
}
