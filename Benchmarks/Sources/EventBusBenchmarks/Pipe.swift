import AsyncAlgorithms
import EventBus
import Harness

/// One way to hand events to a task.
protocol Pipe: Sendable {
  associatedtype Events: AsyncSequence & Sendable
  where Events.Element == Int, Events.Failure == Never

  static var subject: Subject { get }

  init()

  /// The sent numbers, for one task.
  func events() -> Events

  /// Sends a number; only the channel may wait in this call.
  func send(_ value: Int) async
}

/// A pipe that buffers the sent numbers, so that sending never waits.
protocol BufferingPipe: Pipe {
  /// Sends a number.
  func put(_ value: Int)
}

extension BufferingPipe {
  func send(_ value: Int) async { put(value) }
}

extension EventNames {
  fileprivate static let tick = EventName<Int>("benchmarks.pipe.tick")
}

/// The project's stream of a bus's events.
struct EventBusPipe: BufferingPipe {
  static let subject = Subject.eventBus

  private let bus = EventBus()

  func events() -> EventStream<Int> {
    bus.events(.tick)
  }

  func put(_ value: Int) {
    bus.post(.tick, value)
  }
}

/// The standard library's stream.
struct AsyncStreamPipe: BufferingPipe {
  static let subject = Subject.asyncStream

  private let pair = AsyncStream<Int>.makeStream()

  func events() -> AsyncStream<Int> {
    pair.stream
  }

  func put(_ value: Int) {
    pair.continuation.yield(value)
  }
}

/// The channel of AsyncAlgorithms: a sender waits until its element is taken.
struct AsyncChannelPipe: Pipe {
  static let subject = Subject.asyncChannel

  private let channel = AsyncChannel<Int>()

  func events() -> AsyncChannel<Int> {
    channel
  }

  func send(_ value: Int) async {
    await channel.send(value)
  }
}
