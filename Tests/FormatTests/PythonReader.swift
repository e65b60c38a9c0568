import Foundation
import Testing

/// `Tests/Format/run`: the second implementation of the format, in Python, with the packages that
/// `make setup` installs. It can also be another program that uses this implementation.
struct PythonReader {
  /// The path of the program, below the checkout.
  var program = "Tests/Format/run"

  /// The path of the checkout.
  static let repository = String(#filePath.dropLast("/Tests/FormatTests/PythonReader.swift".count))

  private var interpreter: String {
    ProcessInfo.processInfo.environment["CAIRN_PYTHON"] ?? "/usr/bin/python3"
  }

  /// Runs the program with these arguments, and returns its standard output.
  @discardableResult
  func run(
    _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    try run(arguments: arguments, sourceLocation: sourceLocation)
  }

  /// Runs the program in the same way.
  @discardableResult
  func run(
    arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: interpreter)
    process.arguments = ["-B", Self.repository + "/" + program] + arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let said = String(decoding: bytes, as: UTF8.self)
    try #require(
      process.terminationStatus == 0,
      "\(program) \(arguments.joined(separator: " ")): \(said)",
      sourceLocation: sourceLocation)
    return said
  }
}
