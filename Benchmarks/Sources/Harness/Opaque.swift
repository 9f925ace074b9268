/// The same value, but the optimiser no longer knows which.
@inline(never)
public func opaque<Value>(_ value: Value) -> Value {
  value
}

/// Takes a value as if it mattered, so that what made it is not optimised away.
@inline(never)
public func consume(_ value: Int) {
  withExtendedLifetime(value) {}
}
