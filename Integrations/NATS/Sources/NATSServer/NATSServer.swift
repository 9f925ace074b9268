public import Foundation
private import _EventBusLocks

/// A `nats-server` of this process, for tests, examples and benchmarks: on a free port of the loopback interface,
/// with its files in its own folder.
///
/// It is killed, and the folder removed, when the object is released.
public final class NATSServer: Sendable {
  /// The error of a server that did not start.
  public struct StartError: Error, CustomStringConvertible {
    /// The output of the server.
    public let description: String
  }

  private struct State: @unchecked Sendable {  // Reason: used under a lock.
    var process: Process?
  }

  /// The port for clients.
  public let port: Int
  /// The folder for the server's files.
  public let folder: URL
  private let arguments: [String]
  /// The first lines of the configuration file.
  private let start: String
  private let state = Locked(State())
  private let ownsFolder: Bool

  /// Starts a server and waits until it accepts connections.
  ///
  /// - Parameters:
  ///   - jetStream: Whether it stores streams.
  ///   - port: The port; `nil` for a free one.
  ///   - configuration: Lines of its configuration file.
  ///   - folder: The folder for its files, which stays; `nil` for one that is removed.
  /// - Throws: ``StartError``.
  public init(
    jetStream: Bool = true,
    port: Int? = nil,
    configuration: String = "",
    folder: URL? = nil
  ) throws {
    self.port = port ?? Self.freePort()
    ownsFolder = folder == nil
    self.folder =
      folder
      ?? FileManager.default.temporaryDirectory
      .appending(path: "nats-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    var text = "listen: \"127.0.0.1:\(self.port)\"\n"
    if jetStream { text += "jetstream { store_dir: \"\(self.folder.path)/store\" }\n" }
    start = text
    let file = self.folder.appending(path: "server.conf")
    try (text + configuration).write(to: file, atomically: true, encoding: .utf8)
    arguments = ["-c", file.path, "-l", self.folder.appending(path: "server.log").path]
    try launch()
    try waitUntilReady()
  }

  deinit {
    kill()
    if ownsFolder { try? FileManager.default.removeItem(at: folder) }
  }

  /// The address for clients.
  public var url: String { "nats://127.0.0.1:\(port)" }

  /// The number of the process.
  public var processIdentifier: Int32 {
    state.withLock { $0.process?.processIdentifier ?? 0 }
  }

  /// The last lines that the server wrote.
  public var log: String {
    let text = try? String(contentsOf: folder.appending(path: "server.log"), encoding: .utf8)
    return (text ?? "").split(separator: "\n").suffix(8).joined(separator: "\n")
  }

  /// Starts the server again, after it was killed, with the same port and files.
  ///
  /// - Throws: ``StartError``, or the error of Foundation.
  public func restart() throws {
    try launch()
    try waitUntilReady()
  }

  /// Starts the server again, without waiting.
  ///
  /// - Throws: ``StartError`` if the program is not installed, or the error of Foundation.
  public func launch() throws {
    let process = Process()
    process.executableURL = try Self.executable()
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    state.withLock { $0 = State(process: process) }
  }

  /// Waits until the server accepts connections.
  ///
  /// - Throws: ``StartError`` if it has ended, or after two minutes.
  public func waitUntilReady() throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while !Self.accepts(port) {
      let isRunning = state.withLock { $0.process?.isRunning ?? false }
      guard isRunning, ContinuousClock.now < deadline else {
        throw StartError(description: "nats-server did not start: \(log)")
      }
      usleep(2000)
    }
  }

  /// Replaces the lines of the configuration file, which the running server reads again.
  ///
  /// - Throws: The error of Foundation if the file cannot be written.
  public func reload(configuration: String) throws {
    let file = folder.appending(path: "server.conf")
    try (start + configuration).write(to: file, atomically: true, encoding: .utf8)
    signal(SIGHUP)
  }

