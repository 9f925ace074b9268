public import EventBus
public import Logging

extension EventBus {
  /// Logs the posts, deliveries and skips of the bus, its errors and its messages, until a token ends.
  ///
  /// ```swift
  /// import EventBus
  /// import EventBusLogging
  /// import Logging
  ///
  /// let logger = Logger(label: "shop")
  /// let log = EventBus.default.startLogging(to: logger)
  /// ```
  ///
  /// Several buses can be logged, and one bus twice: each call is independent. ``EventHooks/logging(_:level:)`` lists
  /// the entries.
  ///
  /// - Parameters:
  ///   - logger: The logger. Its level decides, at each entry, whether the entry is written.
  ///   - level: The level of posts, deliveries and skips. Errors of handlers have the level `error`, messages of
  ///     the library `warning`.
  /// - Returns: The token. Dropping it ends the logging, and with it all costs.
  /// - Complexity: O(*n*) in the number of hooks of the bus.
  public func startLogging(to logger: Logger, level: Logger.Level = .debug) -> Token {
    addHooks(.logging(logger, level: level))
  }
}

extension EventHooks {
  /// Returns hooks that log to a logger.
  ///
  /// | message | level | metadata |
  /// | --- | --- | --- |
  /// | event posted | `level` | `event.depth` |
  /// | event queued, event delivered | `level` | `event.handler`, `event.actor` |
  /// | event skipped | `level` | `event.handler`, `event.reason` |
  /// | event reached no handler | `level` | |
  /// | event handler failed | `error` | `event.handler`, and the error |
  /// | a message of the library | `warning` | |
  ///
  /// Entries about an event also have `event.name` and `event.site`, the source site of the post. Those of a
  /// trace have `event.post`, the number of the post, `event.outerPost` if a handler posted the event, and
  /// `event.bus` if the bus has a label. Payloads are not logged: they may be large, or private.
  ///
  /// Errors are logged instead of being printed on standard error.
  ///
  /// - Parameters:
  ///   - logger: The logger. It runs on the thread of the post or of the handler, with no lock held; its own
  ///     posts on the bus are not logged.
  ///   - level: The level of posts, deliveries and skips.
  /// - Returns: The hooks, for `EventBus(hooks:)` or `addHooks(_:)`.
  public static func logging(_ logger: Logger, level: Logger.Level = .debug) -> EventHooks {
    EventHooks(
      onError: { failure in
        logger.log(
          level: .error,
          "event handler failed",
          error: failure.error,
          metadata: metadata(failure.event).merging([
            "event.handler": .stringConvertible(failure.registeredAt)
          ]) { $1 }
        )
      },
      onUnhandled: { event in
        logger.log(level: level, "event reached no handler", metadata: metadata(event))
      },
      onTrace: { step in
        guard logger.logLevel <= level, let message = message(step.kind) else { return }
        logger.log(level: level, message, metadata: metadata(step))
      },
      onMessage: { logger.log(level: .warning, "\($0)") }
    )
  }

  /// Returns the text of a trace step, or `nil` if another entry covers it.
  private static func message(_ step: TraceStep.Kind) -> Logger.Message? {
    switch step {
    case .began: "event posted"
    case .queued: "event queued"
    case .finished(nil): "event delivered"
    case .skipped: "event skipped"
    case .ended, .started, .finished: nil
    }
  }

  private static func metadata(_ event: AnyEvent) -> Logger.Metadata {
    ["event.name": .string(event.name), "event.site": .stringConvertible(event.site)]
  }

  private static func metadata(_ step: TraceStep) -> Logger.Metadata {
    var metadata: Logger.Metadata = [
      "event.name": .string(step.name),
      "event.site": .stringConvertible(step.site),
      "event.post": .stringConvertible(step.post),
    ]
    if let outer = step.outerPost { metadata["event.outerPost"] = .stringConvertible(outer) }
    if !step.bus.label.isEmpty { metadata["event.bus"] = .string(step.bus.label) }
    if let registration = step.registration {
      metadata["event.handler"] = .stringConvertible(registration.site)
      if let actor = step.actor { metadata["event.actor"] = .stringConvertible(actor) }
    } else {
      metadata["event.depth"] = .stringConvertible(step.depth)
    }
    if case .skipped(let reason) = step.kind { metadata["event.reason"] = .string(reason.rawValue) }
    return metadata
  }
}
