extension BridgeCore {
  /// Makes sure that a stream exists and stores an event.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - event: The event.
  ///   - isKnown: Whether it existed before, so that its absence is reported.
  /// - Throws: The failure of the link.
  func prepareStream(
    _ stream: String,
    for event: String,
    isKnown: Bool = false
  ) async throws(LinkFailure) {
    if let problem = Subject.problem(stream, of: "stream") { throw .invalid(problem) }
    if isKnown, try await !link.hasStream(stream, within: configuration.requestTimeout) {
      let words = "the stream \(stream) was deleted; it is made again"
      tally.report(BridgeReport(.deleted, event, words))
    }
    try await link.prepareStream(
      stream,
      subjects: [
        Subject.event(event, prefix: prefix), Subject.deadLetters(event, prefix: prefix),
      ],
      replicas: configuration.replicas,
      limits: configuration.streamLimits,
      within: configuration.requestTimeout
    )
  }
}
