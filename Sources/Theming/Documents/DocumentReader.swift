internal import EventBus

/// Reads the values of a document and collects issues.
///
/// Reading has two steps: find all settings of each key, then read the one that takes precedence.
/// Members are visited in the order of their names, so neither the result nor the error thrown
/// depends on the order in which the decoder lists them.
struct DocumentReader {
  private typealias Container = KeyedDecodingContainer<DocumentKey>

  /// A group whose members have not been visited yet.
  private typealias Group = (container: Container, path: [String])

  /// A setting of a key of the schema.
  private struct Place {
    let container: Container
    let member: DocumentKey
    let path: [String]

    /// A Boolean value that indicates whether this setting takes precedence over another one: it
    /// has fewer levels or, with as many, comes first alphabetically.
    func precedes(_ other: Place) -> Bool {
      path.count == other.path.count
        ? path.lexicographicallyPrecedes(other.path) : path.count < other.path.count
    }

    var codingPath: [any CodingKey] { container.codingPath + [member] }
  }

  private let schema: SchemaIndex
  private var places: [String: Place] = [:]
  private var duplicates: Set<String> = []

  /// The entries read.
  private(set) var layer: ThemeLayer

  /// The parts left out.
  private(set) var issues: [ThemeIssue] = []

  init(_ schema: SchemaIndex, name: String) {
    self.schema = schema
    layer = ThemeLayer(name: name, appearance: nil)
  }

  /// Reads a group of values, including nested groups.
  ///
  /// - Parameter values: The outermost group, which has no name.
  /// - Throws: `DecodingError`, with the path to the value.
  /// - Complexity: O(*m* · log *m*) for *m* members, plus the search for the closest name for each
  ///   unknown one.
  mutating func read(_ values: KeyedDecodingContainer<DocumentKey>) throws {
    // A list instead of recursion: the nesting depth of a document has no bound.
    var open: [Group] = [(values, [])]
    while let group = open.popLast() {
      for member in group.container.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
        if let inner = try look(at: member, of: group) { open.append(inner) }
      }
    }
    for (name, place) in places.sorted(by: { $0.key < $1.key }) {
      if let key = schema[name] { try take(key, from: place) }
    }
  }

  /// Classifies a member.
  ///
  /// - Returns: The group to visit if the member is one.
  private mutating func look(at member: DocumentKey, of group: Group) throws -> Group? {
    let path = group.path + [member.stringValue]
    let name = path.joined(separator: ".")
    if schema[name] != nil {
      note(Place(container: group.container, member: member, path: path), of: name)
      return nil
    }
    if schema.hasGroup(name) {
      let inner = try group.container.nestedContainer(keyedBy: DocumentKey.self, forKey: member)
      return (inner, path)
    }
    let inner = try? group.container.nestedContainer(  // Reason: otherwise a leaf.
      keyedBy: DocumentKey.self,
      forKey: member
    )
    if let inner, !inner.allKeys.isEmpty { return (inner, path) }
    issues.append(ThemeIssue(.unknownKey, key: name, suggestion: schema.suggestion(for: name)))
    return nil
  }

  /// Records a setting of a key if it takes precedence over those found before.
  private mutating func note(_ place: Place, of name: String) {
    guard let other = places[name] else {
      places[name] = place
      return
    }
    if duplicates.insert(name).inserted { issues.append(ThemeIssue(.duplicateKey, key: name)) }
    if place.precedes(other) { places[name] = place }
  }

  /// Reads the value or the alias of a key.
  private mutating func take(_ key: ThemeKeys, from place: Place) throws {
    let text = try? place.container.decode(  // Reason: only text can be an alias.
      String.self,
      forKey: place.member
    )
    if let name = text.flatMap(AliasSyntax.target) {
      try takeAlias(of: name, for: key, from: place)
    } else if let codec = key.codec {
      layer.set(key, .value(try value(codec, at: place)))
    } else {
      issues.append(ThemeIssue(.notCodable, key: key.name))
    }
  }

  /// Decodes a value; every error carries the coding path of the value.
  private func value(_ codec: ThemeCodec, at place: Place) throws -> any AnyThemeValue {
    do {
      return try codec.decode(place.container, place.member)
    } catch let error as DecodingError {
      throw error.located(at: place.codingPath)
    } catch {
      // Decoders throw their own errors for numbers out of range, and so may values.
      let problem = "The value of \"\(place.path.joined(separator: "."))\" cannot be read: \(error)"
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: place.codingPath,
          debugDescription: problem,
          underlyingError: error
        )
      )
    }
  }

  /// Makes a key an alias of another key.
  private mutating func takeAlias(of name: String, for key: ThemeKeys, from place: Place) throws {
    guard let target = schema[name] else {
      let issue = ThemeIssue(
        .unknownAlias(target: name),
        key: key.name,
        suggestion: schema.suggestion(for: name)
      )
      issues.append(issue)
      return
    }
    guard target.valueType == key.valueType else {
      let problem =
        "\"\(key)\" has values of type \(key.valueType) and cannot be an alias of \"\(target)\", "
        + "which has values of type \(target.valueType)"
      throw DecodingError.typeMismatch(
        key.valueType,
        DecodingError.Context(codingPath: place.codingPath, debugDescription: problem)
      )
    }
    layer.set(key, .alias(target))
  }
}

/// The keys of a schema, by name.
struct SchemaIndex {
  private let keys: [String: ThemeKeys]

  /// Every prefix before a dot in the name of a key.
  private let groups: Set<String>

  /// Indexes the keys of a schema.
  ///
  /// Two different keys with the same name trap.
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

  subscript(name: String) -> ThemeKeys? { keys[name] }

  /// A Boolean value that indicates whether the schema has keys in a group.
  func hasGroup(_ name: String) -> Bool { groups.contains(name) }

  /// A Boolean value that indicates whether the schema has exactly this key, not just another key
  /// of the same name.
  func contains(_ key: ThemeKeys) -> Bool { keys[key.name] == key }

  /// Returns the name of the key closest to an unknown name, or `nil` if none is close.
  ///
  /// - Complexity: O(*k* · *l*²) for *k* keys with names of *l* letters.
  func suggestion(for name: String) -> String? {
    // A key with exactly this name has another type of value, so its name would not help.
    keys[name] == nil ? NearestName.nearest(to: name, among: keys.keys) : nil
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
