internal import CNATS

/// The calls of the client that manage streams and consumers, until a deadline.
@safe
struct StreamCalls {
  let link: NATSLink
  let client: ClientConnection
  let deadline: ContinuousClock.Instant
  let stream: String
  /// The number of denials before the first call.
  let denials: Int

  // Reason for all: the client copies its arguments; its results are freed here.

  var connection: OpaquePointer { unsafe client.handle }
  var streams: OpaquePointer { unsafe client.streams }

  /// The remaining time in milliseconds.
  func timeLeft() throws(LinkFailure) -> Int64 {
    if link.isClosed { throw .closed }
    let left = deadline - .now
    guard left > .zero else { throw .disconnected }
    return left.milliseconds
  }

  /// The outcome of a call.
  struct Outcome {
    let status: natsStatus
    /// The code of the server's refusal; zero if it did not refuse.
    let code: Int
    /// The failure, with the words of the server.
    let failure: LinkFailure
    var isDone: Bool { status == NATS_OK }
  }

  /// Makes a call, and repeats it until the server answers or no time is left.
  ///
  /// The server does not answer a forbidden call: after each second, the denial may have arrived. Every call can
  /// be made twice.
  func call(
    _ body: (UnsafeMutablePointer<jsOptions>, UnsafeMutablePointer<jsErrCode>) -> natsStatus
  ) throws(LinkFailure) -> Outcome {
    while true {
      var options = unsafe jsOptions()
      unsafe jsOptions_Init(&options)
      let left = try timeLeft()
      unsafe options.Wait = min(1000, left)
      var code = jsErrCode(0)
      let status = unsafe body(&options, &code)
      if status != NATS_TIMEOUT || left <= 1000 {
        let number = Int(code.rawValue)
        let failure = failure(status, number, NATSLink.lastWords)
        return Outcome(status: status, code: number, failure: failure)
      }
      if let denial = link.denial(about: stream, after: denials) {
        throw .notAuthorized(denial.text)
      }
    }
  }

  /// The failure of a call that the server has refused with a code and words, or of another one.
  func failure(_ status: natsStatus, _ code: Int, _ words: String) -> LinkFailure {
    if status == NATS_NO_RESPONDERS, link.options.api != NATSConnection.Configuration().api {
      return .rejected(
        "nothing answers requests to \(link.options.api): check the domain, the prefix of the API, "
          + "and the leaf node"
      )
    }
    if status == NATS_OK || code == 0 { return NATSLink.failure(status) }
    let text = "\(stream): \(words.isEmpty ? NATSLink.text(status) : words) (\(code))"
    switch code {
    case 10039, 10076: return .rejected(NATSLink.noStreams)
    // Resources, and the elections and moves of a cluster, which may end.
    case 10002, 10004, 10005, 10007, 10008, 10009, 10023, 10028, 10041, 10047, 10048, 10077, 10118,
      10119, 10124:
      return .other(text)
    case 10074: return .rejected("\(text): use replicas = 1, or a cluster of servers")
    case 10065:
      return .rejected("\(text): name the stream that has the subject, or set another prefix")
    default: return .rejected("\(text): check the name, the limits and the subjects of the stream")
    }
  }

  /// Makes sure that a stream exists and stores subjects.
  func prepare(
    _ name: String,
    _ subjects: [String],
    _ replicas: Int,
    _ limits: StreamLimits
  ) throws(LinkFailure) {
    var pause: Int64 = 10
    var races = 0
    while true {
      var known: UnsafeMutablePointer<jsStreamInfo>?
      var outcome = try unsafe call { unsafe js_GetStreamInfo(&known, streams, name, $0, $1) }
      if outcome.status == NATS_NOT_FOUND {
        outcome = try create(name, subjects, replicas, limits)
        // In a cluster, the stream may not have a leader yet, and would accept nothing.
        if outcome.isDone { continue }
      } else if outcome.isDone, let known = unsafe known {
        defer { unsafe jsStreamInfo_Destroy(known) }
        outcome = try unsafe extend(known, subjects) ?? outcome
        if outcome.isDone, unsafe !hasLeader(known) {
          nats_Sleep(pause)
          pause = min(500, pause * 2)
          continue
        }
      }
      if outcome.isDone { return }
      // Two nodes may prepare the same stream at the same time: the loser looks again.
      races += 1
      guard races < 5, Self.races.contains(outcome.code) else { throw outcome.failure }
      nats_Sleep(pause)
      pause = min(500, pause * 2)
    }
  }

