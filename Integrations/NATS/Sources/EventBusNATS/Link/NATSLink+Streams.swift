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
    replicas: Int
  ) async throws(LinkFailure) {
    try await request { link in
      unsafe link.withHandles { _, streams in
        unsafe Self.prepare(streams, stream, subjects, replicas)  // Reason: alive during the call.
      }
    }
  }

  func prepareConsumer(_ request: ConsumerRequest) async throws(LinkFailure) -> Consumer {
    try await self.request { link in
      unsafe link.withHandles { connection, streams in
        unsafe Self.prepare(connection, streams, request)  // Reason: alive during the call.
      }
    }
  }

  func recent(
    _ stream: String,
    subject: String,
    upTo last: UInt64,
    count: Int
  ) async throws(LinkFailure) -> [LinkMessage] {
    try await request { link in
      unsafe link.withHandles { connection, streams in
        // Reason: alive during the call.
        unsafe Self.recent(connection, streams, stream, subject, upTo: last, count: count)
      }
    }
  }

  // Reason for the rest of the file: the client copies its arguments; its results are freed here.

  private static func prepare(
    _ streams: OpaquePointer,
    _ name: String,
    _ subjects: [String],
    _ replicas: Int
  ) -> Result<Void, LinkFailure> {
    // Two nodes may prepare the same stream at the same time.
    var status = NATS_OK
    for _ in 0..<20 {
      var known: UnsafeMutablePointer<jsStreamInfo>?
      var code = jsErrCode(0)
      status = unsafe js_GetStreamInfo(&known, streams, name, nil, &code)
      if status == NATS_NOT_FOUND {
        status = unsafe create(streams, name, subjects, replicas)
      } else if status == NATS_OK, let known = unsafe known {
        defer { unsafe jsStreamInfo_Destroy(known) }
        status = unsafe extend(streams, known, subjects)
      }
      if status == NATS_OK { return .success(()) }
    }
    return .failure(failure(status))
  }

  private static func create(
    _ streams: OpaquePointer,
    _ name: String,
    _ subjects: [String],
    _ replicas: Int
  ) -> natsStatus {
    unsafe withStrings([name] + subjects) { strings in
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
        return unsafe js_AddStream(nil, streams, &config, nil, &code)
      }
    }
  }

  /// Adds the subjects that a stream does not store yet.
  private static func extend(
    _ streams: OpaquePointer,
    _ info: UnsafeMutablePointer<jsStreamInfo>,
    _ subjects: [String]
  ) -> natsStatus {
    guard let config = unsafe info.pointee.Config else { return NATS_ERR }
    let former = unsafe (0..<Int(config.pointee.SubjectsLen)).compactMap { index in
      unsafe config.pointee.Subjects[index].map { unsafe String(cString: $0) }
    }
    let missing = subjects.filter { subject in
      !former.contains { SubjectPattern.matches(subject, pattern: $0) }
    }
    if missing.isEmpty { return NATS_OK }
    return unsafe withStrings(former + missing) { strings in
      var changed = unsafe config.pointee
      var list = unsafe strings
      return unsafe list.withUnsafeMutableBufferPointer { list in
        unsafe changed.Subjects = list.baseAddress
        unsafe changed.SubjectsLen = Int32(list.count)
        var code = jsErrCode(0)
        return unsafe js_UpdateStream(nil, streams, &changed, nil, &code)
      }
    }
  }

  private static func prepare(
    _ connection: OpaquePointer,
    _ streams: OpaquePointer,
    _ request: ConsumerRequest
  ) -> Result<Consumer, LinkFailure> {
    var status = NATS_OK
    for attempt in 0..<3 {
      var known: UnsafeMutablePointer<jsConsumerInfo>?
      var code = jsErrCode(0)
      status = unsafe js_GetConsumerInfo(&known, streams, request.stream, request.name, nil, &code)
      if status == NATS_OK, let known = unsafe known {
        defer { unsafe jsConsumerInfo_Destroy(known) }
        guard let config = unsafe known.pointee.Config,
          let subject = unsafe config.pointee.DeliverSubject,
          let group = unsafe config.pointee.DeliverGroup
        else {
          let words = "the consumer \(request.name) exists, and does not push to a group"
          return .failure(.other(words))
        }
        return unsafe .success(
          Consumer(
            deliverySubject: String(cString: subject),
            group: String(cString: group),
            floor: known.pointee.AckFloor.Stream,
            isNew: attempt > 0
          )
        )
      }
      guard status == NATS_NOT_FOUND else { return .failure(failure(status)) }
      status = unsafe create(connection, streams, request)
    }
    return .failure(failure(status))
  }

  private static func create(
    _ connection: OpaquePointer,
    _ streams: OpaquePointer,
    _ request: ConsumerRequest
  ) -> natsStatus {
    var start: UInt64?
    if let history = request.history {
      guard case .success(let last) = unsafe lastSequence(streams, request.stream) else {
        return NATS_ERR
      }
      let found = unsafe recentSequences(
        connection,
        request.stream,
        request.subject,
        upTo: last,
        count: history
      )
      start = found.first ?? last + 1
    }
    let delivery = "_EVENTBUS.\(request.stream).\(Subject.encode(request.name))"
    let texts = [request.name, delivery, request.subject]
    return unsafe withStrings(texts) { strings in
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
      return unsafe js_AddConsumer(nil, streams, request.stream, &config, nil, &code)
    }
  }

  private static func lastSequence(
    _ streams: OpaquePointer,
    _ name: String
  ) -> Result<UInt64, LinkFailure> {
    var known: UnsafeMutablePointer<jsStreamInfo>?
    var code = jsErrCode(0)
    let status = unsafe js_GetStreamInfo(&known, streams, name, nil, &code)
    guard status == NATS_OK, let known = unsafe known else { return .failure(failure(status)) }
    defer { unsafe jsStreamInfo_Destroy(known) }
    return unsafe .success(known.pointee.State.LastSeq)
  }

  private static func recent(
    _ connection: OpaquePointer,
    _ streams: OpaquePointer,
    _ name: String,
    _ subject: String,
    upTo last: UInt64,
    count: Int
  ) -> Result<[LinkMessage], LinkFailure> {
    let sequences = unsafe recentSequences(connection, name, subject, upTo: last, count: count)
    var messages: [LinkMessage] = []
    for sequence in sequences {
      if let message = unsafe message(streams, name, sequence)?.message() {
        messages.append(message)
      }
    }
    return .success(messages)
  }

  /// The numbers of the last messages of a subject, the oldest first.
  ///
  /// The server finds no message backwards. The search looks at a window before the end, and at one twice as
  /// large until there are enough; of each, it asks for one message after the other.
  private static func recentSequences(
    _ connection: OpaquePointer,
    _ stream: String,
    _ subject: String,
    upTo last: UInt64,
    count: Int
  ) -> [UInt64] {
    guard count > 0, last > 0 else { return [] }
    var found: [UInt64] = []
    var end = last
    var window = UInt64(count)
    while found.count < count, end > 0 {
      let start = end > window ? end - window + 1 : 1
      var inside: [UInt64] = []
      var next = start
      while next <= end,
        let sequence = unsafe nextSequence(connection, stream, subject, from: next), sequence <= end
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

  /// The number of the first message of a subject from a number on.
  private static func nextSequence(
    _ connection: OpaquePointer,
    _ stream: String,
    _ subject: String,
    from first: UInt64
  ) -> UInt64? {
    struct Answer: Decodable {
      struct Message: Decodable { let seq: UInt64 }
      let message: Message?
    }
    // An encoded subject needs no escapes in JSON.
    let request = "{\"seq\": \(first), \"next_by_subj\": \"\(subject)\"}"
    var made: OpaquePointer?
    let api = "$JS.API.STREAM.MSG.GET.\(stream)"
    let status = unsafe natsConnection_RequestString(&made, connection, api, request, 5000)
    guard status == NATS_OK, let made = unsafe made else { return nil }
    let answer = unsafe ArrivedMessage(handle: made).message()
    // Reason for `try?`: an answer that cannot be read holds no message.
    let decoded = try? JSONDecoder().decode(Answer.self, from: Data(answer.payload))
    return decoded?.message?.seq
  }

  private static func message(
    _ streams: OpaquePointer,
    _ stream: String,
    _ sequence: UInt64
  ) -> ArrivedMessage? {
    var made: OpaquePointer?
    var code = jsErrCode(0)
    let status = unsafe js_GetMsg(&made, streams, stream, sequence, nil, &code)
    guard status == NATS_OK, let made = unsafe made else { return nil }
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
