internal import EventBus

/// The documents of several files, while their bases are resolved.
struct ThemeLoading<Schema: ThemeSchema> {
  /// A file, and the result of loading it.
  private struct File {
    let name: String
    let document: ThemeDocument<Schema>?
    var outcome: Outcome

    /// The name of the theme that this one extends, while it is unknown whether that is possible.
    var openBase: String? { if case .open = outcome { document?.extends } else { nil } }
  }

  private enum Outcome {
    case open
    case loaded(Theme)
    case failed(ThemeFileIssue.Problem)
  }

  private let bases: [String: Theme]
  private let isStrict: Bool
  private var files: [File] = []
  /// The index of the file of each theme.
  private var indices: [String: Int] = [:]
  /// The number of searches for a name that may still be made.
  private var searchesLeft = 100

  /// Creates a loading without files.
  init(extending bases: [Theme], strict: Bool) {
    self.bases = Dictionary(bases.map { ($0.name, $0) }) { first, _ in first }
    isStrict = strict
  }

  /// Adds a file that could not be read.
  mutating func addUnreadable(_ file: String, _ error: any Error) {
    files.append(File(name: file, document: nil, outcome: .failed(.unreadable(error))))
  }

  /// Adds the document of a file.
  mutating func add(_ document: ThemeDocument<Schema>, of file: String) {
    let isDuplicate = bases[document.name] != nil || indices[document.name] != nil
    let duplicate = ThemeError(.duplicateName, themes: [document.name])
    if !isDuplicate { indices[document.name] = files.count }
    let outcome = isDuplicate ? Outcome.failed(.refused(duplicate)) : .open
    files.append(File(name: file, document: document, outcome: outcome))
  }

  /// Resolves the bases of all documents, and creates their themes.
  mutating func finish() -> LoadedThemes {
    for index in files.indices { resolve(index) }
    return files.reduce(into: LoadedThemes()) { loaded, file in
      switch file.outcome {
      case .open: break
      case .failed(let problem):
        loaded.issues.append(ThemeFileIssue(file: file.name, problem: problem))
      case .loaded(let theme):
        loaded.themes.append(theme)
        loaded.issues += (file.document?.issues ?? []).map {
          ThemeFileIssue(file: file.name, problem: .leftOut($0))
        }
      }
    }
  }

  /// Resolves a file after the files that it extends.
  ///
  /// A list instead of recursion: a chain of bases can have any length.
  private mutating func resolve(_ index: Int) {
    var chain: [Int] = []
    var members: Set<Int> = []
    var next: Int? = index
    while let current = next, case .open = files[current].outcome {
      guard members.insert(current).inserted else {
        failCycle(chain.drop { $0 != current })
        break
      }
      chain.append(current)
      next = files[current].openBase.flatMap { indices[$0] }
    }
    for current in chain.reversed() { create(current) }
  }

  /// Refuses the files of a cycle, each of which extends the next.
  private mutating func failCycle(_ cycle: ArraySlice<Int>) {
    let names = cycle.map { files[$0].document?.name ?? "" }
    let path = names + names.prefix(1)
    for (index, name) in zip(cycle, names) {
      let base = files[index].document?.extends ?? ""
      let error = ThemeError(.baseCycle, themes: [name, base], path: path)
      files[index].outcome = .failed(.refused(error))
    }
  }

  /// Creates the theme of a file whose base has been resolved.
  private mutating func create(_ index: Int) {
    guard case .open = files[index].outcome, let document = files[index].document else { return }
    do throws(ThemeError) {
      let base = try base(of: document)
      files[index].outcome = .loaded(try document.theme(extending: base, strict: isStrict))
    } catch {
      files[index].outcome = .failed(.refused(error))
    }
  }

  /// Returns the theme that a document extends, or `nil` if it extends none.
  private mutating func base(of document: ThemeDocument<Schema>) throws(ThemeError) -> Theme? {
    guard let name = document.extends else { return nil }
    let theme = document.name
    if let base = bases[name] { return base }
    if let index = indices[name] {
      if case .loaded(let base) = files[index].outcome { return base }
      throw ThemeError(.failedBase, themes: [theme, name])
    }
    searchesLeft -= 1
    let known = searchesLeft < 0 ? [] : Array(bases.keys) + Array(indices.keys)
    let suggestion = NameSuggestions(known.filter { $0 != theme }).nearest(to: name)
    throw ThemeError(.unknownBase, themes: [theme, name], suggestion: suggestion)
  }
}
