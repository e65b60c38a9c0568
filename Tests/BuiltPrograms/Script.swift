import Foundation

/// Puts a script at a path, in place of what is there. This process never has it open for writing:
/// while a test beside it starts a program, the child has all that is open here until it runs that
/// program, and nobody can run a file that somebody may write to (ETXTBSY).
/// - Parameters:
///   - text: The script.
///   - path: Where.
///   - mode: Its permission bits.
/// - Throws: what keeps it from being written.
public func installScript(_ text: String, at path: String, mode: Int = 0o700) throws {
  let source = URL(fileURLWithPath: path + ".text")
  try Data(text.utf8).write(to: source)
  defer { try? FileManager.default.removeItem(at: source) }
  let install = Process()
  install.executableURL = URL(fileURLWithPath: "/usr/bin/install")
  install.arguments = ["-m", String(mode, radix: 8), source.path, path]
  try install.run()
  install.waitUntilExit()
  guard install.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
}
