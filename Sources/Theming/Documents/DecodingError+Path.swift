extension DecodingError {
  /// The same error, with the way to the value where the decoder lost it.
  ///
  /// Decoders do: one that finds a number that does not fit may say so without a path.
  ///
  /// - Parameter path: The way to the value that was being read.
  /// - Returns: The error, with this path if its own is shorter.
  internal func located(at path: [any CodingKey]) -> DecodingError {
    func located(_ context: Context) -> Context {
      guard context.codingPath.count < path.count else { return context }
      return Context(
        codingPath: path,
        debugDescription: context.debugDescription,
        underlyingError: context.underlyingError
      )
    }
    return switch self {
    case .typeMismatch(let type, let context): .typeMismatch(type, located(context))
    case .valueNotFound(let type, let context): .valueNotFound(type, located(context))
    case .keyNotFound(let key, let context): .keyNotFound(key, located(context))
    case .dataCorrupted(let context): .dataCorrupted(located(context))
    @unknown default: self
    }
  }
}
