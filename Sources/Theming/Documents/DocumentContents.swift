internal import EventBus

/// The entries of a document, and the issues found while it was read or created.
///
/// Reading has two steps: find all settings of each key, then read the one that takes precedence.
/// Members are visited in the order of their names, so neither the result nor the error thrown
/// depends on the order in which the decoder lists them.
struct DocumentContents {
  typealias Container = KeyedDecodingContainer<DocumentKey>

  /// A member of a document, with its path in the values.
  private typealias Member = (container: Container, key: DocumentKey, path: [String])

  /// The keys of the schema, by name.
  private let keys: [String: ThemeKeys]

  /// Every prefix before a dot in the name of a key.
  private let groups: Set<String>

  private(set) var entries: [ThemeKeys: ThemeLayer.Entry] = [:]

  /// The parts left out.
  private(set) var issues: [ThemeIssue] = []

  /// Creates empty contents.
  ///
  /// Two different keys of the schema with the same name trap.
  ///
  /// - Complexity: O(*k*) for *k* keys.
  init<Schema: ThemeSchema>(_ schema: Schema.Type) {
    var keys: [String: ThemeKeys] = [:]
    var groups: Set<String> = []
    for key in schema.keys {
      if let other = keys.updateValue(key, forKey: key.name), other != key {
        trap(
          "The schema \(schema) has two keys named \"\(key.name)\", one with values of type "
            + "\(other.valueType), one of type \(key.valueType)",
          remedy: "Rename one of them: documents identify keys by name"
        )
      }
      for index in key.name.indices where key.name[index] == "." {
        groups.insert(String(key.name[..<index]))
      }
    }
    self.keys = keys
    self.groups = groups
  }

  /// Adds the entries of a theme's own layer that a document can hold.
  ///
  /// - Complexity: O(*n*) in the number of entries, plus the search for the closest name for each
  ///   entry left out.
  mutating func add(_ own: ThemeLayer) {
    for (key, entry) in own.entries {
      switch entry {
      case _ where keys[key.name] != key: reportUnknown(key.name, .unknownKey, key: key.name)
      case .value where key.codableType == nil:
        issues.append(ThemeIssue(.notCodable, key: key.name))
      // An alias of a name in braces could not be read back.
      case .alias(let target)
      where keys[target.name] != target || target.name.asAlias.aliasTarget != target.name:
        reportUnknown(target.name, .unknownAlias(target: target.name), key: key.name)
      case .value, .alias: entries[key] = entry
      }
    }
  }

  /// Records an issue about an unknown name, with the closest name in the schema.
  ///
  /// - Complexity: O(*k* · *l*²) for *k* keys with names of *l* letters.
  private mutating func reportUnknown(_ name: String, _ code: ThemeIssue.Code, key: String) {
    // A key with exactly this name has another type of value, so its name would not help.
    let suggestion = keys[name] == nil ? keys.keys.nearest(to: name) : nil
    issues.append(ThemeIssue(code, key: key, suggestion: suggestion))
  }

  /// Reads a group of values, including nested groups.
  ///
  /// - Parameter values: The outermost group, which has no name.
  /// - Throws: `DecodingError`, with the path to the value.
  /// - Complexity: O(*m* · log *m*) for *m* members, plus the search for the closest name for each
  ///   unknown one.
  mutating func read(_ values: Container) throws {
    var settings: [String: [Member]] = [:]
    // A list instead of recursion: the nesting depth of a document has no bound.
    var open: [(group: Container, path: [String])] = [(values, [])]
    while let (group, path) = open.popLast() {
      for key in group.allKeys.ordered(by: { $0.stringValue < $1.stringValue }) {
        let path = path + [key.stringValue]
        let name = path.joined(separator: ".")
        if keys[name] != nil {
          settings[name, default: []].append((group, key, path))
        } else if let inner = try innerGroup(of: group, key, named: name) {
          open.append((inner, path))
        } else {
          reportUnknown(name, .unknownKey, key: name)
        }
      }
    }
    for (name, members) in settings.ordered(by: { $0.key < $1.key }) {
      if members.count > 1 { issues.append(ThemeIssue(.duplicateKey, key: name)) }
      if let key = keys[name], let member = members.min(by: Self.precedes) {
        try read(key, from: member)
      }
    }
  }

  /// Returns the group that a member holds, or `nil` if the member is a leaf.
  private func innerGroup(
    of group: Container,
    _ key: DocumentKey,
    named name: String
  ) throws -> Container? {
    if groups.contains(name) { return try group.group(key) }
    let inner = try? group.group(key)  // Reason: otherwise a leaf.
    return inner.flatMap { $0.allKeys.isEmpty ? nil : $0 }
  }

