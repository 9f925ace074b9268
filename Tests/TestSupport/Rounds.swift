/// The number of rounds of a test that repeats itself: fewer where each round takes longer.
///
/// - Parameters:
///   - optimized: The number in optimized builds, where the promise is proved.
///   - debug: The number in debug builds.
///   - sanitized: The number under ThreadSanitizer, which needs one overlap rather than many.
/// - Returns: The number for this build.
public func rounds(_ optimized: Int, debug: Int, sanitized: Int) -> Int {
  #if TSAN
  sanitized
  #elseif DEBUG
  debug
  #else
  optimized
  #endif
}
