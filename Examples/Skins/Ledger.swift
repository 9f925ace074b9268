/// Counts the views whose properties were set.
@MainActor
final class Ledger {
  private var views: Set<ObjectIdentifier> = []
  private var properties: [String] = []

  /// Records that a property of a view was set.
  func note(_ view: AnyObject, _ property: String) {
    views.insert(ObjectIdentifier(view))
    properties.append(property)
  }

  /// Returns and resets the views called, and the properties set.
  func take() -> (views: Set<ObjectIdentifier>, properties: [String]) {
    defer { (views, properties) = ([], []) }
    return (views, properties)
  }
}
