/// What a property has to tell at the end of a batch.
internal struct PropertyEnlistment<Value> {
  /// The value before the first write; `nil` when nobody wanted it.
  internal let old: Value?
}
