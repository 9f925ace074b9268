extension ThemeDocument: Codable {
  private enum Member: String, CaseIterable {
    case appearance, extends, name, values

    var key: DocumentKey { DocumentKey(stringValue: rawValue) }
  }

  /// Reads a document.
  ///
  /// - Throws: `DecodingError`, when there is no name, when a value has a wrong type or is `null`,
  ///   when a group is something else than an object, or when an alias names a key with another type
  ///   of value. The coding path of the error is the way to the value. What else a value throws is
  ///   the underlying error of one.
  /// - Complexity: O(*k* + *m* · log *m*) for *k* keys of the schema and *m* members of the document,
  ///   and for each that is unknown the search for the nearest name.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DocumentKey.self)
    let name = try container.decode(String.self, forKey: Member.name.key)
    var reader = DocumentReader(SchemaIndex(Schema.self), name: name)
    if container.contains(Member.values.key) {
      try reader.read(
        container.nestedContainer(keyedBy: DocumentKey.self, forKey: Member.values.key)
      )
    }
    self.init(
      name: name,
      extends: try Self.read(.extends, of: container),
      appearance: try Self.read(.appearance, of: container),
      issues: Self.unknownMembers(of: container) + reader.issues,
      layer: reader.layer
    )
  }

  /// Writes the document, values with dotted names in the order of the alphabet.
  ///
  /// What it leaves out, its ``issues``, is not written.
  ///
  /// - Throws: What the encoder or a value throws.
  /// - Complexity: O(*n* · log *n*) for *n* entries.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DocumentKey.self)
    try container.encode(name, forKey: Member.name.key)
    try container.encodeIfPresent(appearance, forKey: Member.appearance.key)
    try container.encodeIfPresent(extends, forKey: Member.extends.key)
    var values = container.nestedContainer(keyedBy: DocumentKey.self, forKey: Member.values.key)
    let keys = Array(layer.values.keys) + Array(layer.aliases.keys)
    for key in keys.sorted(by: { $0.name < $1.name }) {
      let member = DocumentKey(stringValue: key.name)
      switch layer[key] {
      case .value(let value): try key.codec?.encode(value, &values, member)
      case .alias(let target): try values.encode(AliasSyntax.alias(of: target.name), forKey: member)
      case nil: break
      }
    }
  }

  /// Reads a member that may be left out, and may not be `null`.
  private static func read<Value: Decodable>(
    _ member: Member,
    of container: KeyedDecodingContainer<DocumentKey>
  ) throws -> Value? {
    guard container.contains(member.key) else { return nil }
    return try container.decode(Value.self, forKey: member.key)
  }

  private static func unknownMembers(
    of container: KeyedDecodingContainer<DocumentKey>
  ) -> [ThemeIssue] {
    let known = Member.allCases.map(\.rawValue)
    return container.allKeys.map(\.stringValue).filter { !known.contains($0) }.map { name in
      let suggestion = NearestName.nearest(to: name, among: known)
      return ThemeIssue(.unknownMember, key: name, suggestion: suggestion)
    }
  }
}
