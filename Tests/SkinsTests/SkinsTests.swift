#if os(Linux) || os(macOS)
import TestSupport
import Testing

@Suite("skins")
struct SkinsTests {
  private func stored(_ name: String) throws -> String {
    try text(ofPath: parent(ofPath: #filePath) + "/../Expected/" + name)
  }

  @Test(
    "skins prints the stored story word for word and exits with 0",
    arguments: [[], ["--story"]]
  )
  func story(_ arguments: [String]) throws {
    let result = try Program("skins").run(arguments)
    let expected = try stored("skins-story.txt")
    #expect(result == Program.Result(status: 0, output: expected, complaints: ""))
  }

  @Test(
    "Without a terminal, skins events prints its stored story word for word and exits with 0",
    arguments: [["events"], ["events", "--story"], ["--story", "events"]]
  )
  func events(_ arguments: [String]) throws {
    let result = try Program("skins").run(arguments)
    let expected = try stored("skins-events.txt")
    #expect(result == Program.Result(status: 0, output: expected, complaints: ""))
  }

  @Test(
    "Every line of a story is numbered and true",
    arguments: [(["--story"], 20), (["events"], 10)]
  )
  func lines(_ arguments: [String], _ count: Int) throws {
    let result = try Program("skins").run(arguments)
    // Lines of Swift are indented.
    let lines = result.output.split(separator: "\n").dropFirst().dropLast()
      .filter { !$0.hasPrefix("      ") }
    #expect(lines.count >= count)
    for (number, line) in lines.enumerated() {
      #expect(line.drop { $0 == " " }.hasPrefix("\(number + 1). ok  "))
    }
  }

  @Test("skins draws the stored picture byte for byte, to standard output and into a file")
  func picture() throws {
    let expected = try stored("skins.svg")
    let result = try Program("skins").run(["--svg", "-"])
    #expect(result == Program.Result(status: 0, output: expected, complaints: ""))

    let file = try ScratchPath()
    let other = try Program("skins").run(["--svg=\(file.path)"])
    #expect(other == Program.Result(status: 0, output: "", complaints: ""))
    #expect(try text(ofPath: file.path) == expected)
  }

  @Test("The picture consists of whole numbers and refers to nothing external")
  func pictureOfItsOwn() throws {
    let picture = try stored("skins.svg")
    for word in ["<script", "<style", "href", "url(", "@import", "<image", "<foreignObject"] {
      #expect(!picture.contains(word))
    }
    #expect(picture.contains("<title>"))
    #expect(picture.contains("role=\"img\"") && picture.contains("<desc>"))
    for attribute in ["x=\"", "y=\"", "width=\"", "height=\"", "rx=\""] {
      for part in picture.split(separator: " " + attribute).dropFirst() {
        #expect(Int(part.prefix { $0 != "\"" }) != nil)
      }
    }
  }

  @Test("Each window of the picture has a title, and no text leaves its window")
  func captions() throws {
    let groups = try stored("skins.svg").split(separator: "<g ").dropFirst()
    let captions = [
      "key b: one line of Swift", "key 1: the skin Day", "key 3: Ember", "key 5: Fog",
    ]
    #expect(groups.count == captions.count)
    for (group, caption) in zip(groups, captions) {
      let lines = group.split(separator: "\n")
      let texts = lines.filter { $0.contains("<text ") }
      #expect(texts.first?.contains(caption) == true)
      let width = try #require(lines.first { $0.contains("<rect") }.flatMap { number("width", $0) })
      for line in texts {
        let end = try #require(number("x", line)) + #require(number("textLength", line))
        #expect(end <= width, "\(line)")
      }
    }
  }

  /// The whole number in an attribute of a line.
  private func number(_ name: String, _ line: Substring) -> Int? {
    line.split(separator: " \(name)=\"").dropFirst().first.flatMap { Int($0.prefix { $0 != "\"" }) }
  }

  @Test("A picture that cannot be written is an error that names the path")
  func noPicture() throws {
    let result = try Program("skins").run(["--svg", "/nowhere/at/all.svg"])
    #expect(result.status == 1)
    #expect(result.output == "")
    #expect(result.complaints.contains("cannot write /nowhere/at/all.svg"))
  }

  @Test(
    "An unknown argument is named with the usage, and skins exits with 2 before any output",
    arguments: [
      (["--stroy"], "unknown argument \"--stroy\""),
      (["--story", "tale"], "unknown argument \"tale\""),
      (["tale", "--story"], "unknown argument \"tale\""),
      ([""], "unknown argument \"\""),
      (["--story=yes"], "unknown argument \"--story=yes\""),
      (["--svg"], "--svg needs a value"),
      (["--themes="], "--themes needs a value"),
      (
        ["--color", "pink"],
        "--color does not know \"pink\": give one of auto, always, never, 16, 256, truecolor"
      ),
      (
        ["--story", "--svg", "-"],
        "--story and --svg do not go together, nor does either twice"
      ),
      (
        ["events", "--svg", "-"],
        "events and --svg do not go together: the picture shows the skins"
      ),
    ]
  )
  func badArguments(_ arguments: [String], _ complaint: String) throws {
    let result = try Program("skins").run(arguments)
    #expect(result.status == 2)
    #expect(result.output == "")
    #expect(
      result.complaints.hasPrefix(
        "skins: \(complaint)\nUsage: skins [events] [--story | --svg FILE]"
      )
    )
  }

  @Test("The help option prints the usage and exits with 0", arguments: ["--help", "-h"])
  func help(_ argument: String) throws {
    let result = try Program("skins").run([argument])
    #expect(result.status == 0)
    #expect(result.output.hasPrefix("Usage: skins "))
    #expect(result.complaints == "")
  }
}
#endif
