import EventBusNATS
import Testing

@Suite("Names, headers and answers", .timeLimit(.minutes(5)))
struct WireTests {
  @Test("An ordinary name is its own subject")
  func ordinary() {
    #expect(Subject.event("user.didLogIn", prefix: "events") == "events.user.didLogIn")
    #expect(Subject.event("order_placed-2", prefix: "events") == "events.order_placed-2")
  }

  @Test(
    "A name that is not a subject is encoded, and decoded to the same name",
    arguments: [
      "a b", "a\r\nPUB x 0\r\n", "*", ">", "a.*.b", ".", "..", "a..b", ".a", "a.", "_dead.x", "%",
      "%41",
      "Grüße", "日本", "$JS.API", "\0", "\t", "a\u{7F}",
    ]
  )
  func unusual(_ name: String) {
    let encoded = Subject.encode(name)
    #expect(encoded.utf8.allSatisfy { $0 > 32 && $0 < 127 })
    #expect(!encoded.contains("*") && !encoded.contains(">") && !encoded.hasPrefix("_"))
    #expect(!encoded.hasPrefix(".") && !encoded.hasSuffix(".") && !encoded.contains(".."))
    #expect(Subject.decode(Array(encoded.utf8)) == name)
  }

  @Test("Different names have different subjects")
  func injective() {
    var generator = SeededGenerator(seed: 1)
    let letters = Array("a._%*> \r\n2E")
    var names: Set<String> = []
    for _ in 0..<20_000 {
      let count = Int.random(in: 1...6, using: &generator)
      names.insert(
        String(
          (0..<count).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] }
        )
      )
    }
    #expect(Set(names.map { Subject.encode($0) }).count == names.count)
  }

  @Test("Different pairs of consumer and event have different names of consumers")
  func consumerNames() {
    #expect(
      Subject.consumer("billing", event: "eu-orders")
        != Subject.consumer("billing-eu", event: "orders")
    )
    var generator = SeededGenerator(seed: 2)
    let letters = Array("a-=%.2D3_")
    func name() -> String {
      String(
        (0..<Int.random(in: 1...4, using: &generator)).map { _ in
          letters[Int.random(in: 0..<letters.count, using: &generator)]
        }
      )
    }
    var pairs: [String: [String]] = [:]
    // Collected, since 100,000 expectations take minutes under ThreadSanitizer.
    var (repeated, refused): ([String], [String]) = ([], [])
    for _ in 0..<50_000 {
      let (owner, event) = (name(), name())
      let consumer = Subject.consumer(owner, event: event)
      if let former = pairs[consumer], former != [owner, event] { repeated.append(consumer) }
      if Subject.problem(consumer, of: "consumer") != nil { refused.append(consumer) }
      pairs[consumer] = [owner, event]
    }
    #expect(repeated.isEmpty)
    #expect(refused.isEmpty)
  }

  @Test("A header is read as it was written")
  func header() {
    for sequence in [0, 1, 9, 10, 99, 12_345, UInt64.max] {
      let header = WireHeader(
        node: "mail;box 1\r\nX: y",
        incarnation: .max,
        sequence: sequence,
        version: 3,
        contentType: "application/json; charset=utf-8"
      )
      #expect(WireHeader(header.bytes) == header)
      #expect(header.bytes.allSatisfy { $0 > 32 && $0 < 127 })
    }
    #expect(
      String(
        decoding: WireHeader(
          node: "mailbox-1",
          incarnation: 0xff,
          sequence: 42,
          version: 1,
          contentType: "json"
        ).bytes,
        as: UTF8.self
      ) == "1;mailbox-1;ff;42;1;json"
    )
  }

  @Test("A header that no bridge wrote is refused, and never traps")
  func mutatedHeaders() {
    var generator = SeededGenerator(seed: 7)
    let valid = WireHeader(
      node: "n%1",
      incarnation: 77,
      sequence: 5,
      version: 1,
      contentType: "json"
    ).bytes
    var refused = 0
    for _ in 0..<100_000 {
      let bytes = mutated(valid, &generator)
      if WireHeader(bytes) == nil { refused += 1 }
    }
    #expect(refused > 30_000)
    for text in [
      "", ";", "1;;1;1;1;json", "2;a;1;1;1;json", "1;a;1;1;1", "1;a;1;1;1;json;", "1;a;x;1;1;j",
    ] {
      #expect(WireHeader(Array(text.utf8)) == nil)
    }
    #expect(WireHeader(Array("1;a;1;99999999999999999999;1;json".utf8)) == nil)
  }

  @Test("A reader of many headers reads each as if it were the first")
  func manyHeaders() {
    var generator = SeededGenerator(seed: 11)
    var reader = HeaderReader()
    for index in 0..<50_000 {
      let header = WireHeader(
        node: ["a", "b;1", "1"].randomElement(using: &generator) ?? "",
        incarnation: UInt64.random(in: 1...3, using: &generator),
        sequence: [UInt64(index), .max, 0].randomElement(using: &generator) ?? 0,
        version: Int.random(in: 1...2, using: &generator),
        contentType: ["json", "1"].randomElement(using: &generator) ?? ""
      )
      let bytes = index.isMultiple(of: 3) ? mutated(header.bytes, &generator) : header.bytes
      #expect(reader.read(bytes) == WireHeader(bytes))
    }
  }

  @Test(
    "The subject of an answer has stream, deliveries, number and rest, with and without a domain"
  )
  func deliverySubject() {
    let plain = DeliverySubject("$JS.ACK.ORDERS.billing.3.17.4.1669000000.9")
    #expect(plain?.stream == "ORDERS" && plain?.deliveries == 3 && plain?.sequence == 17)
    let domain = DeliverySubject("$JS.ACK.hub.hash.ORDERS.billing.3.17.4.1669000000.9.token")
    #expect(domain?.stream == "ORDERS" && domain?.deliveries == 3 && domain?.sequence == 17)
    #expect(plain?.time == 1_669_000_000 && domain?.time == 1_669_000_000)
    #expect(plain?.pending == 9 && domain?.pending == 9)
    #expect(DeliverySubject("$JS.ACK.ORDERS.billing.3.17.4.x.0") == nil)
    #expect(DeliverySubject("_INBOX.1.2") == nil)
    #expect(DeliverySubject("$JS.ACK.ORDERS.billing.x.17.4.1669000000.0") == nil)
  }

  @Test("An answer is read as it was written")
  func acknowledgements() {
    let answers: [Acknowledgement] = [
      .done, .inProgress, .terminate, .again(after: .zero), .again(after: .milliseconds(1500)),
    ]
    for answer in answers { #expect(Acknowledgement(answer.bytes) == answer) }
    #expect(
      String(decoding: Acknowledgement.again(after: .seconds(2)).bytes, as: UTF8.self)
        == "-NAK {\"delay\": 2000000000}"
    )
  }

  @Test("A pattern covers the same subjects as on the server")
  func patterns() {
    #expect(SubjectPattern.matches("a.b.c", pattern: "a.>"))
    #expect(SubjectPattern.matches("a.b.c", pattern: "a.*.c"))
    #expect(!SubjectPattern.matches("a", pattern: "a.>"))
    #expect(!SubjectPattern.matches("a.b", pattern: "a"))
    #expect(!SubjectPattern.matches("a", pattern: "a.b"))
  }
}

