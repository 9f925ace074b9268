/// The entries of one theme, without those of the theme it was derived from.
struct ThemeLayer: Sendable {
  /// An entry for a key.
  enum Entry {
    /// A value.
    case value(any AnyThemeValue)
    /// An alias of another key with the same type of value.
    case alias(AnyThemeKey)

    /// Returns whether an edit left the entry as it was; setting an equal value is an edit.
    func isSame(as other: Entry?) -> Bool {
      switch (self, other) {
      case (.value(let value), .value(let other)): value === other
      case (.alias(let target), .alias(let other)): target == other
      default: false
      }
    }
  }

  /// The name; `nil` in a scope that keeps the name below.
  var name: String?

  /// The appearance, or `nil` to keep the one below.
  var appearance: Appearance?

  /// The number of the scope that owns the layer, or `nil` for a theme's layer.
  var scope: UInt?

  var entries: [AnyThemeKey: Entry] = [:]

  /// Merges a layer on top of this one into it, with its name and appearance if it has them.
  ///
  /// - Complexity: O(*n*) in the number of entries of `upper`.
  mutating func merge(_ upper: ThemeLayer) {
    name = upper.name ?? name
    appearance = upper.appearance ?? appearance
    entries.merge(upper.entries) { $1 }
  }

  /// Makes the changes to this layer that an edit made to another one.
  ///
  /// - Complexity: O(*n*) in the number of entries of both layers of the edit.
  mutating func add(editFrom old: ThemeLayer, to new: ThemeLayer) {
    if new.name != old.name { name = new.name }
    if new.appearance != old.appearance { appearance = new.appearance }
    for (key, entry) in new.entries where !entry.isSame(as: old.entries[key]) {
      entries[key] = entry
    }
    for key in old.entries.keys where new.entries[key] == nil { entries[key] = nil }
  }
}

/// The layers of a theme.
///
/// Aliases bind late: an alias refers to a key, not to a value, and is followed through all layers,
/// whichever contains it. Setting a key in an upper layer affects all its aliases.
extension Theme {
  static let maximumLayerCount = 32

  /// The number of layers, at most 32.
  package var layerCount: Int { layers.count }

  /// The name of the theme below the theme's own layer.
  var baseName: String? { layers.count > 1 ? name(below: layers.count - 1) : nil }

  /// Returns the name in the layers below an index; the lowest layer always has one.
  func name(below index: Int) -> String { layers[..<index].last { $0.name != nil }?.name ?? "" }

  /// Merges the layers from that of a scope upwards.
  ///
  /// If a whole theme replaced the theme of the scope, so that the scope has no layer, the result
  /// merges all layers.
  ///
  /// - Parameter scope: The number of the scope.
  /// - Returns: The overrides of the scope, where this is its theme.
  func overrides(ofScope scope: UInt?) -> ThemeLayer {
    let start = layers.lastIndex { $0.scope == scope } ?? layers.startIndex
    return layers[start...].reduce(into: ThemeLayer(scope: scope)) { $0.merge($1) }
  }

  /// Returns this theme with another layer on top.
  ///
  /// If there would be more than ``maximumLayerCount`` layers, 16 of the lower ones are merged with
  /// those below them, under the name of the uppermost, so that deriving in a loop uses a bounded
  /// number of layers. The layer of a scope is merged only if all other layers also belong to
  /// scopes.
  ///
  /// - Complexity: O(*d*) for *d* layers; O(*n*) in the number of their entries if layers are
  ///   merged, which happens at most once in 16 times.
  func adding(_ layer: ThemeLayer) -> Theme {
    var lower = layers
    if lower.count == Self.maximumLayerCount { lower = Self.merge(lower) { $0.scope == nil } }
    if lower.count == Self.maximumLayerCount { lower = Self.merge(lower) { _ in true } }
    return Theme(layers: lower + [layer])
  }

  /// Returns this theme with the changes that an edit made to another one.
  ///
  /// - Parameters:
  ///   - old: The theme before the edit.
  ///   - new: The theme after the edit.
  /// - Returns: The theme, or `new` if the edit replaced its theme by one with other layers.
  func adding(editFrom old: Theme, to new: Theme) -> Theme {
    guard new.layers.count == old.layers.count else { return new }
    var theme = self
    theme.own.add(editFrom: old.own, to: new.own)
    return theme
  }

  /// Merges the lowest matching layers, half the maximum count, with those below them.
  private static func merge(
    _ layers: [ThemeLayer],
    where mayBeMerged: (ThemeLayer) -> Bool
  ) -> [ThemeLayer] {
    var left = maximumLayerCount / 2
    return layers.dropFirst().reduce(into: [layers[0]]) { merged, layer in
      if left > 0, mayBeMerged(layer) {
        merged[merged.count - 1].merge(layer)
        left -= 1
      } else {
        merged.append(layer)
      }
    }
  }

  /// Merges the entries of all layers.
  ///
  /// - Complexity: O(*n*) in the number of entries; O(1) for one layer.
  func flattened() -> [AnyThemeKey: ThemeLayer.Entry] {
    layers.dropFirst().reduce(into: layers[0].entries) { $0.merge($1.entries) { $1 } }
  }

  /// Returns the entry of the uppermost layer that has one for a key, and the name of that layer.
  ///
  /// - Complexity: O(*d*) for *d* layers.
  func entry(for key: AnyThemeKey) -> (entry: ThemeLayer.Entry, layer: String)? {
    for index in layers.indices.reversed() {
      let layer = layers[index]
      guard let entry = layer.entries[key] else { continue }
      return (entry, layer.name ?? "\(name(below: index)), scoped")
    }
    return nil
  }

  /// Reads a key, following aliases.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - visit: Called before an alias is followed, with the alias, its target, and the name of the
  ///     layer that contains it.
  /// - Returns: The value, which is the default of `key` if its aliases form a cycle; the cycle begins at the
  ///   target that was visited last.
  /// - Complexity: O(*d* · (*a* + 1)) for *d* layers and *a* aliases on the path.
  func read(
    _ key: AnyThemeKey,
    visit: (_ alias: AnyThemeKey, _ target: AnyThemeKey, _ layer: String) -> Void = { _, _, _ in }
  ) -> any AnyThemeValue {
    var current = key
    var seen: Set<AnyThemeKey> = []
    while let (entry, layer) = entry(for: current) {
      switch entry {
      case .value(let value): return value
      case .alias(let target):
        guard seen.insert(current).inserted else { return key.boxedDefault }
        visit(current, target, layer)
        current = target
      }
    }
    return current.boxedDefault
  }
}
