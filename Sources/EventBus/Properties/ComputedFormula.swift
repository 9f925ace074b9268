/// How a value is computed, and from what.
internal class ComputedFormula<Value> {
  /// Computes the value from what the sources are now.
  internal func compute() -> Value {
    Misuse.trap("a formula has no way to compute", remedy: "Override compute()")
  }

  /// The sources, of whatever types.
  internal var sources: [any ObservableValue] { [] }
}

/// A formula over a pack of sources.
///
/// It keeps the sources in a tuple: a closure that captures a parameter pack does not compile.
internal final class PackFormula<Value, each Source: ObservableValue>: ComputedFormula<Value> {
  private let pack: (repeat each Source)
  private let body: (repeat (each Source).Value) -> Value

  internal init(
    _ source: repeat each Source,
    body: @escaping (repeat (each Source).Value) -> Value
  ) {
    pack = (repeat each source)
    self.body = body
  }

  override internal func compute() -> Value { body(repeat (each pack).value) }

  override internal var sources: [any ObservableValue] {
    var all: [any ObservableValue] = []
    for source in repeat each pack { all.append(source) }
    return all
  }
}
