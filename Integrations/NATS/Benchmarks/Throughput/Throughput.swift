import EventBus
import EventBusNATS
import Foundation
import NATSServer
import Synchronization

/// Events of 128 bytes from one bus over a server to another, beside the C client with the same bytes and header.
///
///     Throughput [--events=1000000] [--durable=50000] [--profile]
@main
enum Throughput {
  static let json = EventName<Order>("bench.json")
  static let name = EventName<[UInt8]>("bench.bytes")
  static let payload = [UInt8](repeating: 0x61, count: 128)

  static func main() async throws {
    let count = option("events") ?? 1_000_000
    let durable = option("durable") ?? 50_000
    let server = try NATSServer()
    if CommandLine.arguments.contains("--profile") {
      // The bridge alone, for a profiler.
      return print(Int(try await live(server.url, count, name, payload, .bytes)), "events/s")
    }
    print("\(count) events of 128 bytes, live; the C client sends the same bytes and header")
    var ratios: [Double] = []
    for round in 1...3 {
      let client = try PlainClient.throughput(server.url, count, payload)
      let bridge = try await live(server.url, count, name, payload, .bytes)
      ratios.append(bridge / client)
      print(
        "round \(round): C client \(Int(client)) events/s, bridge \(Int(bridge)) events/s,",
        "ratio \(format(bridge / client))"
      )
    }
    let best = ratios.sorted()[1]
    print("median ratio \(format(best)), goal 0.70: \(best >= 0.7 ? "holds" : "MISSED")")

    let order = Order.sample
    print(
      "the same as JSON of \(try JSONEncoder().encode(order).count) bytes; the C client with the same codec"
    )
    var jsonRatios: [Double] = []
    for round in 1...3 {
      let client = try PlainClient.throughput(server.url, count, [], encoding: order)
      let bridge = try await live(server.url, count, json, order, .json)
      jsonRatios.append(bridge / client)
      print(
        "round \(round): C client \(Int(client)) events/s, bridge \(Int(bridge)) events/s,",
        "ratio \(format(bridge / client))"
      )
    }
    let jsonBest = jsonRatios.sorted()[1]
    print("median ratio \(format(jsonBest)), goal 0.70: \(jsonBest >= 0.7 ? "holds" : "MISSED")")

    let (p50, p99) = try await latency(server.url)
    let plain = try PlainClient.latency(server.url, 2000, payload)
    print(
      "latency: bridge p50 \(p50) µs, p99 \(p99) µs; C client p50 \(plain.p50) µs, p99 \(plain.p99) µs"
    )
    print(
      "durable, one server: \(Int(try await stored(server.url, durable))) events/s from post to acknowledgement of the handler"
    )
    try await localPost(server.url)
    if best < 0.7 || jsonBest < 0.7 { exit(1) }
  }

  private static func option(_ name: String) -> Int? {
    CommandLine.arguments.first { $0.hasPrefix("--\(name)=") }
      .flatMap { Int($0.dropFirst(name.count + 3)) }
  }

  static func format(_ value: Double) -> String { String(format: "%.2f", value) }

