import CairnControl
import Glibc

/// A text that a person changes in an editor: a private temporary file, which is removed
/// afterwards.
struct EditedText {
  private let text: String
  private let ending: String

  /// Creates a text.
  /// - Parameters:
  ///   - text: The text before.
  ///   - ending: The ending of the temporary file's name, with its dot; empty for none.
  init(_ text: String, named ending: String) {
    self.text = text
    self.ending = ending
  }

  /// Opens the editor, and waits until the person closes it.
  /// - Returns: The saved text.
  /// - Throws: `operationCancelled` if the editor fails, `invalidArguments` if the file can't be
  ///   written.
  func edit() throws(ControlError) -> [UInt8] {
    let directory = Self.variable("TMPDIR") ?? "/tmp"
    var template = Array("\(directory)/cairn-merge-XXXXXX\(ending)".utf8CString)
    let file = mkstemps(&template, CInt(ending.utf8.count))
    let bytes = template.dropLast().map { UInt8(bitPattern: $0) }
    let path = Control.Path(bytes)
    guard file >= 0 else {
      throw ControlError(
        .invalidArguments,
        "No temporary file can be made in \(directory): \(String(cString: strerror(errno))).",
        remedy: "Set TMPDIR to a directory that you may write in.")
    }
    close(file)
    defer { _ = unlink(template) }
    try PrivateFile.write(text, to: path)
    let editor = Self.variable("VISUAL") ?? Self.variable("EDITOR") ?? "editor"
    let status = try ChildProgram.run(
      "/bin/sh", ["-c", "\(editor) \"$1\"", "sh"].map { Array($0.utf8) } + [bytes])
    guard status == 0 else {
      throw ControlError(
        .operationCancelled,
        "The editor \(Output.printable(editor)) ended with the status \(status), so nothing was "
          + "changed.", remedy: "Set EDITOR to the command of your editor, and run this again.")
    }
    return try FileText.read(path)
  }

  private static func variable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// Returns whether a line begins with a marker of a conflict.
  static func hasMarkers(_ text: [UInt8]) -> Bool {
    let markers = ["<<<<<<< ", ">>>>>>> "].map { Array($0.utf8) }
    return text.split(separator: UInt8(ascii: "\n")).contains { line in
      line.elementsEqual("=======".utf8) || markers.contains { line.starts(with: $0) }
    }
  }
}

/// A short file of a person's, read and replaced as a whole.
enum FileText {
  /// Reads a file.
  static func read(_ path: Control.Path) throws(ControlError) -> [UInt8] {
    let file = name(path) { open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
    guard file >= 0 else { throw failure(path, "read") }
    defer { close(file) }
    var all: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = part.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw failure(path, "read") }
      if count == 0 { return all }
      all += part[..<count]
    }
  }

  /// Replaces a file by another one with these bytes and its mode, in one step.
  static func replace(_ path: Control.Path, by text: [UInt8]) throws(ControlError) {
    var status = stat()
    guard name(path, { lstat($0, &status) }) == 0 else { throw failure(path, "read") }
    guard let slash = path.bytes.lastIndex(of: UInt8(ascii: "/")) else { return }
    // A name that is never mirrored, beside the file.
    let digits = String(UInt32.random(in: .min ... .max), radix: 16)
    let word = String(repeating: "0", count: 8 - digits.count) + digits
    let fresh = Control.Path(Array(path.bytes[...slash]) + Array(".cairn-\(word)".utf8))
    try PrivateFile.write(String(decoding: text, as: UTF8.self), to: fresh, isNew: true)
    let isDone =
      name(fresh) { chmod($0, status.st_mode & 0o7777) } == 0
      && name(fresh) { from in name(path) { rename(from, $0) } } == 0
    guard isDone else {
      let error = failure(path, "replaced")
      _ = name(fresh) { unlink($0) }
      throw error
    }
  }

  private static func name(
    _ path: Control.Path, _ body: (UnsafePointer<CChar>) -> CInt
  ) -> CInt {
    (path.bytes + [0]).withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.map(body) ?? -1 }
    }
  }

  private static func failure(_ path: Control.Path, _ act: String) -> ControlError {
    ControlError(
      .assetFileNotFound,
      "\(path.printable) can't be \(act): \(String(cString: strerror(errno))).",
      remedy: "Look at it with ls(1).", path: path)
  }
}
