/// The same value, but the optimizer no longer knows which.
@inline(never)
public func opaque<Value>(_ value: Value) -> Value {
  value
}

/// Takes a value as if it mattered, so that what made it is not optimized away.
@inline(never)
public func consume(_ value: Int) {
  withExtendedLifetime(value) {}
}
