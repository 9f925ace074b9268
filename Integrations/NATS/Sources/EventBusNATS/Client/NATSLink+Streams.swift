/// The management of streams and consumers. Their messages are sent and received like others.
extension NATSLink {
  func prepareStream(
    _ stream: String,
    subjects: [String],
    replicas: Int,
    limits: StreamLimits,
    within limit: Duration
  ) async throws(LinkFailure) {
    if let problem = Subject.problem(stream, of: "stream") { throw .invalid(problem) }
    try await manage(stream, within: limit) { calls throws(LinkFailure) in
      try calls.prepare(stream, subjects, replicas, limits)
    }
  }

  func hasStream(
    _ stream: String,
    within limit: Duration
  ) async throws(LinkFailure) -> Bool {
    try await manage(stream, within: limit) { calls throws(LinkFailure) in try calls.exists(stream)
    }
  }

  func prepareConsumer(
    _ request: ConsumerRequest,
    within limit: Duration
  ) async throws(LinkFailure) -> Consumer {
    if let problem = Subject.problem(request.stream, of: "stream") { throw .invalid(problem) }
    if let problem = Subject.problem(request.name, of: "consumer") { throw .invalid(problem) }
    return try await manage(request.stream, within: limit) { calls throws(LinkFailure) in
      try calls.prepare(request)
    }
  }

  func recent(
    _ stream: String,
    subject: String,
    upTo last: UInt64,
    count: Int,
    within limit: Duration
  ) async throws(LinkFailure) -> [LinkMessage] {
    try await manage(stream, within: limit) { calls throws(LinkFailure) in
      try calls.recent(stream, subject, upTo: last, count: count)
    }
  }

  private func manage<Answer: Sendable>(
    _ stream: String,
    within limit: Duration,
    _ body: @escaping @Sendable (StreamCalls) throws(LinkFailure) -> Answer
  ) async throws(LinkFailure) -> Answer {
    let deadline = ContinuousClock.now + limit
    let denials = denialCount
    return try await request { link in
      guard let client = link.connection else { return .failure(link.present(.disconnected)) }
      let calls = StreamCalls(
        link: link,
        client: client,
        deadline: deadline,
        stream: stream,
        denials: denials
      )
      do throws(LinkFailure) {
        return .success(try body(calls))
      } catch {
        let denial = link.denial(about: stream, after: denials)
        return .failure(denial.map { .notAuthorized($0.text) } ?? link.present(error))
      }
    }
  }
}
