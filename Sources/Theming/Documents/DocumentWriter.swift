/// Selects the entries of a theme's layer that a document can hold, and collects issues about the
/// others.
struct DocumentWriter {
  private let schema: SchemaIndex

  /// The entries to write.
  private(set) var layer: ThemeLayer

  /// The parts left out.
  private(set) var issues: [ThemeIssue] = []

  init(_ schema: SchemaIndex, name: String) {
    self.schema = schema
    layer = ThemeLayer(name: name, appearance: nil)
  }

  /// Adds the entries of a theme's own layer.
  ///
  /// - Complexity: O(*n*) in the number of entries, plus the search for the closest name for each
  ///   entry left out.
  mutating func write(_ own: ThemeLayer) {
    for (key, value) in own.values where isKnown(key) {
      if key.codec == nil {
        issues.append(ThemeIssue(.notCodable, key: key.name))
      } else {
        layer.set(key, .value(value))
      }
    }
    for (key, target) in own.aliases where isKnown(key) {
      if canName(target) {
        layer.set(key, .alias(target))
      } else {
        let suggestion = schema.suggestion(for: target.name)
        issues.append(
          ThemeIssue(.unknownAlias(target: target.name), key: key.name, suggestion: suggestion)
        )
      }
    }
  }

  /// Checks that the schema has a key, and records an issue otherwise.
  private mutating func isKnown(_ key: ThemeKeys) -> Bool {
    if schema.contains(key) { return true }
    let suggestion = schema.suggestion(for: key.name)
    issues.append(ThemeIssue(.unknownKey, key: key.name, suggestion: suggestion))
    return false
  }

  /// A Boolean value that indicates whether an alias of a key can be read back: the schema has the
  /// key, and its name is not in braces.
  private func canName(_ target: ThemeKeys) -> Bool {
    schema.contains(target)
      && AliasSyntax.target(of: AliasSyntax.alias(of: target.name)) == target.name
  }
}
