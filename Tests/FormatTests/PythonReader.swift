import Foundation
import Testing

/// `Tests/Format/run`: the second implementation of the format, in Python, with the packages that
/// `make setup` installs; or another program that is made of it.
struct PythonReader {
  /// Which, below the checkout.
  var program = "Tests/Format/run"

  /// Where the checkout is.
  static let repository = String(#filePath.dropLast("/Tests/FormatTests/PythonReader.swift".count))

  private var interpreter: String {
    ProcessInfo.processInfo.environment["CAIRN_PYTHON"] ?? "/usr/bin/python3"
  }

  /// Runs it with these arguments; what it says on its standard output.
  @discardableResult
  func run(
    _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    try run(arguments: arguments, sourceLocation: sourceLocation)
  }

  /// The same.
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
