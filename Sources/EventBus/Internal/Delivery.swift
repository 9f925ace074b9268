/// Where an event came from, for observers that need to know more than its payload.
package struct Delivery: Sendable {
  /// The file of the post.
  package let fileID: StaticString
  /// The line of the post.
  package let line: UInt
  /// The sender, by identity only.
  package var sender: ObjectIdentifier?
  /// The actor the poster runs on, where the compiler knew.
  package var isolation: (any Actor)?

  /// Describes one post.
  package init(
    fileID: StaticString,
    line: UInt,
    sender: ObjectIdentifier? = nil,
    isolation: (any Actor)? = nil
  ) {
    self.fileID = fileID
    self.line = line
    self.sender = sender
    self.isolation = isolation
  }
}
