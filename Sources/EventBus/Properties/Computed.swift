/// A value that follows from others and can be observed like them.
///
/// ```swift
/// let summary = Computed(account.$owner, account.$balance) { owner, balance in
///   "\(owner) has \(balance)"
/// }
/// summary.observe(owner: screen) { screen, change in screen.text = change.new }
/// ```
///
/// It is computed when it is read after a change, and, if it is observed, once after each change of its
/// sources; its observers are told when it differs. However many ways lead from a property to the value,
/// one change of the property gives at most one change of the value, and whoever reads it, in any
/// observer, gets the value for the sources as they are.
///
/// The observers of a property come before those of the values computed from it, and values computed
/// from properties before values computed from those. A source must exist first, so there are no cycles.
///
/// It keeps its sources, not the other way round: somebody has to keep the value itself, as a property is
/// kept by its object. When it dies its observers are told nothing more and their tokens become inert.
///
/// ## Thread safety
///
/// As with ``Observed``: not `Sendable`, it belongs to the isolation domain of its sources.
public final class Computed<Value: Equatable>: ObservableValue {
  private let core: ComputedCore<Value>

  /// Creates a value from its sources.
  ///
  /// - Parameters:
  ///   - source: What it is computed from: properties, other computed values.
  ///   - compute: Computes the value. It should use nothing but what it is given, and must not read the
  ///     value itself or set a source.
  ///   - fileID: Where the value is written; filled in by the compiler.
  ///   - line: Its line.
  public init<each Source: ObservableValue>(
    _ source: repeat each Source,
    from compute: @escaping (repeat (each Source).Value) -> Value,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    core = ComputedCore(
      PackFormula(repeat each source, body: compute),
      PropertyPlace(fileID: fileID, line: line)
    )
  }

  deinit { core.close() }

  /// The value for the sources as they are now.
  ///
  /// - Complexity: O(1) unless a source has changed since.
  public var value: Value { core.value }

  /// Calls a handler for every change, for as long as its owner lives.
  ///
  /// - Parameters:
  ///   - owner: The object whose life the registration shares.
  ///   - id: A name for the registration: another one of the same owner with the same name replaces it.
  ///   - options: What is wanted besides the changes. With ``ObserveOptions/prior`` it is told before the
  ///     other observers; the sources have changed by then.
  ///   - body: Called with the owner and the change.
  /// - Returns: The token, which may be dropped: the registration stays. Cancelling it ends it early.
  /// - Complexity: Amortized O(1), and the computation.
  @discardableResult
  public func observe<O: AnyObject>(
    owner: O,
    id: AnyHashable? = nil,
    options: ObserveOptions = [],
    _ body: @escaping (O, Change<Value>) -> Void
  ) -> Token {
    core.register { $0.register(owner: owner, id: id, options, value: $1, isBehind: $2, body) }
  }

  /// Calls a handler for every change, for as long as the token is kept.
  ///
  /// - Parameters:
  ///   - options: What is wanted besides the changes.
  ///   - body: Called with the change.
  /// - Returns: The token. Dropping it ends the registration.
  /// - Complexity: Amortized O(1), and the computation.
  public func observe(
    options: ObserveOptions = [],
    _ body: @escaping (Change<Value>) -> Void
  ) -> Token {
    core.register { $0.register(options, value: $1, isBehind: $2, body) }
  }

  /// Ends every registration of an owner.
  ///
  /// - Parameter owner: The owner, as it was passed at the registrations.
  /// - Complexity: O(*n*) in the number of registrations.
  public func unobserve<O: AnyObject>(owner: O) { core.unobserve(owner: owner) }
}

extension Computed: DependencySource {
  var height: Int { core.height }
  var dependentNodes: [ComputedNode] { core.dependents.all }
  func insertDependent(_ node: ComputedNode) { core.dependents.insert(node) }
  func removeDependent(_ identity: ObjectIdentifier) { core.dependents.remove(identity) }
}

@available(*, unavailable)
extension Computed: Sendable {}

/// How a value is computed, and from what.
class ComputedFormula<Value> {
  /// Computes the value from what the sources are now.
  func compute() -> Value {
    trap("a formula has no way to compute", remedy: "Override compute()")
  }

  /// The sources, of whatever types.
  var sources: [any ObservableValue] { [] }
}

/// A formula over a pack of sources.
///
/// It keeps the sources in a tuple: a closure that captures a parameter pack does not compile.
final class PackFormula<Value, each Source: ObservableValue>: ComputedFormula<Value> {
  private let pack: (repeat each Source)
  private let body: (repeat (each Source).Value) -> Value

  init(
    _ source: repeat each Source,
    body: @escaping (repeat (each Source).Value) -> Value
  ) {
    pack = (repeat each source)
    self.body = body
  }

  override func compute() -> Value { body(repeat (each pack).value) }

  override var sources: [any ObservableValue] {
    var all: [any ObservableValue] = []
    for source in repeat each pack { all.append(source) }
    return all
  }
}
