/// The options of the command line.
public struct Options: Sendable {
  /// Rounds, each of which asks every subject for one sample.
  public private(set) var rounds = 11
  /// How long one calibrated sample takes, in nanoseconds.
  public private(set) var sampleTime = 20e6
  /// Only lines whose title contains one of these; all if empty.
  public private(set) var filters: [String] = []
  /// Only lines with one of these titles; all if empty.
  public private(set) var titles: Set<String> = []
  /// Only subjects whose name contains one of these; all if empty.
  public private(set) var subjects: [String] = []
  /// Run the chosen work this many iterations, once to warm up and once to be counted by a profiler.
  public private(set) var onceIterations: Int?
  /// Only print the titles.
  public private(set) var listsOnly = false
  /// Only print the usage.
  public private(set) var helpsOnly = false

  /// Reads the arguments.
  ///
  /// - Parameter arguments: Without the program's name.
  /// - Throws: ``UsageError`` for an unknown argument or an invalid value.
  public init(_ arguments: some Sequence<String>) throws(UsageError) {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--filter": filters.append(try Self.value(of: argument, from: &rest).lowercased())
      case "--title": titles.insert(try Self.value(of: argument, from: &rest))
      case "--subject": subjects.append(try Self.value(of: argument, from: &rest).lowercased())
      case "--rounds": rounds = try Self.count(of: argument, from: &rest)
      case "--quick": (rounds, sampleTime) = (3, 3e6)
      case "--once": onceIterations = onceIterations ?? 1_000
      case "--iterations": onceIterations = try Self.count(of: argument, from: &rest)
      case "--list": listsOnly = true
      case "--help", "-h": helpsOnly = true
      default: throw UsageError(description: "Unknown argument \(argument); try --help.")
      }
    }
  }

  private static func value(
    of argument: String,
    from rest: inout ArraySlice<String>
  ) throws(UsageError) -> String {
    guard let value = rest.popFirst() else {
      throw UsageError(description: "\(argument) needs a value; try --help.")
    }
    return value
  }

  private static func count(
    of argument: String,
    from rest: inout ArraySlice<String>
  ) throws(UsageError) -> Int {
    let value = try value(of: argument, from: &rest)
    guard let count = Int(value), count > 0 else {
      throw UsageError(description: "\(argument) needs a number above 0, not \(value).")
    }
    return count
  }

  internal func selects(_ figure: Figure) -> Bool {
    (titles.isEmpty || titles.contains(figure.title))
      && (filters.isEmpty || filters.contains { figure.title.lowercased().contains($0) })
  }

  internal func selects(_ subject: Subject) -> Bool {
    subjects.isEmpty || subjects.contains { subject.name.lowercased().contains($0) }
  }

  /// How to call a program whose own column is this one.
  internal static func usage(of ours: Subject) -> String {
    """
    Measures \(ours.name) and its peers in one run and prints a table of medians and ratios.

      --filter TEXT      only lines whose title contains TEXT (may be repeated)
      --title TEXT       only the line with the title TEXT (may be repeated)
      --subject TEXT     only columns whose name contains TEXT (may be repeated)
      --rounds N         samples of each subject and line (11)
      --quick            3 short rounds
      --list             print the titles and stop
      --once             run the chosen work for a profiler: once to warm up, and once to be counted
      --iterations N     with --once: how many iterations (1,000)

    Exit status 1: a count that must be exact is not. 2: an argument is wrong.
    """
  }
}

/// The command line asks for something there is not.
public struct UsageError: Error, CustomStringConvertible {
  /// The mistake and its remedy.
  public let description: String
}
