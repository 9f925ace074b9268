/// Returns the same value, hidden from the optimizer.
@inline(never)
public func opaque<Value>(_ value: Value) -> Value {
  value
}

/// Consumes a value, so that the code that created it is not optimized away.
@inline(never)
public func consume(_ value: Int) {
  withExtendedLifetime(value) {}
}
