/// The name of an event and the type of what it carries.
///
/// Two names with the same string and the same payload type are the same event, wherever they were made;
/// the same string with another payload type is another event. A name is a constant: it is interned when
/// it is made and stays for the life of the process. For events of single objects use a ``Signal``.
///
/// ## Thread safety
///
/// Names may be made and used on any thread.
public final class EventName<Payload: Sendable>: EventNames,
  @unchecked Sendable  // Reason: constant.
{
  /// The string the name was made with.
  public let rawValue: String
  internal let interned: InternedName

  /// Makes, or finds, a name.
  ///
  /// An empty string is a mistake of the program and traps.
  ///
  /// - Parameters:
  ///   - rawValue: The string, usually `"subject.didHappen"`.
  ///   - replay: How many of the last payloads a bus keeps for observers that come later. Names that are
  ///     the same event share the largest number.
  /// - Complexity: O(1), one look-up under a lock. Posting never hashes a string.
  public init(_ rawValue: String, replay: Int = 0) {
    if rawValue.isEmpty {
      Misuse.trap(
        "The name of an event is empty",
        remedy: "Give it a string such as \"document.didSave\""
      )
    }
    if replay < 0 {
      Misuse.trap(
        "The event \"\(rawValue)\" asks for a replay of \(replay)",
        remedy: "Use zero or more"
      )
    }
    self.rawValue = rawValue
    interned = InternedName.find(rawValue, payload: Payload.self, replay: replay)
    super.init(index: interned.index)
  }
}

extension EventName: CustomStringConvertible {
  /// The string the name was made with.
  public var description: String { rawValue }
}
