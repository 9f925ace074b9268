#if os(Linux) || os(macOS)
import TestSupport
import Testing
import Theming

@Suite("Documents in the documentation")
struct ArticleTests {
  @Test(
    "The JSON in the article is read without an issue",
    arguments: ["Theming.docc/ThemesAsData.md", "Documents/ThemeDocument.swift"]
  )
  func json(_ file: String) throws {
    let root = (0..<4).reduce(#filePath) { path, _ in parent(ofPath: path) }
    let samples = samples(in: try text(ofPath: "\(root)/Sources/Theming/\(file)"))
    #expect(samples.count == 1)
    for sample in samples {
      let document = try parse(sample)
      let theme = try document.theme(extending: Theme("Day", appearance: .dark), strict: true)
      #expect(document.extends == "Day")
      #expect(theme.name == "Fog")
      #expect(theme.appearance == .light)
      #expect(theme[.accent].hex == "#5a7184")
      #expect(theme[.radius] == 6)
    }
  }

  /// The blocks of JSON in an article, or in the comments of a source file.
  private func samples(in text: String) -> [String] {
    text.split(separator: "```json").dropFirst().map { rest in
      let block = rest.split(separator: "```").first ?? ""
      return String(block).replacing("///", with: "")
    }
  }
}
#endif
