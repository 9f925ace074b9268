#if os(Linux) || os(macOS)
import TestSupport
import Testing

/// The articles that show the daemon: *A daemon from nothing*, *Process managers* and *Values that must be closed*.
///
/// The gate `snippets` compares their Swift.
@Suite("The articles about a daemon")
struct DaemonArticleTests {
  private static let root = parent(ofPath: #filePath) + "/../../.."
  private static let articles = ["ADaemonFromNothing", "ProcessManagers", "ValuesThatMustBeClosed"]

  /// Returns the code blocks of the articles in a language.
  private func blocks(in language: String) throws -> [String] {
    let lines = try Self.articles.flatMap { article in
      try text(ofPath: "\(Self.root)/Sources/LaunchLoader/LaunchLoader.docc/\(article).md")
        .split(separator: "\n", omittingEmptySubsequences: false)
    }
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
    "The files that the articles show are those of the example",
    arguments: [("ini", "daemon.service"), ("dockerfile", "Dockerfile"), ("json", "settings.json")]
  )
  func files(_ language: String, _ name: String) throws {
    let file = try text(ofPath: Self.root + "/Examples/Daemon/" + name)
    #expect(try blocks(in: language) == [file])
  }

  @Test("Each line of output in the articles is one that the tests have seen, and the reverse")
  func output() throws {
    let lines = try blocks(in: "text").flatMap { $0.split(separator: "\n").map(String.init) }
    #expect(Set(lines) == DaemonTests.Output.quoted)
  }
}
#endif
