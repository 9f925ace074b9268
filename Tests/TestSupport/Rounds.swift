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

/// The size of a test that tries many cases: smaller than the promise needs, unless the environment asks for the whole.
///
/// `FULL_SIZE=1 swift test` runs every test at full size, as the nightly checks do.
///
/// - Parameters:
///   - usual: The size that shows a fault in the rule.
///   - full: The size that exhausts the cases, or the memory of a leak.
/// - Returns: The size for this run.
public func size(_ usual: Int, full: Int) -> Int { isFullSize ? full : usual }

/// A Boolean value that indicates whether tests run at full size.
public let isFullSize = unsafe getenv("FULL_SIZE") != nil  // Reason: only compared.
