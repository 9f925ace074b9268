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

  /// Reads the themes of a folder, in the order of the file names; they may extend one another.
  ///
  /// - Parameter folder: The path of the folder.
  /// - Returns: The themes, and a complaint for each invalid file.
  static func read(_ folder: String) -> Contents {
    do {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      let paths = names.filter { $0.hasSuffix(".json") }.map { "\(folder)/\($0)" }
      if paths.isEmpty {
        return Contents(complaints: ["\(folder) holds no theme file: name one with --themes DIR"])
      }
      return read(paths) { path in
        if let data = FileManager.default.contents(atPath: path) { return data }
        throw ThemeFileError(file: path, problem: problem(ofPath: path))
      }
    } catch {
      return Contents(complaints: ["\(folder) cannot be read: name a folder with --themes DIR"])
    }
  }

  /// Reads the theme in a text as if it were that of a file.
  static func read(text: String, of file: String) -> Contents {
    read([file]) { _ in Data(text.utf8) }
  }

  private static func read(_ paths: [String], data: (String) throws -> Data) -> Contents {
    let bases: [Theme] = [.day, .night, .ember, .contrast]
    let loaded = ThemeDocument<Palette>.load(paths, extending: bases, strict: true) { path in
      try JSONDecoder().decode(ThemeDocument<Palette>.self, from: try data(path))
    }
    let complaints = loaded.issues.map { "\(ThemeFileError($0))" }
    return Contents(themes: loaded.themes, complaints: complaints)
  }

  /// Returns the reason a file has no contents.
  private static func problem(ofPath path: String) -> String {
    // Reason: a file without attributes cannot be read either.
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    let isFolder = attributes?[.type] as? FileAttributeType == .typeDirectory
    return isFolder
      ? "is a folder: give it a name that does not end in .json"
      : "cannot be read: check its permissions"
  }
}
