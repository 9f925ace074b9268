/// The keys of a schema, by name.
internal struct SchemaIndex {
  private let keys: [String: ThemeKeys]

  /// Every name that stands before a dot in the name of a key.
  private let groups: Set<String>

  /// Sorts the keys of a schema.
  ///
  /// Two different keys with one name trap.
  ///
  /// - Complexity: O(*k*) for *k* keys.
  internal init<Schema: ThemeSchema>(_ schema: Schema.Type) {
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
  internal subscript(name: String) -> ThemeKeys? { keys[name] }

  /// Whether a key of the schema belongs to the group of this name.
  internal func hasGroup(_ name: String) -> Bool { groups.contains(name) }

  /// Whether the schema has this key, and not only another one of the same name.
  internal func contains(_ key: ThemeKeys) -> Bool { keys[key.name] == key }

  /// The name of a key that is nearest to one that is none, or `nil` when none is near.
  ///
  /// - Complexity: O(*k* · *l*²) for *k* keys with names of *l* letters.
  internal func suggestion(for name: String) -> String? {
    // A key of this very name has another type of value; its name is no help.
    keys[name] == nil ? NearestName.nearest(to: name, among: keys.keys) : nil
  }
}
