/// The computed values that depend on a value, in the order they were made.
///
/// They are not kept: each takes itself out when it dies.
internal struct Dependents {
  private struct Reference {
    unowned let node: ComputedNode
  }

  private var list = TicketList<Reference>()
  private var tickets: [ObjectIdentifier: TicketList<Reference>.Ticket] = [:]

  /// Whether nothing depends on the value.
  internal var isEmpty: Bool { list.count == 0 }

  /// The computed values, oldest first.
  internal var all: [ComputedNode] { list.elements.map(\.node) }

  /// Adds a computed value; once is enough.
  internal mutating func insert(_ node: ComputedNode) {
    let identity = ObjectIdentifier(node)
    if tickets[identity] == nil { tickets[identity] = list.append(Reference(node: node)) }
  }

  /// Removes a computed value that dies.
  internal mutating func remove(_ identity: ObjectIdentifier) {
    if let ticket = tickets.removeValue(forKey: identity) { _ = list.remove(ticket) }
  }

  /// Lets every value that depends on the value, also through others, be computed anew when it is read.
  internal func invalidate() {
    guard !isEmpty else { return }
    list.forEach { $0.node.invalidate() }
  }

  /// Tells the observers of all that depends on the value what has changed, nearest first.
  internal func settle() {
    guard !isEmpty else { return }
    let nodes = all
    if nodes.count == 1, nodes[0].dependents.isEmpty { return nodes[0].settle() }
    ComputedNode.settle(from: nodes)
  }
}
