public import Synchronization

/// A computed value as a node of the dependency graph.
///
/// Chains of computed values may have any length, so nothing here descends from node to node by calls that nest.
@usableFromInline
class ComputedNode {
  /// The height up to which a value is computed inside the computation that reads it.
  ///
  /// Above, the sources are computed first. Below, that would only take time.
  @usableFromInline static var nestingLimit: Int { 8 }

  /// One more than the greatest height of the sources, where properties have height zero.
  @usableFromInline final let height: Int
  /// True if a source has changed since the last computation.
  ///
  /// If a node is dirty, so are its dependents.
  @inlinable final var isDirty: Bool {
    get { dirty.load(ordering: .relaxed) }
    set { dirty.store(newValue, ordering: .relaxed) }
  }
  /// Atomic, because a relaxed load compiles to a plain one, without the exclusivity check of a stored property.
  @usableFromInline final let dirty = Atomic<Bool>(true)
  /// The computed values that depend on this one.
  final var dependents = NumberedList<ComputedNode>()
  /// The sources, each once, with the number of this node among their dependents.
  private final var sources: [(source: any DependencySource, number: UInt)] = []
  private final var isGathered = false
  /// While nodes are being marked as dirty: the next one whose dependents have not been marked.
  private final var next: ComputedNode?

  /// Creates a node among the dependents of its sources.
  init(_ sources: [any DependencySource]) {
    height = 1 + (sources.lazy.map { $0.node?.height ?? 0 }.max() ?? 0)
    for source in sources where !self.sources.contains(where: { $0.source === source }) {
      self.sources.append((source, source.addDependent(self)))
    }
  }

  /// Notifies the observers if the value differs from the one they know.
  @usableFromInline
  func settle() {}

  /// Computes the value if it is dirty.
  func refresh() {}

  /// Computes the values among the direct and indirect sources that are dirty, each after its own sources.
  @usableFromInline
  final func computeSources() {
    func dirty(_ node: ComputedNode) -> [ComputedNode] {
      node.sources.compactMap { $0.source.node }.filter { $0.isDirty }
    }
    // The computation that is about to begin looks here once more, and then finds nothing to do.
    guard sources.contains(where: { $0.source.node?.isDirty == true }) else { return }
    var path = dirty(self).map { (node: $0, isReady: false) }
    while let (node, isReady) = path.popLast() {
      if isReady || node.height <= Self.nestingLimit {
        node.refresh()
      } else if node.isDirty {
        path.append((node, true))
        path += dirty(node).map { ($0, false) }
      }
    }
  }

  /// Leaves the dependents of the sources.
  ///
  /// - Returns: The sources, for ``release(_:)``.
  final func leaveSources() -> [AnyObject] {
    let former = sources
    sources = []
    for (source, number) in former { source.removeDependent(number) }
    return former.map(\.source)
  }

  /// The sources that a thread has yet to release.
  private final class Pile {
    var sources: [AnyObject] = []
  }

  /// The address of the calling thread's pile, or zero.
  private static let pile = ThreadNumber()

  /// Releases the sources of a value that has ended.
  ///
  /// A source that ends with it comes here as well, and leaves its own sources to the call that is already running on the
  /// thread: the releases of a chain do not nest.
  ///
  /// - Parameter sources: The sources, which the call removes, so that the caller does not keep them beyond
  ///   the call.
  static func release(_ sources: inout [AnyObject]) {
    let known = UInt(bitPattern: pile.value)
    if let outer = ObjectAddress.object(known, as: Pile.self) {
      outer.sources += sources
      sources = []
      return
    }
    let own = Pile()
    swap(&own.sources, &sources)
    withExtendedLifetime(own) {
      pile.value = Int(bitPattern: ObjectAddress.of(own))
      while let source = own.sources.popLast() { withExtendedLifetime(source) {} }
      pile.value = 0
    }
  }

  /// Marks the value and its dependents as dirty.
  ///
  /// - Complexity: O(*n*) in the number of dependents that were not dirty.
  final func invalidate() {
    var first: ComputedNode?
    mark(before: &first)
    Self.markDependents(of: first)
  }

  /// Marks all direct and indirect dependents of a node, and of those that are linked to it, as dirty.
  fileprivate static func markDependents(of first: ComputedNode?) {
    var first = first
    while let node = first {
      first = node.next.take()
      node.dependents.forEach { $0.mark(before: &first) }
    }
  }

  /// Marks the value as dirty, and links the node in front of others whose dependents have not been marked.
  fileprivate final func mark(before first: inout ComputedNode?) {
    guard !isDirty else { return }
    isDirty = true
    guard dependents.count > 0 else { return }
    next = first
    first = self
  }

  /// Settles nodes and their direct and indirect dependents, each once, in order of height.
  static func settle(from nodes: [ComputedNode]) {
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
    for node in found { node.isGathered = false }
    // The sort is stable. Handlers run from here on and may settle other nodes, or these.
    for node in found.ordered(by: { $0.height < $1.height }) { node.settle() }
  }
}

/// A source of the dependency graph: a property or a computed value.
protocol DependencySource: AnyObject {
  /// The source as a node of the graph; `nil` for a property.
  var node: ComputedNode? { get }
  /// Adds a computed value that depends on the source, and returns its number.
  ///
  /// It is retained, and retains the source in turn. ``Computed``, which is not part of the cycle, breaks it
  /// when it is deinitialized.
  func addDependent(_ node: ComputedNode) -> UInt
  /// Removes the computed value with a number.
  func removeDependent(_ number: UInt)
}

extension Observed: DependencySource {
  var node: ComputedNode? { nil }
  func addDependent(_ node: ComputedNode) -> UInt { neededObservers().dependents.append(node) }
  func removeDependent(_ number: UInt) { _ = observers?.dependents.remove(number: number) }
}

extension NumberedList where Element == ComputedNode {
  /// Marks all direct and indirect dependents as dirty.
  @usableFromInline
  func invalidate() {
    guard count > 0 else { return }
    var first: ComputedNode?
    forEach { $0.mark(before: &first) }
    ComputedNode.markDependents(of: first)
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
