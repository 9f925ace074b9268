/// Which views were handed something: it counts calls that really came.
@MainActor
final class Ledger {
  private var views: Set<ObjectIdentifier> = []
  private var properties: [String] = []

  /// Notes that a property of a view was set.
  func note(_ view: AnyObject, _ property: String) {
    views.insert(ObjectIdentifier(view))
    properties.append(property)
  }

  /// How many views were called since this was last asked, and the properties that were set.
  func take() -> (views: Int, properties: [String]) {
    defer { (views, properties) = ([], []) }
    return (views.count, properties)
  }
}
