import EventBus
import EventBusNATS
import Synchronization
import Testing
import _EventBusLocks

@Suite("Answers to durable messages at the wrong time", .timeLimit(.minutes(5)))
struct LateAnswerTests {
  @Test("A late answer to a message that is stored is neither counted nor reported")
  func late() async throws {
    let server = ScriptedServer(seed: 0)
    let link = ScriptedLink(server)
    let a = Party("a", link: link)
    let replies = Collected<String>()
    server.forge { message in
      if let reply = message.reply { replies.append(reply) }
      return nil
    }
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    try await a.bridge.post(.number, 1)
    let reply = try #require(replies.values.first)
    for text in [
      "x", "{}", "{\"error\":{\"code\":503,\"err_code\":10008,\"description\":\"no leader\"}}",
      "{\"error\":{\"code\":400,\"err_code\":10054,\"description\":\"too large\"}}",
      "{\"stream\":\"S\",\"seq\":1,\"duplicate\":true}",
    ] {
      server.deliver(LinkMessage(subject: reply, payload: Array(text.utf8)))
    }
    server.deliver(LinkMessage(subject: reply, hasNoResponders: true))
    try await a.bridge.post(.number, 2)
    #expect(a.bridge.counts[.notStored] == 0 && a.bridge.counts.stored == 2)
    #expect(a.reports.values.isEmpty, "\(a.reports.values)")
    #expect(server.stored("S") == ["1", "2"])
  }

  @Test(
    "Messages that the link did not take count as sent once, and their first refusal is reported"
  )
  func notTaken() async throws {
    let server = ScriptedServer(seed: 0)
    let link = ScriptedLink(server)
    let a = Party("a", link: link) { $0.answerTimeout = .seconds(60) }
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    try await a.bridge.waitUntilPrepared()
    link.isConnected = false
    for number in 1...5 { a.bus.post(.number, number) }
    let breaks = Atomic<Bool>(true)
    link.onSending { [weak link] message in
      if message.payload == Array("3".utf8), breaks.exchange(false, ordering: .relaxed) {
        link?.isConnected = false
      }
    }
    link.isConnected = true
    await eventually("the first ones are stored") { a.bridge.counts.stored == 2 }
    #expect(a.bridge.counts.sent == 2)
    let answers = Locked([
      "4": "{\"error\":{\"code\":503,\"err_code\":10008,\"description\":\"no leader\"}}",
      "5": "{\"stream\":\"S\",\"seq\":1,\"duplicate\":true}",
    ])
    server.forge { message in
      answers.withLock { $0.removeValue(forKey: String(decoding: message.payload, as: UTF8.self)) }
    }
    link.isConnected = true
    await a.bridge.waitUntilFlushed()
    #expect(server.stored("S").sorted() == ["1", "2", "3", "4", "5"])
    let counts = a.bridge.counts
    // The refused ones were sent again.
    #expect(counts.sent == 5 && counts.resent == 2 && counts.stored == 5, "\(counts)")
    #expect(counts[.notStored] == 2)
  }

  @Test("A post that was sent is decided by its answer, although the server rejects the stream now")
  func rejected() async throws {
    let server = ScriptedServer(seed: 0)
    let link = ScriptedLink(server)
    let a = Party("a", link: link)
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    try await a.bridge.waitUntilPrepared()
    // Neither the event nor its answer arrives for a while.
    server.faults = Faults(lost: 100)
    let sent = Collected<Void>()
    link.onSending { message in
      if message.subject == "events.test.number" { sent.append(()) }
    }
    let posting = Task { try await a.bridge.post(.number, 1) }
    await eventually("it is sent") { sent.count > 0 }
    let rejects = Atomic<Bool>(true)
    link.onPreparing { () async throws(LinkFailure) in
      if rejects.load(ordering: .relaxed) { throw .rejected("no") }
    }
    link.reconnect()
    await eventually("it is rejected") {
      do throws(NATSError) {
        try await a.bridge.waitUntilPrepared()
        return false
      } catch {
        return error.code == .refused
      }
    }
    await #expect { try await a.bridge.post(.number, 2) } throws: {
      ($0 as? NATSError)?.code == .refused
    }
    server.faults = Faults()
    #expect(try await posting.value.sequence == 1)
    #expect(server.stored("S") == ["1"])
    rejects.store(false, ordering: .relaxed)
    await eventually("it is prepared") { a.bridge.isPrepared }
  }
}
