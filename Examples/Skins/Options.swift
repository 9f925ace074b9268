import LaunchLoader
import Terminal

/// The options of the command line.
struct Options: Sendable {
  /// The output of the program.
  enum Mode: Sendable, Equatable {
    /// The screen on a terminal; the story elsewhere.
    case usual
    case story
    /// The picture, written to this file; `-` is standard output.
    case svg(String)
    case help
  }

  /// The reason the command line is invalid.
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  static let usage = """
    Usage: skins [events] [--story | --svg FILE] [--themes DIR] [--color WHEN]

      events         begin with the screen, or print the story, of events and services
      --story        print the story of the libraries and check each line;
                     the default without a terminal
      --svg FILE     draw four skins into a file; - is standard output
      --themes DIR   read more skins from the JSON files in this folder
      --color WHEN   auto, always, never, 16, 256 or truecolor; respects NO_COLOR
      --help         print this help

    """

  var mode = Mode.usual
  /// A Boolean value that indicates whether the subject is events and services instead of themes.
  var isAboutEvents = false
  /// The folder that the user named, or `nil` for the one of the demo.
  var themes: String?
  var color = ColorOption.auto

  /// Parses the arguments after the name of the program.
  init(_ arguments: some Sequence<String>) throws(Problem) {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      // Both `--name value` and `--name=value`.
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let given = parts.count > 1 ? String(parts[1]) : nil
      switch (parts.first, given) {
      case ("events", nil): isAboutEvents = true
      case ("--story", nil): try choose(.story)
      case ("--help", nil), ("-h", nil): mode = .help
      case ("--svg", _): try choose(.svg(Self.value(given, of: "--svg", &rest)))
      case ("--themes", _): themes = try Self.value(given, of: "--themes", &rest)
      case ("--color", _): color = try Self.color(Self.value(given, of: "--color", &rest))
      default: throw Problem(description: "unknown argument \"\(argument)\"")
      }
    }
    if isAboutEvents, case .svg = mode {
      throw Problem(description: "events and --svg do not go together: the picture shows the skins")
    }
  }

  private mutating func choose(_ new: Mode) throws(Problem) {
    if mode != .usual, mode != .help {
      throw Problem(description: "--story and --svg do not go together, nor does either twice")
    }
    if mode == .usual { mode = new }
  }

  private static func value(
    _ given: String?,
    of name: String,
    _ rest: inout ArraySlice<String>
  ) throws(Problem) -> String {
    guard let value = given ?? rest.popFirst(), !value.isEmpty else {
      throw Problem(description: "\(name) needs a value")
    }
    return value
  }

  private static func color(_ word: String) throws(Problem) -> ColorOption {
    if let option = ColorOption(rawValue: word) { return option }
    let known = ColorOption.allCases.map(\.rawValue).joined(separator: ", ")
    throw Problem(description: "--color does not know \"\(word)\": give one of \(known)")
  }
}

/// The launch option with the folder of the theme files.
enum ThemesFolder: LaunchOptionKey { typealias Value = String }
