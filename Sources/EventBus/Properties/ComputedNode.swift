/// A computed value as its sources know it: something that may be out of date, at a height.
internal class ComputedNode {
  /// One more than the greatest height among its sources; properties have none.
  internal let height: Int
  /// Whether a source has changed since the value was computed.
  ///
  /// Then everything that depends on it is out of date as well.
  internal final var isDirty = true
  /// What depends on this one.
  internal final var dependents = Dependents()
  private final var isGathered = false

  internal init(height: Int) { self.height = height }

  /// Tells the observers if the value is another one than they were told.
  internal func settle() {}

  /// Takes note that a source has changed.
  ///
  /// - Complexity: O(*n*) in the number of dependents that were up to date.
  internal final func invalidate() {
    guard !isDirty else { return }
    isDirty = true
    dependents.invalidate()
  }

  /// Settles values and all that depends on them, by height, each once.
  internal static func settle(from nodes: [ComputedNode]) {
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
      gather(found[next].dependents.all)
      next += 1
    }
    for node in found {
      node.isGathered = false
      while levels.count <= node.height { levels.append([]) }
      levels[node.height].append(node)
    }
    // From here on handlers run, which may settle other values, or these.
    for node in levels.joined() { node.settle() }
  }
}
