internal import CNATS

/// The consumers of a stream.
extension StreamCalls {
  // Reason for all: the client copies its arguments; its results are freed here.

  /// Makes sure that a consumer exists.
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

  /// The consumer that the server describes.
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
      unsafe texts.withCStrings { strings in
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
}
