/// An object that holds what waits for one handler, and finishes as soon as its registration ends.
package protocol Finishable: AnyObject, Sendable {
  /// Finishes the object. Further calls do nothing.
  func finish()

  /// The content, for reports; `nil` if the events wait in a mailbox.
  var content: QueueContent? { get }
}