  /// Whether a stream exists.
  func exists(_ name: String) throws(LinkFailure) -> Bool {
    var known: UnsafeMutablePointer<jsStreamInfo>?
    let outcome = try unsafe call { unsafe js_GetStreamInfo(&known, streams, name, $0, $1) }
    if let known = unsafe known { unsafe jsStreamInfo_Destroy(known) }
    if outcome.status == NATS_NOT_FOUND { return false }
    guard outcome.isDone else { throw outcome.failure }
    return true
  }

  /// The codes of refusals after which another look may find a stream: it exists, or does not exist any more.
  private static let races: Set<Int> = [10058, 10059, 10069, 10056]

  /// Whether a stream accepts messages: a server outside a cluster always leads.
  private func hasLeader(_ info: UnsafeMutablePointer<jsStreamInfo>) -> Bool {
    guard let cluster = unsafe info.pointee.Cluster else { return true }
    return unsafe cluster.pointee.Leader.map { unsafe $0.pointee != 0 } ?? false
  }

  private func create(
    _ name: String,
    _ subjects: [String],
    _ replicas: Int,
    _ limits: StreamLimits
  ) throws(LinkFailure) -> Outcome {
    try unsafe call { options, code in
      unsafe ([name] + subjects).withCStrings { strings in
        var config = unsafe jsStreamConfig()
        unsafe jsStreamConfig_Init(&config)
        unsafe config.Name = strings[0]
        unsafe config.Storage = js_FileStorage
        unsafe config.Replicas = Int64(replicas)
        if let age = limits.age { unsafe config.MaxAge = age.nanoseconds }
        if let size = limits.size { unsafe config.MaxBytes = Int64(size) }
        unsafe config.Discard = limits.discards == .oldest ? js_DiscardOld : js_DiscardNew
        // The server accepts no time that is longer than the age.
        unsafe config.Duplicates = min(.seconds(120), limits.age ?? .seconds(120)).nanoseconds
        var list = unsafe Array(strings.dropFirst())
        return unsafe list.withUnsafeMutableBufferPointer { list in
          unsafe config.Subjects = list.baseAddress
          unsafe config.SubjectsLen = Int32(list.count)
          return unsafe js_AddStream(nil, streams, &config, options, code)
        }
      }
    }
  }

  /// Adds the subjects that a stream does not store yet.
  ///
  /// - Returns: The outcome; `nil` if it stores all of them.
  private func extend(
    _ info: UnsafeMutablePointer<jsStreamInfo>,
    _ subjects: [String]
  ) throws(LinkFailure) -> Outcome? {
    guard let config = unsafe info.pointee.Config else { throw NATSLink.failure(NATS_ERR) }
    let former = unsafe (0..<Int(config.pointee.SubjectsLen)).compactMap { index in
      unsafe config.pointee.Subjects[index].map { unsafe String(cString: $0) }
    }
    let missing = subjects.filter { subject in
      !former.contains { SubjectPattern.matches(subject, pattern: $0) }
    }
    if missing.isEmpty { return nil }
    return try unsafe call { options, code in
      unsafe (former + missing).withCStrings { strings in
        var changed = unsafe config.pointee
        var list = unsafe strings
        return unsafe list.withUnsafeMutableBufferPointer { list in
          unsafe changed.Subjects = list.baseAddress
          unsafe changed.SubjectsLen = Int32(list.count)
          return unsafe js_UpdateStream(nil, streams, &changed, options, code)
        }
      }
    }
  }
}
