/// The layers of a theme.
///
/// Aliases bind late: an alias refers to a key, not to a value, and is followed through the whole
/// stack, whichever layer contains it. Setting a key in an upper layer affects all its aliases.
struct ThemeStack: Sendable {
  /// The result of reading a key.
  enum Outcome {
    /// The value that a layer sets.
    case value(any AnyThemeValue, layer: String)
    /// No layer has an entry for the last key.
    case byDefault
    /// The aliases form a cycle.
    case cycle
  }

  static let maximumCount = 32

  /// The layers, the lowest first; the last one is the theme's own.
  ///
  /// Never empty.
  private var layers: [ThemeLayer]

  init(_ own: ThemeLayer) { layers = [own] }

  /// The theme's own layer, on top.
  var own: ThemeLayer {
    get { layers[layers.count - 1] }
    _modify { yield &layers[layers.count - 1] }
  }

  var count: Int { layers.count }

  /// The name in the uppermost layer that has one.
  var name: String { name(below: layers.endIndex) }

  /// The appearance in the uppermost layer that has one; the lowest layer always has one.
  var appearance: Appearance {
    layers.last { $0.appearance != nil }?.appearance ?? .dark
  }

  /// The name of the theme below the theme's own layer.
  var baseName: String? { layers.count > 1 ? name(below: layers.count - 1) : nil }

  /// Merges the layers from that of a scope upwards.
  ///
  /// If a whole theme replaced the theme of the scope, so that the scope has no layer, the result
  /// merges all layers.
  ///
  /// - Parameter scope: The number of the scope.
  /// - Returns: The overrides of the scope, where this is its theme.
  func changes(ofScope scope: UInt?) -> ThemeLayer {
    let start = layers.lastIndex { $0.scope == scope } ?? layers.startIndex
    return layers[start...].reduce(into: ThemeLayer(scope: scope)) { $0.merge($1) }
  }

  /// Returns this stack with another layer on top.
  ///
  /// If there would be more than ``maximumCount`` layers, 16 of the lower ones are merged with
  /// those below them, under the name of the uppermost, so that deriving in a loop uses a bounded
  /// number of layers. The layer of a scope is merged only if all other layers belong to scopes,
  /// too.
  ///
  /// - Complexity: O(*d*) for *d* layers; O(*n*) in the number of their entries if layers are
  ///   merged, which happens at most once in 16 times.
  func adding(_ layer: ThemeLayer) -> ThemeStack {
    var stack = self
    if stack.layers.count == Self.maximumCount {
      stack.merge { $0.scope == nil }
      if stack.layers.count == Self.maximumCount { stack.merge { _ in true } }
    }
    stack.layers.append(layer)
    return stack
  }

  /// Merges the lowest matching layers, half the maximum count, with those below them.
  private mutating func merge(where mayBeMerged: (ThemeLayer) -> Bool) {
    var left = Self.maximumCount / 2
    var merged = [layers[0]]
    for layer in layers.dropFirst() {
      if left > 0, mayBeMerged(layer) {
        merged[merged.count - 1].merge(layer)
        left -= 1
      } else {
        merged.append(layer)
      }
    }
    layers = merged
  }

  /// Returns the entry of the uppermost layer that has one for a key.
  ///
  /// - Complexity: O(*d*) for *d* layers.
  func entry(for key: ThemeKeys) -> (entry: ThemeLayer.Entry, layer: String)? {
    for (place, layer) in layers.enumerated().reversed() {
      guard let entry = layer[key] else { continue }
      return (entry, layer.name ?? "\(name(below: place)), scoped")
    }
    return nil
  }

  /// Reads a key, following aliases.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - visit: Called before an alias is followed, with the alias, its target, and the name of the
  ///     layer that contains it.
  /// - Returns: The result, and the last key on the path.
  /// - Complexity: O(*d* · (*a* + 1)) for *d* layers and *a* aliases on the path.
  func read(
    _ key: ThemeKeys,
    visit: (_ alias: ThemeKeys, _ target: ThemeKeys, _ layer: String) -> Void = { _, _, _ in }
  ) -> (outcome: Outcome, key: ThemeKeys) {
    var current = key
    var seen: Set<ThemeKeys> = []
    while let (entry, layer) = entry(for: current) {
      switch entry {
      case .value(let value): return (.value(value, layer: layer), current)
      case .alias(let target):
        guard seen.insert(current).inserted else { return (.cycle, current) }
        visit(current, target, layer)
        current = target
      }
    }
    return (.byDefault, current)
  }

  /// Returns the name in the layers below an index; the lowest layer always has one.
  private func name(below place: Int) -> String {
    layers[..<place].last { $0.name != nil }?.name ?? ""
  }

  /// Merges all layers into one.
  ///
  /// - Complexity: O(*n*) in the number of entries; O(1) for one layer.
  func flattened() -> ThemeLayer {
    layers.dropFirst().reduce(into: layers[0]) { below, layer in below.merge(layer) }
  }
}
