/// A global actor that is not the main actor.
@globalActor
public actor SampleActor {
  /// The actor.
  public static let shared = SampleActor()
}
