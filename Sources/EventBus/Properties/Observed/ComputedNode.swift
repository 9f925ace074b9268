public import Synchronization

/// A computed value as a node of the dependency graph.
@usableFromInline
class ComputedNode {
  /// One more than the greatest height of the sources, where properties have height zero.
  final let height: Int
  /// A Boolean value that indicates whether a source has changed since the last computation.
  ///
  /// If a node is dirty, its dependents are dirty too.
  @inlinable final var isDirty: Bool {
    get { dirty.load(ordering: .relaxed) }
    set { dirty.store(newValue, ordering: .relaxed) }
  }
  /// Atomic for the same reason as the flags of ``PropertyObservers``.
  @usableFromInline final let dirty = Atomic<Bool>(true)
  /// The computed values that depend on this one.
  final var dependents = NumberedList<ComputedNode>()
  private final var isGathered = false

  init(height: Int) { self.height = height }

  /// Notifies the observers if the value differs from the one they know.
  @usableFromInline
  func settle() {}

  /// Marks the value and its dependents as dirty.
  ///
  /// - Complexity: O(*n*) in the number of dependents that were not dirty.
  final func invalidate() {
    guard !isDirty else { return }
    isDirty = true
    dependents.invalidate()
  }

  /// Settles nodes and their direct and indirect dependents, each once, in order of height.
  static func settle(from nodes: [ComputedNode]) {
    var levels: [[ComputedNode]] = []
    var found: [ComputedNode] = []
    func gather(_ nodes: [ComputedNode]) {
      for node in nodes where !node.isGathered {
        node.isGathered = true
        found.append(node)
      }
    }
    gather(nodes)
    var next = 0
    while next < found.count {
      gather(found[next].dependents.elements)
      next += 1
    }
    for node in found {
      node.isGathered = false
      while levels.count <= node.height { levels.append([]) }
      levels[node.height].append(node)
    }
    // Handlers run from here on and may settle other nodes, or these.
    for node in levels.joined() { node.settle() }
  }
}

/// A source of the dependency graph: a property or a computed value.
protocol DependencySource: AnyObject {
  /// The maximum number of computed values on a path to a property, including this source.
  var height: Int { get }
  /// Adds a computed value that depends on the source, and returns its number.
  ///
  /// It is retained, and retains the source in turn. ``Computed``, which is not part of the cycle, breaks it
  /// when it is deinitialized.
  func addDependent(_ node: ComputedNode) -> UInt
  /// Removes the computed value with a number.
  func removeDependent(_ number: UInt)
}

extension Observed: DependencySource {
  var height: Int { 0 }
  func addDependent(_ node: ComputedNode) -> UInt { neededObservers().dependents.append(node) }
  func removeDependent(_ number: UInt) { _ = observers?.dependents.remove(number: number) }
}

extension NumberedList where Element == ComputedNode {
  /// Marks all direct and indirect dependents as dirty.
  @usableFromInline
  func invalidate() {
    if count > 0 { forEach { $0.invalidate() } }
  }

  /// Notifies the observers of all direct and indirect dependents, in order of height.
  @usableFromInline
  func settle() {
    guard count > 0 else { return }
    if count == 1, let node = slots.first(where: { $0.element != nil })?.element,
      node.dependents.count == 0
    {
      return node.settle()
    }
    ComputedNode.settle(from: elements)
  }
}

@available(*, unavailable)
extension ComputedNode: Sendable {}
