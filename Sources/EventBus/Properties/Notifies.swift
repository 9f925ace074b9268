/// Who reports the changes of a property.
public enum Notifies: Hashable, Sendable {
  /// The property, on every set.
  case automatically
  /// Its owner, by ``Observed/notifyChange(from:)``: sets store silently.
  ///
  /// For keys that change together, or whose owner knows better when a change is complete.
  case manually
}
