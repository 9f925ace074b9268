internal import EventBus

/// Reads the values of a document, and keeps what it could not understand.
///
/// First it finds the places that set keys, then it reads of each key's places the one that counts.
/// Members are taken in the order of their names, so neither the result nor the error that is thrown
/// depends on the order in which the decoder lists them.
struct DocumentReader {
  private typealias Container = KeyedDecodingContainer<DocumentKey>

  /// A group that was found and not yet looked into.
  private struct Group {
    let container: Container
    let path: [String]
  }

  /// A place that sets a key of the schema.
  private struct Place {
    let container: Container
    let member: DocumentKey
    let path: [String]

    /// Whether this place counts more than another one: it has fewer levels, or, with as many, comes
    /// first in the alphabet.
    func precedes(_ other: Place) -> Bool {
      path.count == other.path.count
        ? path.lexicographicallyPrecedes(other.path) : path.count < other.path.count
    }

    var codingPath: [any CodingKey] { container.codingPath + [member] }
  }

  private let schema: SchemaIndex
  private var places: [String: Place] = [:]
  private var duplicates: Set<String> = []

  /// What the document sets.
  private(set) var layer: ThemeLayer

  /// What was left out.
  private(set) var issues: [ThemeIssue] = []

  /// Creates a reader that has read nothing.
  ///
  /// - Parameters:
  ///   - schema: The keys.
  ///   - name: The name of the theme.
  init(_ schema: SchemaIndex, name: String) {
    self.schema = schema
    layer = ThemeLayer(name: name, appearance: nil)
  }

  /// Reads a group of values and the groups in it.
  ///
  /// - Parameter values: The group, which has no name itself.
  /// - Throws: `DecodingError`, with the path to the value.
  /// - Complexity: O(*m* · log *m*) for *m* members, and for each that is unknown the search for the
  ///   nearest name.
  mutating func read(_ values: KeyedDecodingContainer<DocumentKey>) throws {
    // A list of groups and no recursion: how deep a document is, is not up to us.
    var open = [Group(container: values, path: [])]
    while let group = open.popLast() {
      for member in group.container.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
        if let inner = try look(at: member, of: group) { open.append(inner) }
      }
    }
    for (name, place) in places.sorted(by: { $0.key < $1.key }) {
      if let key = schema[name] { try take(key, from: place) }
    }
  }

  /// Notes what a member is.
  ///
  /// - Returns: The group to look into, if it is one.
  private mutating func look(at member: DocumentKey, of group: Group) throws -> Group? {
    let path = group.path + [member.stringValue]
    let name = path.joined(separator: ".")
    if schema[name] != nil {
      note(Place(container: group.container, member: member, path: path), of: name)
      return nil
    }
    if schema.hasGroup(name) {
      let inner = try group.container.nestedContainer(keyedBy: DocumentKey.self, forKey: member)
      return Group(container: inner, path: path)
    }
    let inner = try? group.container.nestedContainer(  // Reason: what is no group is a leaf.
      keyedBy: DocumentKey.self,
      forKey: member
    )
    if let inner, !inner.allKeys.isEmpty { return Group(container: inner, path: path) }
    issues.append(ThemeIssue(.unknownKey, key: name, suggestion: schema.suggestion(for: name)))
    return nil
  }

  /// Notes a place that sets a key, if it is the one that counts.
  private mutating func note(_ place: Place, of name: String) {
    guard let other = places[name] else {
      places[name] = place
      return
    }
    if duplicates.insert(name).inserted { issues.append(ThemeIssue(.duplicateKey, key: name)) }
    if place.precedes(other) { places[name] = place }
  }

  /// Reads the value of a key, or its alias.
  private mutating func take(_ key: ThemeKeys, from place: Place) throws {
    let text = try? place.container.decode(  // Reason: what is no text is no alias.
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

  /// Decodes a value; whatever goes wrong is told with the way to it.
  private func value(_ codec: ThemeCodec, at place: Place) throws -> any AnyThemeValue {
    do {
      return try codec.decode(place.container, place.member)
    } catch let error as DecodingError {
      throw error.located(at: place.codingPath)
    } catch {
      // Decoders have errors of their own for numbers that do not fit, and values may have, too.
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

  /// Makes a key read like another one.
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
        "\"\(key)\" has values of type \(key.valueType) and cannot read like \"\(target)\", which "
        + "has values of type \(target.valueType)"
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

  /// Every name that stands before a dot in the name of a key.
  private let groups: Set<String>

  /// Sorts the keys of a schema.
  ///
  /// Two different keys with one name trap.
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
          remedy: "Give one of them another name: a document knows keys by their names"
        )
      }
      for index in key.name.indices where key.name[index] == "." {
        groups.insert(String(key.name[..<index]))
      }
    }
    self.keys = keys
    self.groups = groups
  }

  /// The key of a name.
  subscript(name: String) -> ThemeKeys? { keys[name] }

  /// Whether a key of the schema belongs to the group of this name.
  func hasGroup(_ name: String) -> Bool { groups.contains(name) }

  /// Whether the schema has this key, and not only another one of the same name.
  func contains(_ key: ThemeKeys) -> Bool { keys[key.name] == key }

  /// The name of a key that is nearest to one that is none, or `nil` when none is near.
  ///
  /// - Complexity: O(*k* · *l*²) for *k* keys with names of *l* letters.
  func suggestion(for name: String) -> String? {
    // A key of this very name has another type of value; its name is no help.
    keys[name] == nil ? NearestName.nearest(to: name, among: keys.keys) : nil
  }
}

extension DecodingError {
  /// The same error, with the way to the value where the decoder lost it.
  ///
  /// Decoders do: one that finds a number that does not fit may say so without a path.
  ///
  /// - Parameter path: The way to the value that was being read.
  /// - Returns: The error, with this path if its own is shorter.
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
