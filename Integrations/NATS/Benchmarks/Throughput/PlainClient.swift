import CNATS
import Foundation
import Synchronization

/// The C client alone: a connection that publishes, and one that counts messages.
enum PlainClient {
  struct Problem: Error {}

  private final class Count: Sendable {
    let received = Atomic<Int>(0)
    let arrived = DispatchSemaphore(value: 0)
    let signals: Bool
    let decodes: Bool
    init(signals: Bool, decodes: Bool = false) { (self.signals, self.decodes) = (signals, decodes) }
  }

  // Reason for `unsafe` in this file: the C client's own interface, used as its examples do.

  // Events per second. An order is encoded for each message, and decoded from each, as the bridge does.
  static func throughput(
    _ url: String,
    _ count: Int,
    _ payload: [UInt8],
    encoding order: Order? = nil
  ) throws -> Double {
    let counter = Count(signals: false, decodes: order != nil)
    return try unsafe withClients(url, counter) { publisher, _ in
      let start = ContinuousClock.now
      for index in 0..<count {
        let bytes = try order.map { Array(try JSONEncoder().encode($0)) } ?? payload
        try unsafe publish(publisher, "bench.plain", bytes, index)
      }
      unsafe natsConnection_Flush(publisher)
      while counter.received.load(ordering: .relaxed) < count { usleep(1000) }
      return Double(count) / Throughput.seconds(ContinuousClock.now - start)
    }
  }

  static func latency(_ url: String, _ count: Int, _ payload: [UInt8]) throws -> (
    p50: Int, p99: Int
  ) {
    let counter = Count(signals: true)
    return try unsafe withClients(url, counter) { publisher, _ in
      let times = Throughput.measure(count) {
        try? unsafe publish(publisher, "bench.plain", payload, 1)
        counter.arrived.wait()
      }
      return (times[count / 2], times[count * 99 / 100])
    }
  }

  private static func publish(
    _ connection: OpaquePointer,
    _ subject: String,
    _ payload: [UInt8],
    _ index: Int
  ) throws {
    var message: OpaquePointer?
    let header = "1;a;9f86d081884c7d65;\(index);1;bytes"
    let status = unsafe payload.withUnsafeBytes { bytes in
      unsafe natsMsg_Create(
        &message,
        subject,
        nil,
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
        Int32(bytes.count)
      )
    }
    guard status == NATS_OK, let message = unsafe message else { throw Problem() }
    defer { unsafe natsMsg_Destroy(message) }
    unsafe natsMsgHeader_Set(message, "Event-Bus", header)
    if unsafe natsConnection_PublishMsg(connection, message) != NATS_OK { throw Problem() }
  }

  private static func withClients<Result>(
    _ url: String,
    _ counter: Count,
    _ body: (OpaquePointer, OpaquePointer) throws -> Result
  ) throws -> Result {
    var connections = unsafe [OpaquePointer]()
    for _ in 0..<2 {
      var made: OpaquePointer?
      guard unsafe natsConnection_ConnectTo(&made, url) == NATS_OK, let made = unsafe made else {
        throw Problem()
      }
      unsafe connections.append(made)
    }
    defer {
      unsafe connections.forEach { unsafe natsConnection_Destroy($0) }
    }
    var subscription: OpaquePointer?
    let closure = unsafe Unmanaged.passUnretained(counter).toOpaque()
    let status = unsafe natsConnection_Subscribe(
      &subscription,
      connections[1],
      "bench.plain",
      { _, _, message, closure in
        guard let closure = unsafe closure else { return }
        let counter = unsafe Unmanaged<Count>.fromOpaque(closure).takeUnretainedValue()
        // A receiver looks at the header.
        var text: UnsafePointer<CChar>?
        unsafe natsMsgHeader_Get(message, "Event-Bus", &text)
        if counter.decodes, let data = unsafe natsMsg_GetData(message) {
          let bytes = unsafe Array(
            UnsafeRawBufferPointer(start: data, count: Int(natsMsg_GetDataLength(message)))
          )
          _ = try? JSONDecoder().decode(Order.self, from: Data(bytes))
        }
        unsafe natsMsg_Destroy(message)
        counter.received.add(1, ordering: .relaxed)
        if counter.signals { counter.arrived.signal() }
      },
      closure
    )
    guard status == NATS_OK else { throw Problem() }
    unsafe natsSubscription_SetPendingLimits(subscription, -1, -1)
    unsafe natsConnection_Flush(connections[1])
    defer {
      unsafe natsSubscription_Destroy(subscription)
      withExtendedLifetime(counter) {}
    }
    return try unsafe body(connections[0], connections[1])
  }
}
