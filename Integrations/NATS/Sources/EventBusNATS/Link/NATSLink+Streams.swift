internal import CNATS

#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif

/// The management of streams and consumers; the messages themselves are ordinary ones.
extension NATSLink {
  func prepareStream(
    _ stream: String,
    subjects: [String],
    replicas: Int,
    within limit: Duration
  ) async throws(LinkFailure) {
    if let problem = Subject.problem(stream, of: "stream") { throw .invalid(problem) }
    try await manage(stream, within: limit) { calls throws(LinkFailure) in
      try calls.prepare(stream, subjects, replicas)
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
      unsafe link.withHandles { connection, streams in
        // Reason: alive during the call.
        let calls = unsafe StreamCalls(link, connection, streams, deadline, stream, denials)
        do throws(LinkFailure) {
          return .success(try body(calls))
        } catch {
          if link.isClosed { return .failure(.closed) }
          let denial = link.denial(about: stream, after: denials)
          return .failure(denial.map { .notAuthorized($0.text) } ?? error)
        }
      }
    }
  }
}

/// The calls of the client that manage streams and consumers, until a deadline.
@safe
private struct StreamCalls {
  private let link: NATSLink
  private let connection: OpaquePointer
  private let streams: OpaquePointer
  private let deadline: ContinuousClock.Instant
  private let stream: String
  /// How many denials there were before the first call.
  private let denials: Int

  init(
    _ link: NATSLink,
    _ connection: OpaquePointer,
    _ streams: OpaquePointer,
    _ deadline: ContinuousClock.Instant,
    _ stream: String,
    _ denials: Int
  ) {
    (self.link, self.deadline, self.stream, self.denials) = (link, deadline, stream, denials)
    unsafe (self.connection, self.streams) = (connection, streams)  // Reason: alive with the link.
  }

  // Reason for the rest of the file: the client copies its arguments; its results are freed here.

  /// The milliseconds that are left.
  private func timeLeft() throws(LinkFailure) -> Int64 {
    if link.isClosed { throw .closed }
    let left = deadline - .now
    guard left > .zero else { throw .disconnected }
    return left.milliseconds
  }

  /// Makes a call, again until it is answered or no time is left.
  ///
  /// The server does not answer what it forbids: after each second, the reason may be known. Every call can be
  /// made twice.
  private func call(
    _ body: (UnsafeMutablePointer<jsOptions>) -> natsStatus
  ) throws(LinkFailure) -> natsStatus {
    while true {
      var options = unsafe jsOptions()
      unsafe jsOptions_Init(&options)
      let left = try timeLeft()
      unsafe options.Wait = min(1000, left)
      let status = unsafe body(&options)
      if status != NATS_TIMEOUT || left <= 1000 { return status }
      if let denial = link.denial(about: stream, after: denials) {
        throw .notAuthorized(denial.text)
      }
    }
  }

  func prepare(_ name: String, _ subjects: [String], _ replicas: Int) throws(LinkFailure) {
    while true {
      var known: UnsafeMutablePointer<jsStreamInfo>?
      var code = jsErrCode(0)
      var status = try unsafe call { unsafe js_GetStreamInfo(&known, streams, name, $0, &code) }
      if status == NATS_NOT_FOUND {
        status = try create(name, subjects, replicas)
        // In a cluster, the stream may not have a leader yet, and would take nothing.
        if status == NATS_OK { continue }
      } else if status == NATS_OK, let known = unsafe known {
        defer { unsafe jsStreamInfo_Destroy(known) }
        status = try unsafe extend(known, subjects)
        if status == NATS_OK, unsafe !hasLeader(known) {
          nats_Sleep(20)
          continue
        }
      }
      if status == NATS_OK { return }
      // Two nodes may prepare the same stream at the same time: the loser looks again.
      guard case .other = NATSLink.failure(status) else { throw NATSLink.failure(status) }
      nats_Sleep(10)
    }
  }

  /// Whether a stream takes messages: one server that is alone has no cluster, and leads.
  private func hasLeader(_ info: UnsafeMutablePointer<jsStreamInfo>) -> Bool {
    guard let cluster = unsafe info.pointee.Cluster else { return true }
    return unsafe cluster.pointee.Leader.map { unsafe $0.pointee != 0 } ?? false
  }

  private func create(
    _ name: String,
    _ subjects: [String],
    _ replicas: Int
  ) throws(LinkFailure) -> natsStatus {
    try unsafe call { options in
      unsafe Self.withStrings([name] + subjects) { strings in
        var config = unsafe jsStreamConfig()
        unsafe jsStreamConfig_Init(&config)
        unsafe config.Name = strings[0]
        unsafe config.Storage = js_FileStorage
        unsafe config.Replicas = Int64(replicas)
        unsafe config.Duplicates = 120_000_000_000
        var list = unsafe Array(strings.dropFirst())
        return unsafe list.withUnsafeMutableBufferPointer { list in
          unsafe config.Subjects = list.baseAddress
          unsafe config.SubjectsLen = Int32(list.count)
          var code = jsErrCode(0)
          return unsafe js_AddStream(nil, streams, &config, options, &code)
        }
      }
    }
  }

