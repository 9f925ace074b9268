#if os(Linux) || os(macOS)
import TestSupport

/// The receiving end of `$NOTIFY_SOCKET`.
final class Manager {
  struct Failure: Error {
    let code: Int32
  }

  /// Whether sockets can have abstract names, which only Linux has.
  #if os(Linux)
  static let namesAreAbstract = [false, true]
  #else
  static let namesAreAbstract = [false]
  #endif

  /// The number of bytes of an address.
  static let addressRoom = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

  /// The value of the variable.
  let address: String

  private static let made = Counter()
  private let end: Int32
  private let path: String?

  /// Binds a socket, in the folder for temporary files or, where that is possible, without a place.
  init(isAbstract: Bool = namesAreAbstract.contains(true)) throws {
    let name = "/tmp/event-bus-tests-notify-\(getpid())-\(Self.made.add())"
    address = isAbstract ? "@" + name.dropFirst() : name
    path = isAbstract ? nil : name
    #if canImport(Glibc)
    end = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    #else
    end = socket(AF_UNIX, SOCK_DGRAM, 0)
    #endif
    _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    var bytes = Array(address.utf8)
    if isAbstract { bytes[0] = 0 }
    if let path { _ = unsafe unlink(path) }  // Reason: a terminated string.
    var place = sockaddr_un()
    place.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &place.sun_path) { room in  // Reason: within the call.
      unsafe room.copyBytes(from: bytes)  // Reason: it fits.
    }
    let length = socklen_t(2 + bytes.count + (isAbstract ? 0 : 1))
    let code = unsafe withUnsafePointer(to: &place) { place in  // Reason: within the call.
      unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) {  // Reason: its C idiom.
        unsafe bind(end, $0, length)  // Reason: outlives the call.
      }
    }
    guard code == 0 else { throw Failure(code: errno) }
  }

  deinit {
    close(end)
    if let path { _ = unsafe unlink(path) }  // Reason: a terminated string.
  }

  /// Returns the next message from another process, which may take a while.
  func nextMessage() throws -> String {
    var wanted = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&wanted, 1, 60_000)  // Reason: one entry, which outlives the call.
    return try message()
  }

  /// Returns the first message, which has already been sent.
  func message() throws -> String {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe recv(end, &bytes, bytes.count, Int32(MSG_DONTWAIT))  // Reason: room.
    guard count >= 0 else { throw Failure(code: errno) }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
#endif
