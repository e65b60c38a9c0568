import BuiltPrograms
import Foundation
import Testing

/// Runs `cairn-simulate`, in which sets have the same order each time.
func simulate(_ arguments: [String]) throws -> (status: Int32, text: String) {
  let program = try #require(builtProgram("cairn-simulate"))
  let process = Process()
  process.executableURL = URL(fileURLWithPath: program)
  process.arguments = arguments
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardError = pipe
  try process.run()
  let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
}
