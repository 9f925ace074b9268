import Theming

#if canImport(FoundationEssentials)
import FoundationEssentials  // Reason: provides the JSON decoder.
#else
import Foundation  // Reason: provides the JSON decoder.
#endif

/// Themes from a folder of JSON files.
///
/// No other file of the demo imports Foundation.
enum ThemeFiles {
  /// The themes read, and the problems of the other files.
  struct Contents: Sendable {
    var themes: [Theme] = []
    var complaints: [String] = []
  }

  /// The folder next to this file.
  static var usualFolder: String {
    let names = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return names.dropLast().joined(separator: "/") + "/Themes"
  }

  /// Reads the themes of a folder, in the order of the file names.
  ///
  /// - Parameter folder: The path of the folder.
  /// - Returns: The themes, and a complaint for each invalid file.
  static func read(_ folder: String) -> Contents {
    var contents = Contents()
    do {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      for name in names where name.hasSuffix(".json") {
        do throws(ThemeFileError) {
          contents.themes.append(try theme(atPath: folder + "/" + name))
        } catch {
          contents.complaints.append("\(error)")
        }
      }
      if contents.themes.isEmpty, contents.complaints.isEmpty {
        contents.complaints.append("\(folder) holds no theme file: name one with --themes DIR")
      }
    } catch {
      contents.complaints.append("\(folder) cannot be read: name a folder with --themes DIR")
    }
    return contents
  }

  /// Reads the theme of a file.
  static func theme(atPath path: String) throws(ThemeFileError) -> Theme {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw ThemeFileError(file: path, problem: "cannot be read: check its permissions")
    }
    return try theme(in: data, of: path)
  }

  /// Reads a theme from a text.
  static func theme(inText text: String, of file: String) throws(ThemeFileError) -> Theme {
    try theme(in: Data(text.utf8), of: file)
  }

  private static func theme(in data: Data, of file: String) throws(ThemeFileError) -> Theme {
    do {
      let document = try JSONDecoder().decode(ThemeDocument<Palette>.self, from: data)
      let bases = [Theme.day, .night, .ember, .contrast]
      let base = bases.first { $0.name == document.extends }
      return try document.theme(extending: base, strict: true)
    } catch let error as DecodingError {
      throw ThemeFileError(file: file, error)
    } catch let error as ThemeError where !error.issues.isEmpty {
      throw ThemeFileError(file: file, issues: error.issues)
    } catch {
      throw ThemeFileError(file: file, problem: "\(error)")
    }
  }
}