  static func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }

  private static func party(_ url: String, _ node: String, limit: Int) async throws -> (
    EventBus, EventBridge
  ) {
    let bus = EventBus()
    var configuration = EventBridge.Configuration()
    (configuration.bufferLimit, configuration.durableLimit) = (limit, limit)
    // Nothing is to drop while the receiver is behind.
    configuration.byteLimit = 1 << 30
    let bridge = EventBridge(
      bus,
      over: try await NATSConnection(url),
      node: node,
      configuration: configuration
    )
    return (bus, bridge)
  }

  /// Events per second from the first post to the last handler.
  private static func live<Payload>(
    _ url: String,
    _ count: Int,
    _ name: EventName<Payload>,
    _ payload: Payload,
    _ codec: EventCodec<Payload>
  ) async throws -> Double {
    let (from, sender) = try await party(url, "a", limit: count + 1)
    let (to, receiver) = try await party(url, "b", limit: count + 1)
    sender.carry(name, .outgoing, codec: codec)
    receiver.carry(name, .incoming, codec: codec)
    let received = Atomic<Int>(0)
    let token = to.observe(name) { _ in received.add(1, ordering: .relaxed) }
    await receiver.waitUntilFlushed()
    let start = ContinuousClock.now
    for _ in 0..<count { from.post(name, payload) }
    while received.load(ordering: .relaxed) < count {
      try await Task.sleep(for: .milliseconds(1))
      if ContinuousClock.now - start > .seconds(120) { break }
    }
    let elapsed = ContinuousClock.now - start
    if received.load(ordering: .relaxed) < count {
      print("only \(received.load(ordering: .relaxed)) arrived: \(receiver.counts)")
    }
    withExtendedLifetime(token) {}
    return Double(count) / seconds(elapsed)
  }

  /// Half of the time from a post to the answer's handler, in microseconds.
  private static func latency(_ url: String) async throws -> (Int, Int) {
    let (here, near) = try await party(url, "a", limit: 1000)
    let (there, far) = try await party(url, "b", limit: 1000)
    let answer = EventName<[UInt8]>("bench.answer")
    near.carry(name, .outgoing, codec: .bytes)
    near.carry(answer, .incoming, codec: .bytes)
    far.carry(name, .incoming, codec: .bytes)
    far.carry(answer, .outgoing, codec: .bytes)
    let arrived = DispatchSemaphore(value: 0)
    let tokens = [
      there.observe(name) { there.post(answer, $0) },
      here.observe(answer) { _ in arrived.signal() },
    ]
    await near.waitUntilFlushed()
    await far.waitUntilFlushed()
    let times = measure(2000) {
      here.post(name, payload)
      arrived.wait()
    }
    withExtendedLifetime(tokens) {}
    return (times[times.count / 2] / 2, times[times.count * 99 / 100] / 2)
  }

  /// The sorted times of calls in microseconds, after a warm-up.
  static func measure(_ count: Int, _ body: () -> Void) -> [Int] {
    var times: [Int] = []
    for round in 0..<(count + 200) {
      let start = ContinuousClock.now
      body()
      if round >= 200 { times.append(Int(seconds(ContinuousClock.now - start) * 1e6)) }
    }
    return times.sorted()
  }

  private static func stored(_ url: String, _ count: Int) async throws -> Double {
    let (from, sender) = try await party(url, "a", limit: count + 1)
    let (to, receiver) = try await party(url, "b", limit: count + 1)
    sender.carry(name, .outgoing, delivery: .durable(stream: "BENCH"), codec: .bytes)
    receiver.carry(
      name,
      .incoming,
      delivery: .durable(stream: "BENCH", consumer: "bench"),
      codec: .bytes
    )
    let handled = Atomic<Int>(0)
    let token = to.observe(name) { _ in handled.add(1, ordering: .relaxed) }
    try await sender.post(name, payload)
    while handled.load(ordering: .relaxed) < 1 { try await Task.sleep(for: .milliseconds(1)) }
    let start = ContinuousClock.now
    for _ in 1..<count { from.post(name, payload) }
    while handled.load(ordering: .relaxed) < count {
      try await Task.sleep(for: .milliseconds(1))
      if ContinuousClock.now - start > .seconds(120) { break }
    }
    withExtendedLifetime(token) {}
    return Double(count - 1) / seconds(ContinuousClock.now - start)
  }

  /// The cost of a post for the posting code when the name is carried.
  private static func localPost(_ url: String) async throws {
    let (bus, bridge) = try await party(url, "a", limit: 200_000)
    let token = bus.observe(name) { _ in }
    func nanoseconds() -> Double {
      let start = ContinuousClock.now
      for _ in 0..<100_000 { bus.post(name, payload) }
      return seconds(ContinuousClock.now - start) * 1e9 / 100_000
    }
    _ = nanoseconds()
    let before = nanoseconds()
    bridge.carry(name, .outgoing, codec: .bytes)
    let carried = nanoseconds()
    print(
      "a local post to one handler: \(Int(before)) ns; with the name carried: \(Int(carried)) ns"
    )
    await bridge.waitUntilFlushed()
    let (followed, both) = try await party(url, "both", limit: 1000)
    let other = followed.observe(name) { _ in }
    both.carry(json, delivery: .durable(stream: "BOTH"))
    func followedPost() -> Double {
      let start = ContinuousClock.now
      for _ in 0..<100_000 { followed.post(name, payload) }
      return seconds(ContinuousClock.now - start) * 1e9 / 100_000
    }
    _ = followedPost()
    print(
      "a post of another name on a bus that carries a durable event both ways:",
      "\(Int(followedPost())) ns"
    )
    withExtendedLifetime((token, other)) {}
  }
}

/// A payload whose JSON has 128 bytes.
struct Order: Codable, Sendable {
  let number: Int
  let customer: String
  let items: [String]
  let isPaid: Bool

  static let sample = Order(
    number: 123_456,
    customer: "Ada Lovelace, London",
    items: ["tea", "biscuits", "a cup with a blue rim"],
    isPaid: true
  )
}
