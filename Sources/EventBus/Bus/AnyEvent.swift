/// An event whose payload type is not known at compile time.
public struct AnyEvent: Sendable {
  /// The name's string, or the label of a signal without a name.
  public let name: String
  /// What the event carries.
  public let payload: any Sendable
  /// The identity of the sender, which is not kept alive.
  public let sender: ObjectIdentifier?
  /// Where the event was posted.
  public let site: SourceSite

  /// Makes an event.
  public init(
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
