import Foundation

/// Writes a script to a path, and replaces a file that is there. This process never has the script
/// open for writing. When a parallel test starts a program, its child has all open files of this
/// process until it runs that program, and a file that is open for writing can't run (ETXTBSY).
/// - Parameters:
///   - text: The script.
///   - path: The path of the script.
///   - mode: Its permission bits.
/// - Throws: The error of writing it.
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
