public import EventBus

extension EventNames {
  /// An event with a number.
  public static let number = EventName<Int>("sample.number")
  /// Another event with a number.
  public static let other = EventName<Int>("sample.other")
  /// An event with a text.
  public static let text = EventName<String>("sample.text")
  /// An event that is kept for later observers.
  public static let kept = EventName<Int>("sample.kept", replay: 1)
}

/// An error of a test.
public struct SampleError: Error, Equatable, CustomStringConvertible {
  /// The text of the error.
  public let description: String

  /// Creates an error.
  public init(_ description: String = "sample error") { self.description = description }
}
