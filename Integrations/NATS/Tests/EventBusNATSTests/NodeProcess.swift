import Foundation
import Synchronization

/// A process with a bridge, which is killed when this object is released.
final class NodeProcess: Sendable {
  private struct Program: @unchecked Sendable {  // Reason: its members lock.
    let process = Process()
    let input = Pipe()
    let output = Pipe()
  }

  private let program = Program()
  private let collected = Collected<String>()

  convenience init(_ arguments: String...) throws {
    try self.init(program: "NATSNode", arguments)
  }

  init(program name: String, _ arguments: [String]) throws {
    let tests = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    let process = program.process
    process.executableURL = tests.deletingLastPathComponent().appending(path: name)
    process.arguments = arguments
    process.standardInput = program.input
    process.standardOutput = program.output
    try process.run()
    Thread.detachNewThread { [program, collected] in
      var rest = Data()
      while case let data = program.output.fileHandleForReading.availableData, !data.isEmpty {
        rest += data
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          collected.append(String(decoding: rest[..<end], as: UTF8.self))
          rest.removeSubrange(...end)
        }
      }
    }
  }

  deinit { kill() }

  var lines: [String] { collected.values }

  /// The numbers after a word.
  func numbers(_ word: String) -> [Int] {
    lines.compactMap { $0.hasPrefix("\(word) ") ? Int($0.dropFirst(word.count + 1)) : nil }
  }

  func type(_ line: String) throws {
    try program.input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
  }

  var processIdentifier: Int32 { program.process.processIdentifier }

  var isRunning: Bool { program.process.isRunning }

  func signal(_ number: Int32) {
    let process = program.process
    if process.isRunning { Foundation.kill(process.processIdentifier, number) }
  }

  func kill() {
    signal(SIGKILL)
    program.process.waitUntilExit()
  }
}