  /// Adds the subjects that a stream does not store yet.
  private func extend(
    _ info: UnsafeMutablePointer<jsStreamInfo>,
    _ subjects: [String]
  ) throws(LinkFailure) -> natsStatus {
    guard let config = unsafe info.pointee.Config else { return NATS_ERR }
    let former = unsafe (0..<Int(config.pointee.SubjectsLen)).compactMap { index in
      unsafe config.pointee.Subjects[index].map { unsafe String(cString: $0) }
    }
    let missing = subjects.filter { subject in
      !former.contains { SubjectPattern.matches(subject, pattern: $0) }
    }
    if missing.isEmpty { return NATS_OK }
    return try unsafe call { options in
      unsafe Self.withStrings(former + missing) { strings in
        var changed = unsafe config.pointee
        var list = unsafe strings
        return unsafe list.withUnsafeMutableBufferPointer { list in
          unsafe changed.Subjects = list.baseAddress
          unsafe changed.SubjectsLen = Int32(list.count)
          var code = jsErrCode(0)
          return unsafe js_UpdateStream(nil, streams, &changed, options, &code)
        }
      }
    }
  }

  func prepare(_ request: ConsumerRequest) throws(LinkFailure) -> Consumer {
    var status = NATS_OK
    for attempt in 0..<3 {
      var known: UnsafeMutablePointer<jsConsumerInfo>?
      var code = jsErrCode(0)
      status = try unsafe call {
        unsafe js_GetConsumerInfo(&known, streams, request.stream, request.name, $0, &code)
      }
      if status == NATS_OK, let known = unsafe known {
        defer { unsafe jsConsumerInfo_Destroy(known) }
        return try unsafe consumer(known, request, isNew: attempt > 0)
      }
      guard status == NATS_NOT_FOUND else { throw NATSLink.failure(status) }
      status = try create(request)
      if case .closed = NATSLink.failure(status) { throw .closed }
    }
    throw NATSLink.failure(status)
  }

  private func consumer(
    _ known: UnsafeMutablePointer<jsConsumerInfo>,
    _ request: ConsumerRequest,
    isNew: Bool
  ) throws(LinkFailure) -> Consumer {
    let title = "The consumer \(request.name) of the stream \(request.stream)"
    guard let config = unsafe known.pointee.Config,
      let subject = unsafe config.pointee.DeliverSubject,
      let group = unsafe config.pointee.DeliverGroup
    else {
      throw .invalid("\(title) exists, and does not push to a group: use another name")
    }
    let filter = unsafe config.pointee.FilterSubject.map { unsafe String(cString: $0) } ?? ""
    guard filter == request.subject else {
      throw .invalid(
        "\(title) gets the events of \"\(filter)\", not those of \"\(request.subject)\": "
          + "use another name, or delete it"
      )
    }
    let timeout = unsafe config.pointee.AckWait
    return unsafe Consumer(
      deliverySubject: String(cString: subject),
      group: String(cString: group),
      floor: known.pointee.AckFloor.Stream,
      isNew: isNew,
      answerTimeout: timeout > 0 ? .nanoseconds(timeout) : request.answerTimeout
    )
  }

  private func create(_ request: ConsumerRequest) throws(LinkFailure) -> natsStatus {
    var start: UInt64?
    if let history = request.history {
      let last = try lastSequence(request.stream)
      let found = try recentSequences(
        request.stream,
        request.subject,
        upTo: last,
        count: history
      )
      start = found.first ?? last + 1
    }
    let delivery = "_EVENTBUS.\(request.stream).\(Subject.encode(request.name))"
    let texts = [request.name, delivery, request.subject]
    return try unsafe call { options in
      unsafe Self.withStrings(texts) { strings in
        var config = unsafe jsConsumerConfig()
        unsafe jsConsumerConfig_Init(&config)
        unsafe config.Durable = strings[0]
        unsafe config.DeliverSubject = strings[1]
        unsafe config.DeliverGroup = strings[0]
        unsafe config.FilterSubject = strings[2]
        unsafe config.AckPolicy = js_AckExplicit
        unsafe config.AckWait = request.answerTimeout.nanoseconds
        unsafe config.MaxAckPending = Int64(request.window)
        if let kept = request.keptFor { unsafe config.InactiveThreshold = kept.nanoseconds }
        if let start {
          unsafe config.DeliverPolicy = js_DeliverByStartSequence
          unsafe config.OptStartSeq = start
        } else {
          unsafe config.DeliverPolicy = js_DeliverAll
        }
        var code = jsErrCode(0)
        return unsafe js_AddConsumer(nil, streams, request.stream, &config, options, &code)
      }
    }
  }

