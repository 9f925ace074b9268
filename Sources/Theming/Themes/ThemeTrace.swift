/// The steps that lead from a key to its value in a theme.
///
/// ```
/// color.accent → color.brand (Night)
/// color.brand = #ff783c (Ember)
/// ```
public struct ThemeTrace: Hashable, Sendable {
  /// One step from a key towards its value.
  public struct Step: Hashable, Sendable {
    /// The result of looking up a key.
    public enum Finding: Hashable, Sendable {
      /// The key is an alias of the key with this name, which is the next step.
      case alias(of: String)
      /// The key has this value.
      case value(String)
      /// The key occurred before: the aliases form a cycle, and the requested key reads its own
      /// default, which is this.
      case cycle(default: String)
    }

    /// The name of the key.
    public let key: String

    /// The name of the theme that contains the entry, or `nil` for the default of the key.
    public let theme: String?

    /// The result of looking up the key.
    public let finding: Finding
  }

  /// The steps in order, at least one.
  public let steps: [Step]
}

extension ThemeTrace: CustomStringConvertible {
  /// The steps, one line each.
  public var description: String { steps.map(\.description).joined(separator: "\n") }
}

extension ThemeTrace.Step: CustomStringConvertible {
  /// The step in one line, with the name of its theme in parentheses.
  public var description: String {
    switch finding {
    case .alias(let target): "\(key) → \(target) (\(theme ?? "default"))"
    case .value(let value): "\(key) = \(value) (\(theme ?? "default"))"
    case .cycle(let value): "\(key) again: the aliases form a cycle; \(value) is the default"
    }
  }
}

extension Theme {
  /// Explains the value of a key: one step for each alias, and one for the value.
  ///
  /// For a theme that was derived more than 31 times, entries of distant ancestors are reported
  /// under the name of the nearest ancestor they were merged with.
  ///
  /// - Parameter key: The key.
  /// - Returns: The steps. Values are formatted as `String(describing:)` formats them.
  /// - Complexity: O(*d* · *s*) for *s* steps, where *d* is the number of layers.
  public func explain<Value>(_ key: ThemeKey<Value>) -> ThemeTrace {
    var steps: [ThemeTrace.Step] = []
    let (box, layer, end, isCycle) = read(key) { alias, target, layer in
      steps.append(
        ThemeTrace.Step(key: alias.name, theme: layer, finding: .alias(of: target.name))
      )
    }
    let value = "\(key.value(in: box))"
    let finding = isCycle ? ThemeTrace.Step.Finding.cycle(default: value) : .value(value)
    steps.append(ThemeTrace.Step(key: end.name, theme: layer, finding: finding))
    return ThemeTrace(steps: steps)
  }
}
