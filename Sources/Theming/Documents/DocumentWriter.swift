/// Chooses what of a theme's layer goes into a document, and keeps what cannot.
struct DocumentWriter {
  private let schema: SchemaIndex

  /// What the document sets.
  private(set) var layer: ThemeLayer

  /// What was left out.
  private(set) var issues: [ThemeIssue] = []

  /// Creates a writer for an empty document.
  ///
  /// - Parameters:
  ///   - schema: The keys that the document may set.
  ///   - name: The name of the theme.
  init(_ schema: SchemaIndex, name: String) {
    self.schema = schema
    layer = ThemeLayer(name: name, appearance: nil)
  }

  /// Takes what a theme says itself.
  ///
  /// - Complexity: O(*n*) in the number of entries, and for each that is left out the search for the
  ///   nearest name.
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

  /// Whether the schema has a key; that it has not is an issue.
  private mutating func isKnown(_ key: ThemeKeys) -> Bool {
    if schema.contains(key) { return true }
    let suggestion = schema.suggestion(for: key.name)
    issues.append(ThemeIssue(.unknownKey, key: key.name, suggestion: suggestion))
    return false
  }

  /// Whether an alias of a key can be read back: the key is known, and its name is not in braces.
  private func canName(_ target: ThemeKeys) -> Bool {
    schema.contains(target)
      && AliasSyntax.target(of: AliasSyntax.alias(of: target.name)) == target.name
  }
}
