/// What a computed value can depend on with exact order: a property or another computed value.
internal protocol DependencySource: AnyObject {
  /// How many computed values stand between it and a property, at most.
  var height: Int { get }
  /// The computed values that depend on it.
  var dependentNodes: [ComputedNode] { get }
  /// Adds a computed value that depends on it.
  func insertDependent(_ node: ComputedNode)
  /// Removes one that dies.
  func removeDependent(_ identity: ObjectIdentifier)
}

extension Observed: DependencySource {
  internal var height: Int { 0 }
  internal var dependentNodes: [ComputedNode] { observers?.dependents.all ?? [] }
  internal func insertDependent(_ node: ComputedNode) { neededObservers().dependents.insert(node) }
  internal func removeDependent(_ identity: ObjectIdentifier) {
    observers?.dependents.remove(identity)
  }
}
