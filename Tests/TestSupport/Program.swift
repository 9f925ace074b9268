#if canImport(Glibc)
/// A program that was built beside the tests, to be run as its users run it.
public struct Program: Sendable {
  /// What a run left behind.
  public struct Result: Equatable, Sendable {
    /// The exit status, or minus the signal that ended it.
    public var status: Int32
    /// What it wrote to standard output.
    public var output: String
    /// What it wrote to standard error.
    public var complaints: String

    /// Creates the result that a test expects.
    public init(status: Int32, output: String, complaints: String) {
      self.status = status
      self.output = output
      self.complaints = complaints
    }
  }

  /// Where the program is.
  public let path: String

  /// Names a program by its path.
  public init(path: String) { self.path = path }

  /// Names a program in the folder of the program that runs the tests.
  public init(_ name: String) throws {
    path = try parent(ofPath: pathOfThisProgram()) + "/" + name
  }

  /// Runs the program to its end, with nothing to read.
  ///
  /// - Parameters:
  ///   - arguments: What follows its path on the command line.
  ///   - environment: All of its variables, as `NAME=value`; those of the tests if there is none.
  /// - Returns: What it left behind.
  /// - Throws: If it could not be started or waited for. How it ended is in the result.
  public func run(_ arguments: [String] = [], environment: [String]? = nil) throws -> Result {
    // Files and not pipes: they cannot fill up while the other one is read.
    let output = try ScratchFile()
    let complaints = try ScratchFile()
    let start = Spawn(
      path: path,
      arguments: arguments,
      environment: environment,
      descriptors: [
        .file("/dev/null", 0), .copy(output.descriptor), .copy(complaints.descriptor),
      ]
    )
    let child = try start()
    return Result(
      status: try Spawn.wait(for: child),
      output: try output.text(),
      complaints: try complaints.text()
    )
  }
}
#endif
