extension Change {
  /// The same change of another value.
  internal func map<Other>(_ transform: (Value) -> Other) -> Change<Other> {
    let (old, new) = (transform(old), transform(new))
    return switch kind {
    case .initial: Change<Other>(.initial, old: old, new: new)
    case .prior: Change<Other>(.prior, old: old, new: new)
    case .set: Change<Other>(.set, old: old, new: new)
    }
  }
}
