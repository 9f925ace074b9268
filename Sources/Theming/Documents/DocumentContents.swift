internal import EventBus

/// The entries of a document, and the issues found while it was read or created.
///
/// Reading has two steps: find all settings of each key, then read the one that takes precedence.
/// Members are visited in the order of their names, so the result does not depend on the order in
/// which the decoder lists them.
struct DocumentContents {
  typealias Container = KeyedDecodingContainer<DocumentKey>

  /// A member of a document, with its path in the values.
  private struct Member {
    let container: Container
    let key: DocumentKey
    let path: [String]

    /// Returns whether the member takes precedence over another one that sets the same key: it has fewer
    /// levels or, with as many, comes first alphabetically.
    func precedes(_ other: Member) -> Bool {
      path.count == other.path.count
        ? path.lexicographicallyPrecedes(other.path) : path.count < other.path.count
    }
  }

  /// The keys of the schema, by name.
  private let keys: [String: AnyThemeKey]

  /// Every prefix before a dot in the name of a key.
  private let groups: Set<String>

  /// The number of levels that the value of a key can have at most, the outermost one included; at
  /// least 16.
  ///
  /// Deeper groups hold no value of a key, and are not searched for names to report: each name would cost as
  /// much as its depth.
  private let levelLimit: Int

  private(set) var entries: [AnyThemeKey: ThemeLayer.Entry] = [:]

  /// The parts left out, in any order and without suggestions.
  private(set) var issues: [ThemeIssue] = []

  /// The number of unknown names for which the closest known one is searched.
  ///
  /// A file can have any number of unknown names, and each search visits every key of the schema.
  private static let suggestionLimit = 100

  /// Creates empty contents.
  ///
  /// Two different keys of the schema with the same name trap.
  ///
  /// - Complexity: O(*k*) for *k* keys.
  init<Schema: ThemeSchema>(_ schema: Schema.Type) {
    var keys: [String: AnyThemeKey] = [:]
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
    levelLimit = max(16, 1 + (keys.keys.map { name in name.count { $0 == "." } }.max() ?? 0))
  }

  /// Adds the entries of a theme's own layer that a document can hold.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  mutating func add(_ own: ThemeLayer) {
    for (key, entry) in own.entries {
      switch entry {
      case _ where keys[key.name] != key: report(.unknownKey, key.name)
      case .value where key.codableType == nil: report(.notCodable, key.name)
      // An alias of a name in braces could not be read back.
      case .alias(let target)
      where keys[target.name] != target || target.name.asAlias.aliasTarget != target.name:
        report(.unknownAlias(target: target.name), key.name)
      case .value, .alias: entries[key] = entry
      }
    }
  }

  private mutating func report(_ code: ThemeIssue.Code, _ key: String) {
    issues.append(ThemeIssue(code, key: key))
  }

  /// Returns issues in the order of their keys, with the closest known names for the first 100
  /// unknown ones.
  ///
  /// - Parameters:
  ///   - others: Issues to add to those of the contents.
  ///   - members: The known members of a document.
  /// - Returns: All issues.
  /// - Complexity: O(*n* · log *n*) for *n* issues, plus at most 100 searches among the keys.
  func orderedIssues(adding others: [ThemeIssue], members: [String]) -> [ThemeIssue] {
    // Descriptions decide between issues of one key only: they take longer than the comparison of keys.
    var ordered = (issues + others).ordered {
      $0.key == $1.key ? "\($0)" < "\($1)" : $0.key < $1.key
    }
    let unknown = ordered.indices.lazy.filter { ordered[$0].unknownName != nil }
    let indices = Array(unknown.prefix(Self.suggestionLimit))
    guard !indices.isEmpty else { return ordered }
    let (known, knownMembers) = (NameSuggestions(keys.keys), NameSuggestions(members))
    for index in indices {
      guard let name = ordered[index].unknownName else { continue }
      if case .unknownMember = ordered[index].code {
        ordered[index].suggestion = knownMembers.nearest(to: name)
      } else if keys[name] == nil {
        // A key with exactly this name has another type of value, so its name would not help.
        ordered[index].suggestion = known.nearest(to: name)
      }
    }
    return ordered
  }

  /// Reads a group of values, including nested groups.
  ///
  /// - Parameter values: The outermost group, which has no name.
  /// - Complexity: O(*m* · log *m*) for *m* members.
  mutating func read(_ values: Container) {
    var settings: [String: [Member]] = [:]
    // A list instead of recursion: the nesting depth of a document has no bound.
    var open: [(group: Container, path: [String])] = [(values, [])]
    while let (group, path) = open.popLast() {
      for key in group.allKeys.ordered(by: { $0.stringValue < $1.stringValue }) {
        let path = path + [key.stringValue]
        let name = path.joined(separator: ".")
        if keys[name] != nil {
          settings[name, default: []].append(Member(container: group, key: key, path: path))
        } else if path.count < levelLimit, let inner = innerGroup(of: group, key, named: name) {
          open.append((inner, path))
        } else if groups.contains(name) {
          report(.unreadableValue(problem: "is a group: write an object with its members"), name)
        } else {
          report(.unknownKey, name)
        }
      }
    }
    for (name, members) in settings.ordered(by: { $0.key < $1.key }) {
      if members.count > 1 { report(.duplicateKey, name) }
      if let key = keys[name], let member = members.min(by: { $0.precedes($1) }) {
        read(key, from: member)
      }
    }
  }

  /// Returns the group that a member holds, or `nil` if the member is a leaf.
  ///
  /// An empty object is a leaf unless the schema has a group of that name.
  private func innerGroup(
    of group: Container,
    _ key: DocumentKey,
    named name: String
  ) -> Container? {
    let inner = try? group.group(key)  // Reason: otherwise a leaf.
    return groups.contains(name) ? inner : inner.flatMap { $0.allKeys.isEmpty ? nil : $0 }
  }

  /// Reads the value or the alias of a key.
  private mutating func read(_ key: AnyThemeKey, from member: Member) {
    let (group, name) = (member.container, member.key)
    let text = try? group.decode(String.self, forKey: name)  // Reason: only text can be an alias.
    if let target = text?.aliasTarget {
      readAlias(of: target, for: key)
    } else if let type = key.codableType {
      do {
        entries[key] = .value(try value(type, from: member))
      } catch {
        let path = group.codingPath.count + 1
        report(.unreadableValue(problem: valueProblem(error, pathLength: path)), key.name)
      }
    } else {
      report(.notCodable, key.name)
    }
  }

  /// Decodes a value.
  private func value<Value: CodableThemeValue>(
    _ type: Value.Type,
    from member: Member
  ) throws -> any AnyThemeValue {
    let value = try member.container.decode(type, forKey: member.key)
    return ThemeValue(changingText(in: value, \.unescaped))
  }

  /// Makes a key an alias of the key with a name.
  private mutating func readAlias(of name: String, for key: AnyThemeKey) {
    guard let target = keys[name] else { return report(.unknownAlias(target: name), key.name) }
    guard target.valueType == key.valueType else {
      let problem =
        "has values of type \(key.valueType) and cannot be an alias of \"\(target)\", which has "
        + "values of type \(target.valueType)"
      return report(.unreadableValue(problem: problem), key.name)
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

  /// The text without its first and its last brace, even if a combining character follows one.
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
