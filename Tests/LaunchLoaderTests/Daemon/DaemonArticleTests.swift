#if os(Linux) || os(macOS)
import TestSupport
import Testing

/// The article *A daemon from nothing*.
///
/// The gate `snippets` compares its Swift.
@Suite("The article about a daemon")
struct DaemonArticleTests {
  private static let root = parent(ofPath: #filePath) + "/../../.."

  /// Returns the code blocks of the article in a language.
  private func blocks(in language: String) throws -> [String] {
    let article = "/Sources/LaunchLoader/LaunchLoader.docc/ADaemonFromNothing.md"
    let lines = try text(ofPath: Self.root + article)
      .split(separator: "\n", omittingEmptySubsequences: false)
    var blocks: [String] = []
    var block: String?
    for line in lines {
      if let begun = block {
        block = line == "```" ? nil : begun + line + "\n"
        if line == "```" { blocks.append(begun) }
      } else if line == "```" + language {
        block = ""
      }
    }
    return blocks
  }

  @Test(
    "The files that the article shows are those of the example",
    arguments: [("ini", "daemon.service"), ("dockerfile", "Dockerfile"), ("json", "settings.json")]
  )
  func files(_ language: String, _ name: String) throws {
    let file = try text(ofPath: Self.root + "/Examples/Daemon/" + name)
    #expect(try blocks(in: language) == [file])
  }

  @Test("Each line of output in the article is one that the tests have seen, and the reverse")
  func output() throws {
    let lines = try blocks(in: "text").flatMap { $0.split(separator: "\n").map(String.init) }
    #expect(Set(lines) == DaemonTests.Output.quoted)
  }
}
#endif
