/// Layers of themes, one over the other, and what reading a key finds in them.
///
/// Aliases bind late: an alias names a key and not a value, and is followed in the whole stack,
/// whichever layer it stands in. Laying a new value over the key moves everything that points at it.
internal struct ThemeStack: Sendable {
  /// Where reading a key came to its end.
  internal enum Outcome {
    /// A layer has a value.
    case value(any AnyThemeValue, layer: String)
    /// No layer says anything about the key the walk came to.
    case byDefault
    /// The aliases lead in a circle.
    case cycle
  }

  /// The layers, the lowest first; the last one is the theme's own, and is always there.
  private var layers: [ThemeLayer]

  /// The stack of a theme that stands on nothing.
  internal init(name: String) { layers = [ThemeLayer(name: name)] }

  /// The stack of a theme that stands on nothing, with what it says itself.
  internal init(_ own: ThemeLayer) { layers = [own] }

  /// The theme's own layer, on top.
  internal var own: ThemeLayer {
    get { layers[layers.count - 1] }
    _modify { yield &layers[layers.count - 1] }
  }

  /// The name of the layer below the theme's own.
  internal var baseName: String? { layers.dropLast().last?.name }

  /// This stack with another layer laid over it.
  internal func adding(_ layer: ThemeLayer) -> ThemeStack {
    var stack = self
    stack.layers.append(layer)
    return stack
  }

  /// What the uppermost layer that mentions a key says about it.
  ///
  /// - Complexity: O(*d*) for *d* layers.
  internal func entry(for key: ThemeKeys) -> (entry: ThemeLayer.Entry, layer: String)? {
    for layer in layers.reversed() {
      if let entry = layer[key] { return (entry, layer.name) }
    }
    return nil
  }

  /// Reads a key, following aliases.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - visit: Called for each alias, before it is followed: the key that is one, what it stands
  ///     for, and the layer that says so.
  /// - Returns: The end of the walk, and the key it was found under.
  /// - Complexity: O(*d* · (*a* + 1)) for *d* layers and *a* aliases on the way.
  internal func read(
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

  /// Lays the layers over one another.
  ///
  /// - Complexity: O(*n*) in the number of entries; O(1) for one layer.
  internal func flattened() -> ThemeLayer {
    layers.dropFirst().reduce(into: layers[0]) { below, layer in below.merge(layer) }
  }
}
