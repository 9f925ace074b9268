internal import CNATS

/// The calls of the client that manage streams and consumers, until a deadline.
@safe
struct StreamCalls {
  let link: NATSLink
  let connection: OpaquePointer
  let streams: OpaquePointer
  let deadline: ContinuousClock.Instant
  let stream: String
  /// The number of denials before the first call.
  let denials: Int

  // Reason for all: the client copies its arguments; its results are freed here.

  /// The remaining time in milliseconds.
  func timeLeft() throws(LinkFailure) -> Int64 {
    if link.isClosed { throw .closed }
    let left = deadline - .now
    guard left > .zero else { throw .disconnected }
    return left.milliseconds
  }

  /// Makes a call, and repeats it until the server answers or no time is left.
  ///
  /// The server does not answer a forbidden call: after each second, the denial may have arrived. Every call can
  /// be made twice.
  func call(
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

  /// Makes sure that a stream exists and stores subjects.
  func prepare(_ name: String, _ subjects: [String], _ replicas: Int) throws(LinkFailure) {
    while true {
      var known: UnsafeMutablePointer<jsStreamInfo>?
      var code = jsErrCode(0)
      var status = try unsafe call { unsafe js_GetStreamInfo(&known, streams, name, $0, &code) }
      if status == NATS_NOT_FOUND {
        status = try create(name, subjects, replicas)
        // In a cluster, the stream may not have a leader yet, and would accept nothing.
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

  /// Whether a stream accepts messages: a server outside a cluster always leads.
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
      unsafe ([name] + subjects).withCStrings { strings in
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
      unsafe (former + missing).withCStrings { strings in
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
}
