#if os(Linux) || os(macOS)
/// A program that was built beside the tests, to be run as its users run it.
public struct Program: Sendable {
  /// The result of a run.
  public struct Result: Equatable, Sendable {
    /// The exit status, or minus the signal that ended it.
    public var status: Int32
    /// The program's standard output.
    public var output: String
    /// The program's standard error.
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

  /// Names a program that was built with the tests.
  public init(_ name: String) throws { path = try folderOfPrograms() + "/" + name }

  /// Runs the program to its end, without input.
  ///
  /// - Parameters:
  ///   - arguments: The arguments after its path.
  ///   - environment: All of its variables, as `NAME=value`; by default those of the tests.
  /// - Returns: The output and the status.
  /// - Throws: An error if the program cannot be started or waited for. The result holds its
  ///   status.
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
