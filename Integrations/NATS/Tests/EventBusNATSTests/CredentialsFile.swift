import EventBusNATS
import Foundation
import NATSServer
import Testing

/// The keys and tokens of an operator, an account and a user, as `nsc` makes them, with openssl alone.
struct CredentialsFile {
  /// A key pair with its NKey names.
  struct Key {
    /// The first byte of the public name: operator, account or user.
    enum Kind: UInt8 {
      case `operator` = 112
      case account = 0
      case user = 160
    }

    let publicName: String
    let seed: String
    private let file: URL

    init(_ kind: Kind, in folder: URL) throws {
      file = folder.appending(path: "\(UUID().uuidString).pem")
      let secret = folder.appending(path: "\(UUID().uuidString).der")
      let open = folder.appending(path: "\(UUID().uuidString).der")
      try openssl("genpkey", "-algorithm", "ed25519", "-out", file.path)
      try openssl("pkey", "-in", file.path, "-outform", "DER", "-out", secret.path)
      try openssl("pkey", "-in", file.path, "-pubout", "-outform", "DER", "-out", open.path)
      // Both files end with the 32 bytes of the key.
      let seedBytes = Array(try Data(contentsOf: secret).suffix(32))
      publicName = Self.encode([kind.rawValue] + Array(try Data(contentsOf: open).suffix(32)))
      let prefix: UInt8 = 18 << 3
      seed = Self.encode([prefix | kind.rawValue >> 5, (kind.rawValue & 31) << 3] + seedBytes)
    }

    /// A token of another key, signed by this one.
    ///
    /// - Throws: `SampleError` if openssl fails, or the error of Foundation.
    func sign(_ claims: String) throws -> String {
      let header = Self.base64(Data(#"{"typ":"JWT","alg":"ed25519-nkey"}"#.utf8))
      let text = "\(header).\(Self.base64(Data(claims.utf8)))"
      let input = file.appendingPathExtension("txt")
      let output = file.appendingPathExtension("sig")
      try text.write(to: input, atomically: true, encoding: .utf8)
      try openssl(
        "pkeyutl",
        "-sign",
        "-rawin",
        "-inkey",
        file.path,
        "-in",
        input.path,
        "-out",
        output.path
      )
      return "\(text).\(Self.base64(try Data(contentsOf: output)))"
    }

    private static func base64(_ data: Data) -> String {
      data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "")
    }

    /// The bytes and their checksum (CRC-16 of XMODEM) in base 32.
    private static func encode(_ bytes: [UInt8]) -> String {
      var sum: UInt16 = 0
      for byte in bytes {
        sum ^= UInt16(byte) << 8
        for _ in 0..<8 { sum = sum & 0x8000 != 0 ? sum << 1 ^ 0x1021 : sum << 1 }
      }
      let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
      var text = ""
      var (word, bits): (UInt32, Int) = (0, 0)
      for byte in bytes + [UInt8(sum & 255), UInt8(sum >> 8)] {
        (word, bits) = (word << 8 | UInt32(byte), bits + 8)
        while bits >= 5 {
          bits -= 5
          text.append(letters[Int(word >> UInt32(bits) & 31)])
        }
      }
      if bits > 0 { text.append(letters[Int(word << UInt32(5 - bits) & 31)]) }
      return text
    }
  }

  /// The lines of the server's configuration.
  let configuration: String
  /// The file of the user.
  let file: String

  init(in folder: URL) throws {
    let (`operator`, account, user) = (
      try Key(.operator, in: folder), try Key(.account, in: folder), try Key(.user, in: folder)
    )
    let time = Int(Date().timeIntervalSince1970)
    func claims(_ subject: Key, _ issuer: Key, _ nats: String) -> String {
      """
      {"jti":"\(UUID().uuidString)","iat":\(time),"iss":"\(issuer.publicName)","name":"test",\
      "sub":"\(subject.publicName)","nats":{\(nats),"version":2}}
      """
    }
    let limits =
      #""subs":-1,"data":-1,"payload":-1,"imports":-1,"exports":-1,"wildcards":true,"conn":-1,"leaf":-1"#
    let operatorToken = try `operator`.sign(claims(`operator`, `operator`, #""type":"operator""#))
    let accountToken = try `operator`.sign(
      claims(account, `operator`, #""limits":{\#(limits)},"type":"account""#)
    )
    let userToken = try account.sign(
      claims(user, account, #""pub":{},"sub":{},"subs":-1,"data":-1,"payload":-1,"type":"user""#)
    )
    configuration = """
      operator: "\(operatorToken)"
      resolver: MEMORY
      resolver_preload: { \(account.publicName): "\(accountToken)" }

      """
    file = folder.appending(path: "user.creds").path
    try """
    -----BEGIN NATS USER JWT-----
    \(userToken)
    ------END NATS USER JWT------

    -----BEGIN USER NKEY SEED-----
    \(user.seed)
    ------END USER NKEY SEED------

    """.write(toFile: file, atomically: true, encoding: .utf8)
  }
}

/// Runs openssl.
///
/// - Throws: `SampleError` if it fails, or the error of Foundation.
func openssl(_ arguments: String...) throws {
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = ["openssl"] + arguments
  process.standardError = FileHandle.nullDevice
  process.standardOutput = FileHandle.nullDevice
  try process.run()
  process.waitUntilExit()
  if process.terminationStatus != 0 { throw SampleError() }
}

@Suite("Credentials files", .timeLimit(.minutes(5)))
struct CredentialsFileTests {
  @Test("A credentials file is accepted, one of another account's user is refused, and so is none")
  func file() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "nats-creds-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (right, wrong) = (
      try CredentialsFile(in: folder.appending(path: "a", creating: true)),
      try CredentialsFile(in: folder.appending(path: "b", creating: true))
    )
    let server = try NATSServer(jetStream: false, configuration: right.configuration)
    func options(_ file: String?) -> NATSConnection.Configuration {
      .quick { $0.credentials = file.map { .file($0) } }
    }
    let a = Party(
      "a",
      over: try await NATSConnection(server.url, configuration: options(right.file))
    )
    let b = Party(
      "b",
      over: try await NATSConnection(server.url, configuration: options(right.file))
    )
    a.bridge.carry(.number)
    b.bridge.carry(.number)
    await meet(.number, from: a, to: b)
    for file in [wrong.file, nil] {
      await #expect {
        _ = try await NATSConnection(server.url, configuration: options(file))
      } throws: {
        ($0 as? NATSError)?.code == .notAuthorized
      }
    }
    await #expect {
      _ = try await NATSConnection(server.url, configuration: options("/nowhere/user.creds"))
    } throws: {
      ($0 as? NATSError)?.code == .invalidOption
    }
  }
}

extension URL {
  fileprivate func appending(path: String, creating: Bool) throws -> URL {
    let folder = appending(path: path)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}