/// Bytes with a few random changes.
func mutated(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
  var bytes = bytes
  for _ in 0..<Int.random(in: 1...4, using: &generator) {
    let position = Int.random(in: 0...bytes.count, using: &generator)
    switch Int.random(in: 0..<4, using: &generator) {
    case 0 where position < bytes.count: bytes.remove(at: position)
    case 1 where position < bytes.count:
      bytes[position] = UInt8.random(in: 0...255, using: &generator)
    case 2: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: position)
    default: bytes = Array(bytes.prefix(position)) + bytes.suffix(position)
    }
  }
  return bytes
}

@Suite("The rules of a bridge", .timeLimit(.minutes(5)))
struct RuleTests {
  @Test("A bounded buffer behaves like an array from which the oldest drop")
  func buffer() {
    for seed in 1...5 as ClosedRange<UInt64> { buffer(seed) }
  }

  private func buffer(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let limit = Int.random(in: 1...100, using: &generator)
    var buffer = BoundedBuffer<Int>(limit: limit)
    var model: [Int] = []
    var drops = 0
    for value in 0..<20_000 {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0:
        let most = Int.random(in: 0...10, using: &generator)
        #expect(buffer.take(most) == Array(model.prefix(most)), "seed \(seed)")
        model.removeFirst(min(most, model.count))
      case 1:
        let former = (0..<Int.random(in: 0...5, using: &generator)).map { -value - $0 }
        let all = former + model
        let dropped = max(0, all.count - limit)
        // Only elements that are put back drop.
        #expect(buffer.putBack(former) == Array(former.prefix(dropped)), "seed \(seed)")
        model = Array(all.dropFirst(dropped))
        drops += dropped
      case 2:
        #expect(buffer.removeFirst() == (model.isEmpty ? nil : model.removeFirst()), "seed \(seed)")
      default:
        let dropped = buffer.append(value)
        model.append(value)
        #expect(dropped == (model.count > limit ? model.removeFirst() : nil), "seed \(seed)")
        if dropped != nil { drops += 1 }
      }
      #expect(buffer.count == model.count && buffer.first == model.first, "seed \(seed)")
    }
    #expect(buffer.droppedCount == drops, "seed \(seed)")
  }

  @Test("A bounded buffer keeps to its limit of sizes, and keeps one element of any size")
  func sizes() {
    var buffer = BoundedBuffer<Int>(limit: 100, sizeLimit: 10)
    #expect(buffer.append(1, size: 4) == [] && buffer.append(2, size: 6) == [])
    #expect(buffer.append(3, size: 5) == [1, 2])
    #expect(buffer.size == 5 && buffer.first == 3)
    #expect(buffer.append(4, size: 50) == [3])
    #expect(buffer.size == 50 && buffer.count == 1)
    #expect(buffer.append(5, size: 1) == [4])
    #expect(buffer.replace(at: 0, by: 6, size: 9) == [] && buffer.size == 9)
    #expect(buffer.putBack([7, 8], size: { _ in 1 }) == [7])
    #expect(buffer.size == 10 && buffer.take() == [8, 6] && buffer.size == 0)
    #expect(buffer.droppedCount == 5)
  }

  @Test("An outbox sends each message until it is removed, in order")
  func outbox() {
    for seed in 1...5 as ClosedRange<UInt64> { outbox(seed) }
  }

  private func outbox(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var outbox = Outbox<UInt64>(window: 8, timeout: .seconds(1))
    var now = ContinuousClock.now
    var open: Set<UInt64> = []
    var next: UInt64 = 1
    for _ in 0..<5000 {
      switch Int.random(in: 0..<6, using: &generator) {
      case 0, 1:
        #expect(outbox.append(next) == next, "seed \(seed)")
        open.insert(next)
        next += 1
      case 2:
        let due = outbox.takeDue(at: now)
        #expect(due.map(\.serial) == due.map(\.item), "seed \(seed)")
        #expect(due.map(\.serial) == due.map(\.serial).sorted(), "seed \(seed)")
        #expect(
          due.allSatisfy { open.contains($0.serial) && $0.serial < outbox.firstSerial + 8 },
          "seed \(seed)"
        )
      case 3:
        guard let serial = open.randomElement(using: &generator) else { continue }
        #expect(outbox.remove(serial) == serial, "seed \(seed)")
        #expect(outbox.remove(serial) == nil, "seed \(seed)")
        open.remove(serial)
      case 4: now += .milliseconds(Int.random(in: 0...3000, using: &generator))
      default: outbox.sendAgain()
      }
      #expect(outbox.count == open.count, "seed \(seed)")
      #expect(outbox.firstSerial == open.min() ?? next, "seed \(seed)")
    }
    // All come out in the end.
    while !open.isEmpty {
      outbox.sendAgain()
      let due = outbox.takeDue(at: now)
      #expect(!due.isEmpty, "seed \(seed)")
      for entry in due {
        #expect(outbox.remove(entry.serial) == entry.serial, "seed \(seed)")
        open.remove(entry.serial)
      }
    }
  }

  @Test("A message is sent again after its timeout, and not before")
  func timeout() {
    var outbox = Outbox<String>(window: 4, timeout: .seconds(1))
    let start = ContinuousClock.now
    outbox.append("a")
    #expect(outbox.takeDue(at: start).map(\.isRepeated) == [false])
    #expect(outbox.takeDue(at: start + .milliseconds(999)).isEmpty)
    #expect(outbox.takeDue(at: start + .seconds(1)).map(\.isRepeated) == [true])
    #expect(outbox.takeDue(at: start + .milliseconds(2900)).isEmpty)
    #expect(outbox.delay(1, at: start + .seconds(3)) { _ in .seconds(9) } == 1)
    #expect(outbox.takeDue(at: start + .seconds(11)).isEmpty)
    #expect(outbox.takeDue(at: start + .seconds(12)).count == 1)
  }

  @Test("A redelivery of an event in hand waits, and one of a finished event is acknowledged")
  func receiver() {
    var receiver = DurableReceiver(
      retry: EventBridge.RetryPolicy(attempts: 3, deliveries: 9),
      remembered: 2
    )
    let keys = (1...4).compactMap {
      DeliverySubject("$JS.ACK.S.c.1.\($0).1.77.0").map { DurableReceiver.Key($0) }
    }
    #expect(receiver.received(keys[0], deliveries: 1) == .handle)
    #expect(receiver.received(keys[0], deliveries: 2) == .wait)
    receiver.succeeded(keys[0])
    #expect(receiver.received(keys[0], deliveries: 3) == .acknowledge)
    for key in keys[1...2] {
      #expect(receiver.received(key, deliveries: 1) == .handle)
      receiver.succeeded(key)
    }
    // Forgotten, as only two are remembered: handled once more.
    #expect(receiver.received(keys[0], deliveries: 4) == .handle)
    #expect(receiver.failed(keys[0]) == .again(after: .milliseconds(400)))
    #expect(receiver.received(keys[0], deliveries: 5) == .handle)
    #expect(receiver.failed(keys[0]) != .bury)
    #expect(receiver.received(keys[0], deliveries: 6) == .handle)
    #expect(receiver.failed(keys[0]) == .bury)
    // An event that keeps killing its process is buried by its deliveries.
    #expect(receiver.received(keys[3], deliveries: 9) == .handle)
    #expect(receiver.failed(keys[3]) == .bury)
    #expect(receiver.inHandCount == 0)
  }

  @Test("An event is known by stream, number and time, and by nothing that a publisher writes")
  func identity() throws {
    func key(_ subject: String) throws -> DurableReceiver.Key {
      DurableReceiver.Key(try #require(DeliverySubject(subject)))
    }
    let first = try key("$JS.ACK.S.c.1.17.4.1000.0")
    // Another delivery of it, by another consumer.
    #expect(try key("$JS.ACK.S.d.9.17.8.1000.3") == first)
    #expect(try key("$JS.ACK.hub.hash.S.c.9.17.8.1000.3.token") == first)
    // Another message; the same number of a stream that was created again; another stream.
    #expect(try key("$JS.ACK.S.c.1.18.4.1000.0") != first)
    #expect(try key("$JS.ACK.S.c.1.17.4.1001.0") != first)
    #expect(try key("$JS.ACK.T.c.1.17.4.1000.0") != first)
  }

  @Test("The pauses between attempts grow up to the longest")
  func pauses() {
    let policy = EventBridge.RetryPolicy(firstPause: .milliseconds(100), longestPause: .seconds(1))
    #expect(
      (1...6).map { policy.pause(after: $0) }
        == [100, 200, 400, 800, 1000, 1000].map { .milliseconds($0) }
    )
    #expect(policy.pause(after: 1000) == .seconds(1))
  }
}
