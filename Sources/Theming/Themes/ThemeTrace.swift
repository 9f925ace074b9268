/// How a theme comes to the value of a key, step by step.
///
/// ```
/// color.accent → color.brand (Night)
/// color.brand = #ff783c (Ember)
/// ```
public struct ThemeTrace: Hashable, Sendable {
  /// One step on the way from a key to its value.
  public struct Step: Hashable, Sendable {
    /// What was found about a key.
    public enum Finding: Hashable, Sendable {
      /// It is an alias of the key with this name, which is the next step.
      case alias(of: String)
      /// It has this value.
      case value(String)
      /// It was met before: the aliases lead in a circle, and the key that was asked for reads its
      /// own default, which is this.
      case cycle(default: String)
    }

    /// The name of the key.
    public let key: String

    /// The name of the theme that says so, or `nil` for the default of the key.
    public let theme: String?

    /// What was found.
    public let finding: Finding
  }

  /// The steps, at least one, in the order in which they are taken.
  public let steps: [Step]
}

extension ThemeTrace: CustomStringConvertible {
  /// The steps, a line each.
  public var description: String { steps.map(\.description).joined(separator: "\n") }
}

extension ThemeTrace.Step: CustomStringConvertible {
  /// The step in one line, with the theme it comes from in parentheses.
  public var description: String {
    switch finding {
    case .alias(let target): "\(key) → \(target) (\(theme ?? "default"))"
    case .value(let value): "\(key) = \(value) (\(theme ?? "default"))"
    case .cycle(let value): "\(key) again: the aliases lead in a circle; \(value) is the default"
    }
  }
}

extension Theme {
  /// How this theme comes to the value of a key: one line for each alias on the way, and one for the
  /// value.
  ///
  /// A theme that was derived more than 31 times names its near ancestors only: what the far ones
  /// said is reported under the name of the nearest of those that were merged.
  ///
  /// - Parameter key: The key.
  /// - Returns: The steps. Values are written as `String(describing:)` writes them.
  /// - Complexity: O(*d* · *s*) for *s* steps, where *d* is the number of layers.
  public func explain<Value>(_ key: ThemeKey<Value>) -> ThemeTrace {
    var steps: [ThemeTrace.Step] = []
    let (outcome, end) = stack.read(key) { alias, target, layer in
      steps.append(
        ThemeTrace.Step(key: alias.name, theme: layer, finding: .alias(of: target.name))
      )
    }
    let last: (theme: String?, finding: ThemeTrace.Step.Finding) =
      switch outcome {
      case .value(let box, let layer): (layer, .value("\(key.value(in: box))"))
      case .byDefault: (nil, .value("\(key.value(in: end.boxedDefault))"))
      case .cycle: (nil, .cycle(default: "\(key.defaultValue)"))
      }
    steps.append(ThemeTrace.Step(key: end.name, theme: last.theme, finding: last.finding))
    return ThemeTrace(steps: steps)
  }
}
