/// Watches objects without keeping them.
public final class WeakList<Object: AnyObject & Sendable>: Sendable {
  private struct Reference: Sendable {
    weak let object: Object?
  }

  private let references = Log<Reference>()

  /// Creates a list that watches nothing.
  public init() {}

  /// The number of live objects.
  public var liveCount: Int { references.entries.count { $0.object != nil } }

  /// Watches one more.
  public func append(_ object: Object) { references.append(Reference(object: object)) }
}
