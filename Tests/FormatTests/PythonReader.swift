import Foundation
import Testing

/// `Tests/Format/run`: the second implementation of the format, in Python, with the packages that
/// `make setup` installs.
struct PythonReader {
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
    let process = Process()
    process.executableURL = URL(fileURLWithPath: interpreter)
    process.arguments = ["-B", Self.repository + "/Tests/Format/run"] + arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let said = String(decoding: bytes, as: UTF8.self)
    try #require(
      process.terminationStatus == 0,
      "Tests/Format/run \(arguments.joined(separator: " ")): \(said)",
      sourceLocation: sourceLocation)
    return said
  }
}
