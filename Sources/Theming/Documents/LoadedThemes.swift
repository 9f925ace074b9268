/// The themes of several files, and what is wrong with the files.
///
/// See ``ThemeDocument/load(_:extending:strict:read:)``.
public struct LoadedThemes: Sendable {
  /// The themes, in the order of their files.
  public internal(set) var themes: [Theme] = []

  /// What is wrong, in the order of the files; empty if every file is valid.
  public internal(set) var issues: [ThemeFileIssue] = []
}

/// Something wrong in a theme file, with the name of the file.
public struct ThemeFileIssue: Sendable {
  /// What is wrong.
  public enum Problem: Sendable {
    /// The file could not be read or decoded; the theme is not loaded.
    case unreadable(any Error)
    /// The document is not a valid theme; the theme is not loaded.
    case refused(ThemeError)
    /// A part of the document was left out; the theme is loaded without it.
    case leftOut(ThemeIssue)
  }

  /// The file, as it was passed to ``ThemeDocument/load(_:extending:strict:read:)``.
  public let file: String

  /// What is wrong.
  public let problem: Problem
}

extension ThemeFileIssue: CustomStringConvertible {
  /// The file and what is wrong with it.
  public var description: String {
    switch problem {
    case .unreadable(let error): "\(file): \(error)"
    case .refused(let error): "\(file): \(error)"
    case .leftOut(let issue): "\(file): \(issue)"
    }
  }
}

extension ThemeDocument {
  /// Loads theme files that may extend one another.
  ///
  /// The library neither reads files nor decodes them: the caller lists the files of a folder, and
  /// `read` decodes one of them with any decoder.
  ///
  /// ```swift
  /// extension ThemeKeys {
  ///   static let tint = ThemeKey("color.tint", default: RGBA(red: 20, green: 24, blue: 32))
  /// }
  ///
  /// enum ShopTheme: ThemeSchema {
  ///   static let keys: [AnyThemeKey] = [.tint]
  /// }
  ///
  /// protocol ThemeStore {
  ///   var files: [String] { get }
  ///   func decoder(for file: String) throws -> any Decoder
  /// }
  ///
  /// @MainActor func register(_ store: some ThemeStore, in manager: ThemeManager) {
  ///   let loaded = ThemeDocument<ShopTheme>.load(store.files, extending: [manager.theme]) { file in
  ///     try ThemeDocument(from: store.decoder(for: file))
  ///   }
  ///   for theme in loaded.themes { manager.register(theme) }
  ///   for issue in loaded.issues { print(issue) }  // each names its file
  /// }
  /// ```
  ///
  /// A document may extend a base or the theme of any other document, in any order. A file that is
  /// not valid does not prevent the others from loading, except those that extend it. If several
  /// documents, or a document and a base, have the same name, the first one is used.
  ///
  /// - Parameters:
  ///   - files: The names or paths of the files, each once.
  ///   - bases: Themes that documents may extend, in addition to the themes of other documents.
  ///   - strict: Pass `true` to refuse a document with ``issues`` instead of leaving parts out.
  ///   - read: A closure that reads and decodes a file; called once for each, in order.
  /// - Returns: The themes, and everything that is wrong, with the names of the files. The code of
  ///   a refused theme is ``ThemeError/Code/unknownBase``, with the closest known name,
  ///   ``ThemeError/Code/failedBase``, ``ThemeError/Code/baseCycle``,
  ///   ``ThemeError/Code/duplicateName``, or one that ``theme(extending:strict:)`` throws.
  /// - Complexity: O(*n*) in the number of entries of all documents and their bases, plus the search
  ///   for the closest name for the first 100 unknown bases.
  public static func load(
    _ files: some Sequence<String>,
    extending bases: [Theme] = [],
    strict: Bool = false,
    read: (_ file: String) throws -> ThemeDocument
  ) -> LoadedThemes {
    var loading = ThemeLoading<Schema>(extending: bases, strict: strict)
    for file in files {
      do {
        loading.add(try read(file), of: file)
      } catch {
        loading.addUnreadable(file, error)
      }
    }
    return loading.finish()
  }
}
