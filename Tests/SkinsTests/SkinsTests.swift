#if canImport(Glibc)
import TestSupport
import Testing

@Suite("skins")
struct SkinsTests {
  @Test("Tells the stored story word for word and ends with 0", arguments: [[], ["--story"]])
  func story(_ arguments: [String]) throws {
    let stored = try text(ofPath: parent(ofPath: #filePath) + "/../Expected/skins-story.txt")
    let result = try Program("skins").run(arguments)
    #expect(result == Program.Result(status: 0, output: stored, complaints: ""))
  }

  @Test("Every line of the story is numbered and true")
  func lines() throws {
    let result = try Program("skins").run(["--story"])
    let numbered = result.output.split(separator: "\n").filter { $0.contains(". ") }
    #expect(numbered.count >= 12)
    for (number, line) in numbered.enumerated() {
      #expect(line.drop { $0 == " " }.hasPrefix("\(number + 1). ok  "))
    }
  }

  @Test(
    "An argument it does not know is named with the usage, and ends it with 2 before it says a word",
    arguments: [["--stroy"], ["--story", "tale"], ["tale", "--story"], [""]]
  )
  func unknownArgument(_ arguments: [String]) throws {
    let unknown = try #require(arguments.first { $0 != "--story" })
    let result = try Program("skins").run(arguments)
    let complaint = "skins: unknown argument \"\(unknown)\"\nUsage: skins [--story]\n"
    #expect(result == Program.Result(status: 2, output: "", complaints: complaint))
  }
}
#endif
