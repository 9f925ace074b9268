/// Where an event came from, for observers that need to know more than its payload.
package struct Delivery: Sendable {
  /// The file of the post.
  package let fileID: StaticString
  /// The line of the post.
  package let line: UInt
  /// The sender, by identity only.
  package let sender: ObjectIdentifier?
  /// The actor the poster runs on, where the compiler knew.
  package var isolation: (any Actor)?
  /// The registration the poster does not want to reach.
  package var excluded: TokenIdentity?
  /// Whoever waits until every handler has finished.
  package var completion: Completion?
  /// The sender of an event that has waited, who may have died.
  package var waitedFrom: SenderIdentity?
  /// The number of the post among those of an event that is replayed; zero for others.
  package var number: UInt = 0

  /// Describes one post.
  package init(
    fileID: StaticString,
    line: UInt,
    sender: ObjectIdentifier? = nil,
    isolation: (any Actor)? = nil,
    excluded: TokenIdentity? = nil,
    completion: Completion? = nil
  ) {
    self.fileID = fileID
    self.line = line
    self.sender = sender
    self.isolation = isolation
    self.excluded = excluded
    self.completion = completion
  }

  /// The same for a delivery by somebody else than the poster.
  package var withoutPlace: Delivery {
    var copy = forLater
    copy.completion = completion
    copy.number = number
    return copy
  }

  /// The same without what is of use only while the post is running.
  package var forLater: Delivery { Delivery(fileID: fileID, line: line, sender: sender) }
}

/// Which registration a token stands for.
package struct TokenIdentity: Sendable {
  private let target: ObjectIdentifier
  private let handle: UInt

  /// Names the registration of a target.
  package init(_ target: TokenTarget, handle: UInt) {
    self.target = ObjectIdentifier(target)
    self.handle = handle
  }

  /// Whether an observer of a list is meant.
  package func isMeant(_ observer: AnyObserver, of list: ObserverList) -> Bool {
    if let link = observer.link { return ObjectIdentifier(link) == target }
    return ObjectIdentifier(list) == target && observer.address == handle
  }
}
