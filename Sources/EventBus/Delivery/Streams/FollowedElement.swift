/// The delivery of an element to a stream, if hooks follow its post, as the buffer sees it.
@usableFromInline
package class FollowedElement: @unchecked Sendable {  // Reason: stateless.
  /// Creates a delivery.
  package init() {}

  /// Reports that a consumer takes the element.
  @usableFromInline
  package func take() {}

  /// Reports what became of an element that no consumer takes, once.
  @usableFromInline
  package func end(_ reception: Reception) {}
}
