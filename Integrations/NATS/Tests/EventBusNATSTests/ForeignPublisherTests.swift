import EventBus
import EventBusNATS
import Foundation
import NATSServer
import Synchronization
import Testing

/// Reads the headers of the messages of an event, as everyone on the account can.
private func heard(_ link: any Link, _ event: String) throws -> any LinkSubscription {
  try link.subscribe("events.\(event)", group: nil, limit: 1000) {}
}

@Suite("Other publishers on the same account", .timeLimit(.minutes(5)))
struct ForeignPublisherTests {
  @Test("Forged copies of coming events take no genuine one's place: all with receipts are handled")
  func forgedSequences() async throws {
    let server = try NATSServer()
    let (a, b) = (try await Party("a", server), try await Party("b", server))
    let raw = try await NATSConnection(server.url)
    let headers = try heard(raw.rawLink, "test.number")
    try await headers.confirm(within: .seconds(10))
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    let (handled, token) = b.collect(.number)
    try await b.bridge.waitUntilPrepared()
    try await a.bridge.post(.number, 1)
    await eventually("it is handled") { handled.values == [1] }
    let last = try #require(await headers.next().first?.header.flatMap { WireHeader($0) })
    for index in 1...3 {
      var forged = last
      forged.sequence += UInt64(index)
      let incarnation = String(last.incarnation, radix: 16)
      for number in 1...3 {
        try raw.rawLink.send(
          OutgoingMessage(
            subject: "events.test.number",
            header: forged.bytes,
            id: "\(incarnation)-\(number)-\(forged.sequence)",
            payload: Array("\(-index)".utf8)
          )
        )
      }
    }
    await eventually("the forged ones are handled") { handled.count == 10 }
    for number in 2...5 {
      let receipt = try await a.bridge.post(.number, number)
      #expect(!receipt.isDuplicate)
    }
    await eventually("the genuine ones are handled") { handled.values.suffix(4) == [2, 3, 4, 5] }
    #expect(b.bridge.counts.duplicates == 0)
    withExtendedLifetime(token) {}
  }

  @Test("A message to a consumer's own subject is not an event, and forges no acknowledgement")
  func forgedDeliveries() async throws {
    let server = ScriptedServer(seed: 0)
    let link = ScriptedLink(server)
    let (a, b) = (Party("a", link: ScriptedLink(server)), Party("b", link: ScriptedLink(server)))
    a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S"))
    b.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "c"))
    let (handled, token) = b.collect(.number)
    try await b.bridge.waitUntilPrepared()
    let header = WireHeader(
      node: "x",
      incarnation: 1,
      sequence: 1,
      version: 1,
      contentType: "json"
    )
    try link.send(
      OutgoingMessage(
        subject: "_DELIVER.c-test=2Enumber",
        reply: "$JS.ACK.S.c-test=2Enumber.1.1.1.1001.0",
        header: header.bytes,
        payload: Array("9".utf8)
      )
    )
    await eventually("it is counted") { b.bridge.counts[.unreadableHeader] == 1 }
    try await a.bridge.post(.number, 1)
    await eventually("the genuine one is handled") { handled.count > 0 }
    #expect(handled.values == [1])
    withExtendedLifetime(token) {}
  }

  @Test("A stream that was deleted and created again counts from one, and its events are handled")
  func streamAgain() async throws {
    let server = try NATSServer()
    let (a, b) = (try await Party("a", server), try await Party("b", server))
    let raw = try await NATSConnection(server.url)
    let (handled, token) = b.collect(.number)
    for round in 1...2 {
      let ways = [
        a.bridge.carry(.number, .outgoing, delivery: .durable(stream: "S")),
        b.bridge.carry(.number, .incoming, delivery: .durable(stream: "S", consumer: "c")),
      ]
      try await a.bridge.waitUntilPrepared()
      try await b.bridge.waitUntilPrepared()
      #expect(try await a.bridge.post(.number, round).sequence == 1)
      await eventually("it is handled") { handled.count == round }
      for way in ways where round == 2 { way.cancel() }
      if round == 1 {
        let answers = try raw.rawLink.subscribe("test.deleted", group: nil, limit: 1) {}
        try raw.rawLink.send(
          OutgoingMessage(subject: "$JS.API.STREAM.DELETE.S", reply: "test.deleted")
        )
        await eventually("it is deleted") { !answers.take(1).messages.isEmpty }
      }
    }
    withExtendedLifetime(token) {}
  }
}
