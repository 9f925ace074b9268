/// An event whose payload type is not known at compile time.
public struct AnyEvent: Sendable {
  /// The string of the event's name, or the label of a signal without a name.
  public let name: String
  /// The payload.
  public let payload: any Sendable
  /// The identity of the sender, which is not retained.
  public let sender: ObjectIdentifier?
  /// The source site of the post.
  public let site: SourceSite

  package init(
    name: String,
    payload: any Sendable,
    sender: ObjectIdentifier? = nil,
    site: SourceSite
  ) {
    self.name = name
    self.payload = payload
    self.sender = sender
    self.site = site
  }
}
