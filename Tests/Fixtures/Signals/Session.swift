#if os(Linux) || os(macOS)
import LaunchLoader
import Synchronization

/// The program's instructions so far.
@MainActor
final class Session {
  private var tasks: [String: Task<Void, Never>] = [:]
  private var streams: [String: AsyncStream<UnixSignal>] = [:]

  private static func isPipe(_ descriptor: Int32) -> Bool {
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0 else { return false }  // Reason: outlives the call.
    return facts.st_mode & S_IFMT == S_IFIFO
  }

  /// Performs the instruction of a line.
  func obey(_ words: [String]) async {
    let names = words.dropFirst()
    let name = names.first ?? ""
    let numbers = names.compactMap { Int32($0) }
    switch words.first {
    case "say": say(name)
    case "listen":
      let stream = Self.stream(numbers)
      tasks[name] = Task.detached {
        for await signal in stream { say("\(name) \(signal)") }
      }
      say("listening")
    case "leave":
      tasks[name]?.cancel()
      await tasks.removeValue(forKey: name)?.value
      say("left")
    case "keep":
      streams[name] = Self.stream(numbers)
      say("kept")
    case "drop":
      streams[name] = nil
      say("dropped")
    case "handle":
      for number in numbers { Handlers.install(number) }
      say("handling")
    case "ignore":
      for number in numbers { Handlers.ignore(number) }
      say("ignoring")
    case "inject":
      for number in numbers { UnixSignal.inject(UnixSignal(rawValue: number)) }
      say("injected")
    case "fork": Descendants.signalForkedChild(numbers.first ?? 0)
    case "close":
      // Not those of Dispatch, which does not survive that.
      for descriptor: Int32 in 3..<256 where Self.isPipe(descriptor) { close(descriptor) }
      say("closed")
    case "leaks": say("leaks \(Descendants.leaks)")
    case "bridge":
      let bridge = Self.bridge(answersSlowly: name == "slow")
      tasks["bridge"] = Task.detached { await bridge.run() }
      say("bridged")
    case "watch":
      let parent = getppid()
      tasks["watch"] = Task.detached {
        do {
          try await untilParentEnds(parent, every: .milliseconds(5))
          say("the parent is gone")
        } catch {
          say("\(error)")
        }
      }
      say("watching")
    case "storm": Storm.begin(numbers)
    default: say("what?")
    }
  }

  /// Performs the instruction of a word until the program has another parent, then ends it.
  func untilOrphaned(_ word: String) async -> Never {
    let parent = getppid()
    await obey(word.split(separator: " ").map(String.init))
    do {
      try await untilParentEnds(parent, every: .milliseconds(5))
      await tasks["watch"]?.value
      exit(0)
    } catch {
      exit(1)
    }
  }

  private static func stream(_ numbers: [Int32]) -> AsyncStream<UnixSignal> {
    let signals = numbers.map(UnixSignal.init(rawValue:))
    // There is no way to pass a list on.
    return switch signals.count {
    case 1: UnixSignal.stream(signals[0])
    case 2: UnixSignal.stream(signals[0], signals[1])
    default: UnixSignal.stream()
    }
  }

  /// Creates a bridge whose answer to `background` lasts until an interrupt, if it `answersSlowly`.
  nonisolated private static func bridge(answersSlowly: Bool) -> SignalBridge {
    let (interrupts, interrupt) = AsyncStream<Void>.makeStream()
    let isEnding = Mutex(false)
    return SignalBridge {
      say("interrupt \($0)")
      isEnding.withLock { $0 = true }
      interrupt.finish()
    } hangup: {
      say("hangup")
    } isEnding: {
      isEnding.withLock { $0 }
    } answer: {
      say("\($0)")
      guard answersSlowly, $0 == .background else { return }
      for await _ in interrupts {}
      say("answered")
    }
  }
}
#endif
