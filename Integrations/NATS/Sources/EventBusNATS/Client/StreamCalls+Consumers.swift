internal import CNATS

/// The consumers of a stream.
extension StreamCalls {
  // Reason for all: the client copies its arguments; its results are freed here.

  /// Makes sure that a consumer exists.
  func prepare(_ request: ConsumerRequest) throws(LinkFailure) -> Consumer {
    let created = try end(of: request.stream).created
    var failure = LinkFailure.disconnected
    for attempt in 0..<3 {
      var known: UnsafeMutablePointer<jsConsumerInfo>?
      var outcome = try unsafe call {
        unsafe js_GetConsumerInfo(&known, streams, request.stream, request.name, $0, $1)
      }
      if outcome.isDone, let known = unsafe known {
        defer { unsafe jsConsumerInfo_Destroy(known) }
        var consumer = try unsafe consumer(known, request, isNew: attempt > 0)
        consumer.streamCreated = created
        return consumer
      }
      guard outcome.status == NATS_NOT_FOUND else { throw outcome.failure }
      outcome = try create(request)
      failure = outcome.failure
    }
    throw failure
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

  /// The number of the first message for a new consumer; `nil` for the first one of the stream.
  private func start(of request: ConsumerRequest) throws(LinkFailure) -> UInt64? {
    let (last, created) = try end(of: request.stream)
    if let resumption = request.resumption, resumption.streamCreated == created {
      return resumption.floor + 1
    }
    guard let history = request.history else { return nil }
    let found = try recentSequences(request.stream, request.subject, upTo: last, count: history)
    return found.first ?? last + 1
  }

  private func create(_ request: ConsumerRequest) throws(LinkFailure) -> Outcome {
    let start = try start(of: request)
    let delivery = "_EVENTBUS.\(request.stream).\(Subject.encode(request.name))"
    let texts = [request.name, delivery, request.subject]
    return try unsafe call { options, code in
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
        return unsafe js_AddConsumer(nil, streams, request.stream, &config, options, code)
      }
    }
  }
}
