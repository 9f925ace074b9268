#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Shows EventBus, LaunchLoader and Theming at work.
@main
@MainActor
enum Skins {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    if let unknown = arguments.first(where: { $0 != "--story" }) {
      complain("skins: unknown argument \"\(unknown)\"\nUsage: skins [--story]\n")
      exit(2)
    }
    do {
      var story = Story()
      let status = try await story.tell()
      // A story that nobody could read is not told.
      exit(fflush(nil) == 0 ? status : 1)
    } catch {
      complain("skins: the story broke off: \(error)\n")
      exit(1)
    }
  }

  private static func complain(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe write(STDERR_FILENO, bytes, bytes.count)  // Reason: the bytes outlive the call.
  }
}
