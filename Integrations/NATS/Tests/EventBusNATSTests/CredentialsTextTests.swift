import EventBusNATS
import Foundation
import Testing

@Suite("The text of a file with credentials", .timeLimit(.minutes(5)))
struct CredentialsTextTests {
  private static let seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"
  private static let jwt = "-----BEGIN NATS USER JWT-----\neyJ\n------END NATS USER JWT------\n"
  private static let section =
    "-----BEGIN USER NKEY SEED-----\n\(seed)\n------END USER NKEY SEED------\n"

  // The client of libnats 3.4.1 accepts and refuses the same files.
  @Test(
    "A seed that the client can read has no problem",
    arguments: [seed, "\(seed)\n", "\n  \(seed)", "# mine\n\(seed)\n", section, "\n\n\(section)\n"]
  )
  func seeds(_ text: String) {
    #expect(CredentialsText(Array(text.utf8)).problemWithSeed == nil)
  }

  @Test(
    "A file without a seed, and one with a damaged seed, has a problem",
    arguments: [
      ("", "no seed"), ("garbage", "no seed"), ("\u{0}\u{FF}\n---", "no seed"),
      (seed.lowercased(), "no seed"), ("SA\(seed.dropFirst(2))", "no seed"),
      ("UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4", "no seed"),
      (jwt + section, "no seed"), ("SUPER secret\n\(seed)", "other characters"),
      ("\(seed)\r\n", "other characters"), (" \(seed) ", "other characters"),
      (section.replacing("SUAC", with: "SU-C"), "other characters"),
      ("SU", "damaged"), (String(seed.prefix(40)), "damaged"), ("\(seed)A", "damaged"),
      (seed.replacing("ACSS", with: "ACSX"), "damaged"),
    ]
  )
  func unusableSeeds(_ text: String, _ words: String) {
    let problem = CredentialsText(Array(text.utf8)).problemWithSeed
    #expect(problem?.contains(words) == true, "\(problem ?? "none")")
  }

  @Test(
    "A file of a user has a JWT and a seed",
    arguments: [
      (jwt + section, nil), (jwt + "\n" + section, nil), ("", "two sections"),
      ("garbage", "two sections"), (jwt, "two sections"), (section, "two sections"),
      (jwt + jwt, "no seed"), (jwt + section.replacing("ACSS", with: "ACSX"), "damaged"),
    ] as [(String, String?)]
  )
  func users(_ text: String, _ words: String?) {
    let problem = CredentialsText(Array(text.utf8)).problemWithUser
    if let words {
      #expect(problem?.contains(words) == true, "\(problem ?? "none")")
    } else {
      #expect(problem == nil)
    }
  }

  @Test("A file that the client cannot use is named in the error, and not the addresses")
  func named() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).nk")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("garbage".utf8).write(to: file)
    let path = file.path
    for credentials in [
      NATSConnection.Options.Credentials.file(path), .nkey("UDXU4", seedFile: path),
      .file("\(path).missing"), .nkey("UDXU4", seedFile: "\(path).missing"),
    ] {
      do {
        var options = NATSConnection.Options()
        options.credentials = credentials
        _ = try await NATSConnection("nats://127.0.0.1:1", options: options)
        Issue.record("\(credentials) was accepted")
      } catch {
        #expect(error.code == .invalidOption)
        #expect(error.description.contains(path), "\(error)")
        #expect(!error.description.contains("addresses"), "\(error)")
        #expect(!error.description.contains("garbage"), "\(error)")
      }
    }
  }
}