  /// Ends the server with SIGKILL and waits for its end.
  public func kill() { end(SIGKILL) }

  /// Ends the server with SIGTERM and waits for its end.
  public func stop() { end(SIGTERM) }

  /// Sends a signal, such as SIGSTOP, and waits until a server that is to stop has stopped.
  public func signal(_ number: Int32) {
    let process = processIdentifier
    guard process > 0, Foundation.kill(process, number) == 0, number == SIGSTOP else { return }
    // Until then, its threads may answer.
    var information = unsafe siginfo_t()  // Reason: written by `waitid`, and not read.
    _ = unsafe waitid(P_PID, id_t(process), &information, WSTOPPED | WNOWAIT)  // Reason: as above.
  }

  private func end(_ signal: Int32) {
    let taken = state.withLock { state in
      defer { state.process = nil }
      return State(process: state.process)
    }
    guard let process = taken.process else { return }
    Foundation.kill(process.processIdentifier, signal)
    process.waitUntilExit()
  }

  /// The program, in the search path or where Debian installs it.
  ///
  /// - Throws: ``StartError`` if it is not installed.
  private static func executable() throws -> URL {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/bin"]
    for folder in folders {
      let file = URL(filePath: folder).appending(path: "nats-server")
      if FileManager.default.isExecutableFile(atPath: file.path) { return file }
    }
    throw StartError(description: "nats-server is not installed: apt-get install nats-server")
  }

  /// The version of the program, such as `[2, 10, 0]`.
  public static let version: [Int] = {
    let process = Process()
    let output = Pipe()
    process.standardOutput = output
    process.arguments = ["--version"]
    do {
      process.executableURL = try executable()
      try process.run()
    } catch {
      return []
    }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let text = String(decoding: data, as: UTF8.self)
    return text.drop { !$0.isNumber }.split(separator: ".").map { part in
      Int(part.prefix { $0.isNumber }) ?? 0
    }
  }()

  /// A port that is free at the moment.
  public static func freePort() -> Int {
    withSocket { descriptor in
      var address = loopback(0)
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      return unsafe withUnsafeMutablePointer(to: &address) { pointer in  // Reason: of this size.
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          guard unsafe bind(descriptor, pointer, size) == 0,
            unsafe getsockname(descriptor, pointer, &size) == 0
          else { return 0 }
          return unsafe pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
            unsafe Int(UInt16(bigEndian: $0.pointee.sin_port))
          }
        }
      }
    }
  }

  private static func accepts(_ port: Int) -> Bool {
    withSocket { descriptor in
      var address = loopback(port)
      let size = socklen_t(MemoryLayout<sockaddr_in>.size)
      return unsafe withUnsafePointer(to: &address) { pointer in  // Reason: of this size.
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          unsafe connect(descriptor, pointer, size) == 0
        }
      }
    }
  }

  private static func loopback(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  private static func withSocket<Result>(_ body: (Int32) -> Result) -> Result {
    #if canImport(Glibc)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    defer { close(descriptor) }
    return body(descriptor)
  }
}

/// Three servers that share their streams.
public final class NATSCluster: Sendable {
  /// The servers.
  public let servers: [NATSServer]

  /// Starts the servers and waits until they accept connections.
  ///
  /// - Parameter count: The number of servers.
  /// - Throws: ``NATSServer/StartError``.
  public init(count: Int = 3) throws {
    let routes = (0..<count).map { _ in NATSServer.freePort() }
    let list = routes.map { "nats-route://127.0.0.1:\($0)" }.joined(separator: ", ")
    servers = try routes.enumerated().map { index, port in
      try NATSServer(
        configuration: """
          server_name: "server-\(index)"
          cluster { name: "test", listen: "127.0.0.1:\(port)", routes: [\(list)] }

          """
      )
    }
  }

  /// The addresses of all servers.
  public var urls: [String] { servers.map(\.url) }
}
