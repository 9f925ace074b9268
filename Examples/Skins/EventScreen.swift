import Terminal

/// The second screen: the story of events and services, one step for each press of a key.
@MainActor
final class EventScreen {
  /// What the story does.
  enum State: Sendable {
    /// It waits for the key.
    case waiting
    case running
    /// The story has ended.
    case ended
  }

  /// What the screen shows, as a value that a canvas draws.
  struct Contents: Sendable {
    fileprivate(set) var parts: [EventStory.Part] = []
    fileprivate(set) var state = State.running
    /// The number of lines that are scrolled out below.
    fileprivate(set) var offset = 0
  }

  private(set) var contents = Contents()
  private let keys = AsyncStream<Void>.makeStream()
  private let onChange: @Sendable () -> Void

  /// Creates a screen and begins its story.
  ///
  /// - Parameter onChange: Called when there is something new to draw.
  init(onChange: @escaping @Sendable () -> Void) {
    self.onChange = onChange
    begin()
  }

  /// Runs the next step, or begins again after the last one; has no effect while a step runs.
  func next() {
    switch contents.state {
    case .waiting:
      contents.state = .running
      keys.continuation.yield()
    case .running: break
    case .ended: begin()
    }
  }

  /// Scrolls by some lines, up if the number is positive.
  func scroll(by lines: Int, within count: Int) {
    contents.offset = min(max(contents.offset + lines, 0), count)
  }

  private func begin() {
    contents = Contents()
    let story = EventStory(
      pausing: { [self] in
        contents.state = .waiting
        onChange()
        for await _ in keys.stream { break }
      },
      showing: { [self] part in
        contents.parts.append(part)
        contents.offset = 0
        onChange()
      }
    )
    Task {
      await story.run()
      contents.state = .ended
      onChange()
    }
  }
}
