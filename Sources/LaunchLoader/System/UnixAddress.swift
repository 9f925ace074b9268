#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#else
#error("Unknown C library: add it here.")
#endif

/// The address of a local socket: a path, or on Linux an abstract name (`unix(7)`).
struct UnixAddress: Sendable {
  /// The path, or a zero byte and the name.
  private let bytes: [UInt8]

  /// True if the system has abstract names.
  static var hasAbstractNames: Bool {
    #if canImport(Darwin)
    false
    #else
    true
    #endif
  }

  /// Parses an address.
  ///
  /// Returns `nil` for other forms, for text too long for an address, and for abstract names on systems
  /// without them.
  ///
  /// - Parameter text: An absolute path, or `@` and an abstract name.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    let room = MemoryLayout.size(ofValue: sockaddr_un().sun_path)
    switch bytes.first {
    // A path needs room for its terminating zero; a name does not.
    case UInt8(ascii: "/") where bytes.count < room: self.bytes = bytes
    case UInt8(ascii: "@") where Self.hasAbstractNames && 2...room ~= bytes.count:
      self.bytes = [0] + bytes.dropFirst()
    default: return nil
    }
  }

  /// Sends a datagram to the address, without waiting for buffer space.
  ///
  /// - Returns: Zero, or an error number.
  func send(_ text: String) -> Int32 {
    #if canImport(Glibc)
    let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #elseif canImport(Musl)
    let kind = SOCK_DGRAM | SOCK_CLOEXEC
    #else
    let kind = SOCK_DGRAM
    #endif
    let end = socket(AF_UNIX, kind, 0)
    guard end >= 0 else { return errno }
    defer { close(end) }
    #if canImport(Darwin)
    _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    let flags = MSG_DONTWAIT
    #else
    // A missing receiver is an error, not a signal.
    let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
    #endif
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    let length = socklen_t(offset + bytes.count + (bytes.first == 0 ? 0 : 1))
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in  // Reason: within the call.
      unsafe room.copyBytes(from: bytes)  // Reason: `init` checked the size.
    }
    let message = Array(text.utf8)
    while true {
      let count = unsafe withUnsafePointer(to: &address) { address in  // Reason: within the call.
        unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {  // Reason: the C idiom.
          unsafe sendto(end, message, message.count, flags, $0, length)  // Reason: all outlive it.
        }
      }
      if count >= 0 { return 0 }
      let code = errno
      if code != EINTR { return code }
    }
  }
}
