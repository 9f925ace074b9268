import Foundation
import NATSServer
import _EventBusLocks

/// Passes bytes between clients and a server on the loopback interface, until a test cuts the connections.
final class CuttingProxy: Sendable {
  /// A client's connection and the one to the server, closed when both directions have ended.
  private final class Pair: Sendable {
    let client: Int32
    let server: Int32

    init(_ client: Int32, _ server: Int32) { (self.client, self.server) = (client, server) }

    deinit {
      close(client)
      close(server)
    }

    func cut() {
      shutdown(client, Int32(SHUT_RDWR))
      shutdown(server, Int32(SHUT_RDWR))
    }

    func pass(from source: Int32, to target: Int32) {
      var bytes = [UInt8](repeating: 0, count: 65_536)
      while true {
        let capacity = bytes.count
        let count = unsafe read(source, &bytes, capacity)  // Reason: of this size.
        guard count > 0 else { break }
        var sent = 0
        while sent < count {
          // Reason: within the bytes that were read.
          let step = unsafe bytes.withUnsafeBytes { buffer in
            unsafe send(target, buffer.baseAddress?.advanced(by: sent), count - sent, noSignal)
          }
          if step <= 0 { return cut() }
          sent += step
        }
      }
      cut()
    }
  }

  private struct State {
    var pairs: [Pair] = []
  }

  /// The port for clients.
  let port: Int
  private let listener: Int32
  private let target: Int
  private let state = Locked(State())

  init(to target: Int) throws {
    self.target = target
    port = NATSServer.freePort()
    listener = try unsafe Self.socket(port) { descriptor, address, size in
      unsafe Foundation.bind(descriptor, address, size) == 0
        && Foundation.listen(descriptor, 64) == 0
    }
    Thread.detachNewThread { [listener, weak self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0, let self else { return }
        self.connect(client)
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    cut()
  }

  /// The address for clients.
  var url: String { "nats://127.0.0.1:\(port)" }

  /// Cuts all connections; new ones are accepted.
  func cut() {
    let pairs = state.withLock { state in
      defer { state.pairs = [] }
      return state.pairs
    }
    for pair in pairs { pair.cut() }
  }

  private func connect(_ client: Int32) {
    guard
      let server = try? unsafe Self.socket(target, { unsafe Foundation.connect($0, $1, $2) == 0 })
    else {
      close(client)
      return
    }
    let pair = Pair(client, server)
    state.withLock { $0.pairs.append(pair) }
    Thread.detachNewThread { pair.pass(from: client, to: server) }
    Thread.detachNewThread { pair.pass(from: server, to: client) }
  }

  private static func socket(
    _ port: Int,
    _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) throws -> Int32 {
    #if canImport(Glibc)
    let descriptor = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let descriptor = Foundation.socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isDone = unsafe withUnsafePointer(to: &address) { pointer in  // Reason: of this size.
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe body(descriptor, pointer, size)
      }
    }
    guard isDone else {
      close(descriptor)
      throw SampleError()
    }
    return descriptor
  }
}

#if canImport(Glibc)
private let noSignal = Int32(MSG_NOSIGNAL)
#else
private let noSignal: Int32 = 0
#endif
