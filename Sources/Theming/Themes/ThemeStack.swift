/// Layers of themes, one over the other, and what reading a key finds in them.
///
/// Aliases bind late: an alias names a key and not a value, and is followed in the whole stack,
/// whichever layer it stands in. Laying a new value over the key moves everything that points at it.
struct ThemeStack: Sendable {
  /// Where reading a key came to its end.
  enum Outcome {
    /// A layer has a value.
    case value(any AnyThemeValue, layer: String)
    /// No layer says anything about the key the walk came to.
    case byDefault
    /// The aliases lead in a circle.
    case cycle
  }

  /// The greatest number of layers.
  static let maximumCount = 32

  /// The layers, the lowest first; the last one is the theme's own, and is always there.
  private var layers: [ThemeLayer]

  /// The stack of a theme that stands on nothing, with what it says itself.
  init(_ own: ThemeLayer) { layers = [own] }

  /// The theme's own layer, on top.
  var own: ThemeLayer {
    get { layers[layers.count - 1] }
    _modify { yield &layers[layers.count - 1] }
  }

  /// The number of layers.
  var count: Int { layers.count }

  /// The name that the uppermost layer with a name sets.
  var name: String { name(below: layers.endIndex) }

  /// The appearance that the uppermost layer with one sets; the lowest layer always has one.
  var appearance: Appearance {
    layers.last { $0.appearance != nil }?.appearance ?? .dark
  }

  /// The name of the theme below the theme's own layer.
  var baseName: String? { layers.count > 1 ? name(below: layers.count - 1) : nil }

  /// The changes that a scope makes, where this is its theme.
  ///
  /// They are the layers from the scope's own upwards. Without one, a whole theme was put in the
  /// place of the scope's, and all of it is the change.
  ///
  /// - Parameter scope: The number of the scope.
  /// - Returns: The changes.
  func changes(ofScope scope: UInt?) -> ThemeLayer {
    let start = layers.lastIndex { $0.scope == scope } ?? layers.startIndex
    return layers[start...].reduce(into: ThemeLayer(scope: scope)) { $0.merge($1) }
  }

  /// This stack with another layer laid over it.
  ///
  /// Where there would be more than ``maximumCount`` layers, 16 of the lower ones are merged with
  /// those below them, under the name of the uppermost: so deriving in a loop takes a fixed number of
  /// layers. The layer of a scope is merged with what lies below it only where all the others are of
  /// scopes, too.
  ///
  /// - Complexity: O(*d*) for *d* layers. Where layers are merged, which happens at most once in 16
  ///   times, O(*n*) in the number of their entries.
  func adding(_ layer: ThemeLayer) -> ThemeStack {
    var stack = self
    if stack.layers.count == Self.maximumCount {
      stack.merge { $0.scope == nil }
      if stack.layers.count == Self.maximumCount { stack.merge { _ in true } }
    }
    stack.layers.append(layer)
    return stack
  }

  /// Merges the lowest layers of some kind, half as many as there may be, with those below them.
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

  /// What the uppermost layer that mentions a key says about it.
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
  ///   - visit: Called for each alias, before it is followed: the key that is one, what it stands
  ///     for, and the layer that says so.
  /// - Returns: The end of the walk, and the key it was found under.
  /// - Complexity: O(*d* · (*a* + 1)) for *d* layers and *a* aliases on the way.
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

  /// The name that the layers below a place give, which is never missing: the lowest has one.
  private func name(below place: Int) -> String {
    layers[..<place].last { $0.name != nil }?.name ?? ""
  }

  /// Lays the layers over one another.
  ///
  /// - Complexity: O(*n*) in the number of entries; O(1) for one layer.
  func flattened() -> ThemeLayer {
    layers.dropFirst().reduce(into: layers[0]) { below, layer in below.merge(layer) }
  }
}