  private func lastSequence(_ name: String) throws(LinkFailure) -> UInt64 {
    var known: UnsafeMutablePointer<jsStreamInfo>?
    var code = jsErrCode(0)
    let status = try unsafe call { unsafe js_GetStreamInfo(&known, streams, name, $0, &code) }
    guard status == NATS_OK, let known = unsafe known else { throw NATSLink.failure(status) }
    defer { unsafe jsStreamInfo_Destroy(known) }
    return unsafe known.pointee.State.LastSeq
  }

  func recent(
    _ name: String,
    _ subject: String,
    upTo last: UInt64,
    count: Int
  ) throws(LinkFailure) -> [LinkMessage] {
    var messages: [LinkMessage] = []
    for sequence in try recentSequences(name, subject, upTo: last, count: count) {
      if let message = try message(name, sequence) { messages.append(message.message()) }
    }
    return messages
  }

  /// The numbers of the last messages of a subject, the oldest first.
  ///
  /// The server finds no message backwards. The search looks at a window before the end, and at one twice as
  /// large until there are enough; of each, it asks for one message after the other.
  private func recentSequences(
    _ stream: String,
    _ subject: String,
    upTo last: UInt64,
    count: Int
  ) throws(LinkFailure) -> [UInt64] {
    guard count > 0, last > 0 else { return [] }
    var found: [UInt64] = []
    var end = last
    var window = UInt64(count)
    while found.count < count, end > 0 {
      let start = end > window ? end - window + 1 : 1
      var inside: [UInt64] = []
      var next = start
      while next <= end, let sequence = try nextSequence(stream, subject, from: next),
        sequence <= end
      {
        inside.append(sequence)
        next = sequence + 1
      }
      found = inside + found
      end = start - 1
      window *= 2
    }
    return found.suffix(count)
  }

  /// The number of the first message of a subject from a number on; `nil` if the server says that there is none.
  private func nextSequence(
    _ stream: String,
    _ subject: String,
    from first: UInt64
  ) throws(LinkFailure) -> UInt64? {
    struct Answer: Decodable {
      struct Message: Decodable { let seq: UInt64 }
      struct Refusal: Decodable {
        let code: Int
        let description: String?
      }
      let message: Message?
      let error: Refusal?
    }
    // An encoded subject needs no escapes in JSON.
    let request = "{\"seq\": \(first), \"next_by_subj\": \"\(subject)\"}"
    var made: OpaquePointer?
    let api = "$JS.API.STREAM.MSG.GET.\(stream)"
    let left = try timeLeft()
    let status = unsafe natsConnection_RequestString(&made, connection, api, request, left)
    guard status == NATS_OK, let made = unsafe made else { throw NATSLink.failure(status) }
    let payload = unsafe ArrivedMessage(handle: made).message().payload
    let answer: Answer
    do {
      answer = try JSONDecoder().decode(Answer.self, from: Data(payload))
    } catch {
      throw .other("The server's answer about \(stream) cannot be read: \(error)")
    }
    if let refusal = answer.error {
      if refusal.code == 404 { return nil }
      throw .other("The server did not look into \(stream): \(refusal.description ?? "refused")")
    }
    return answer.message?.seq
  }

  /// A message; `nil` if the server says that there is none any more.
  private func message(_ stream: String, _ sequence: UInt64) throws(LinkFailure) -> ArrivedMessage?
  {
    var made: OpaquePointer?
    var code = jsErrCode(0)
    let status = try unsafe call { unsafe js_GetMsg(&made, streams, stream, sequence, $0, &code) }
    if status == NATS_NOT_FOUND { return nil }
    guard status == NATS_OK, let made = unsafe made else { throw NATSLink.failure(status) }
    return unsafe ArrivedMessage(handle: made)
  }

  /// Calls a closure with C strings.
  private static func withStrings<Result>(
    _ texts: [String],
    _ body: ([UnsafePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = unsafe texts.map { text in
      let bytes = Array(text.utf8CString)
      let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: bytes.count)
      _ = unsafe copy.initialize(from: bytes)
      return unsafe copy
    }
    defer { unsafe copies.forEach { unsafe $0.deallocate() } }
    return unsafe body(copies.map { unsafe UnsafePointer($0.baseAddress) })
  }
}

/// Patterns of subjects, with `*` for one token and `>` for all that follow.
package enum SubjectPattern {
  /// Whether a pattern covers a subject.
  package static func matches(_ subject: String, pattern: String) -> Bool {
    let tokens = subject.split(separator: ".", omittingEmptySubsequences: false)
    let wanted = pattern.split(separator: ".", omittingEmptySubsequences: false)
    for (index, token) in wanted.enumerated() {
      if token == ">" { return tokens.count > index }
      guard index < tokens.count, token == "*" || token == tokens[index] else { return false }
    }
    return tokens.count == wanted.count
  }
}