  /// Returns whether a setting takes precedence over another one: it has fewer levels or, with as
  /// many, comes first alphabetically.
  private static func precedes(_ one: Member, _ other: Member) -> Bool {
    one.path.count == other.path.count
      ? one.path.lexicographicallyPrecedes(other.path) : one.path.count < other.path.count
  }

  /// Reads the value or the alias of a key.
  private mutating func read(_ key: ThemeKeys, from member: Member) throws {
    let (group, name, _) = member
    let text = try? group.decode(String.self, forKey: name)  // Reason: only text can be an alias.
    if let target = text?.aliasTarget {
      try readAlias(of: target, for: key, at: group.codingPath + [name])
    } else if let type = key.codableType {
      entries[key] = .value(try value(type, from: member))
    } else {
      issues.append(ThemeIssue(.notCodable, key: key.name))
    }
  }

  /// Decodes a value; every error carries the coding path of the value.
  private func value<Value: CodableThemeValue>(
    _ type: Value.Type,
    from member: Member
  ) throws -> any AnyThemeValue {
    let (group, name, path) = member
    do {
      return ThemeValue(changingText(in: try group.decode(type, forKey: name), \.unescaped))
    } catch let error as DecodingError {
      throw error.located(at: group.codingPath + [name])
    } catch {
      // Decoders throw their own errors for numbers out of range, and so may values.
      let problem = "The value of \"\(path.joined(separator: "."))\" cannot be read: \(error)"
      let path = group.codingPath + [name]
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: path, debugDescription: problem, underlyingError: error)
      )
    }
  }

  /// Makes a key an alias of the key with a name.
  private mutating func readAlias(
    of name: String,
    for key: ThemeKeys,
    at path: [any CodingKey]
  ) throws {
    guard let target = keys[name] else {
      return reportUnknown(name, .unknownAlias(target: name), key: key.name)
    }
    guard target.valueType == key.valueType else {
      let problem =
        "\"\(key)\" has values of type \(key.valueType) and cannot be an alias of \"\(target)\", "
        + "which has values of type \(target.valueType)"
      throw DecodingError.typeMismatch(
        key.valueType,
        DecodingError.Context(codingPath: path, debugDescription: problem)
      )
    }
    entries[key] = .alias(target)
  }
}

extension KeyedDecodingContainer<DocumentKey> {
  /// Returns the group in a member.
  func group(_ key: DocumentKey) throws -> Self {
    try nestedContainer(keyedBy: DocumentKey.self, forKey: key)
  }
}

extension DecodingError {
  /// Returns this error with the coding path of the value, if its own path is shorter.
  ///
  /// Some decoders omit the path, for example in errors about numbers out of range.
  ///
  /// - Parameter path: The coding path of the value that was being decoded.
  /// - Returns: The error, with `path` if its own path is shorter.
  func located(at path: [any CodingKey]) -> DecodingError {
    func located(_ context: Context) -> Context {
      guard context.codingPath.count < path.count else { return context }
      return Context(
        codingPath: path,
        debugDescription: context.debugDescription,
        underlyingError: context.underlyingError
      )
    }
    return switch self {
    case .typeMismatch(let type, let context): .typeMismatch(type, located(context))
    case .valueNotFound(let type, let context): .valueNotFound(type, located(context))
    case .keyNotFound(let key, let context): .keyNotFound(key, located(context))
    case .dataCorrupted(let context): .dataCorrupted(located(context))
    @unknown default: self
    }
  }
}

/// The syntax of aliases in documents: `{color.accent}`.
///
/// A text value that itself has the form of an alias is enclosed in one more pair of braces, which
/// reading removes.
extension String {
  /// The alias of the key with this name.
  var asAlias: String { "{\(self)}" }

  /// The name of the key that this text is an alias of, or `nil` if the text is not an alias.
  var aliasTarget: String? { isBraced && !isEscaped ? inside : nil }

  /// The text, enclosed in one more pair of braces if it is in braces.
  var escaped: String { isBraced ? "{\(self)}" : self }

  /// The text that ``escaped`` was made of.
  var unescaped: String { isEscaped ? inside : self }

  /// The text without its first and its last brace, also if a combining character follows one.
  private var inside: String { String(unicodeScalars.dropFirst().dropLast()) }

  private var isBraced: Bool { utf8.count >= 2 && isEnclosed(in: "{", "}") }

  private var isEscaped: Bool { utf8.count >= 4 && isEnclosed(in: "{{", "}}") }

  private func isEnclosed(in open: String, _ close: String) -> Bool {
    utf8.starts(with: open.utf8) && utf8.suffix(close.utf8.count).elementsEqual(close.utf8)
  }
}

/// Returns a value with its text changed, if the value is a text.
func changingText<Value>(in value: Value, _ change: (String) -> String) -> Value {
  (value as? String).flatMap { change($0) as? Value } ?? value
}
