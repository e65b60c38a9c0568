import CairnControl
import Glibc

/// The difference between two files. It reads them itself, and leaves the comparison of lines to
/// diff(1).
struct FileComparison {
  /// The answer of the command.
  let answer: Control.FileComparison
  /// The paths of the files.
  private let files: [Control.Path]

  /// Compares two files, with `names` instead of their paths in the output, if given. Throws
  /// `assetFileNotFound` if one cannot be read.
  init(
    _ first: Control.Path, _ second: Control.Path, named names: [Control.Path]? = nil
  ) throws(ControlError) {
    self.files = [first, second]
    let files = [try FileText.open(first), try FileText.open(second)]
    defer { for file in files { close(file) } }
    var sizes: [Int64] = [0, 0]
    var isText = true
    var difference: Int64?
    while true {
      let chunks = [try Self.read(files[0], first), try Self.read(files[1], second)]
      if chunks.allSatisfy(\.isEmpty) { break }
      if chunks.contains(where: { $0.contains(0) }) { isText = false }
      if difference == nil, chunks[0] != chunks[1] {
        let equal = zip(chunks[0], chunks[1]).prefix { $0.0 == $0.1 }.count
        difference = sizes[0] + Int64(equal)
      }
      for index in 0..<2 { sizes[index] += Int64(chunks[index].count) }
    }
    answer = Control.FileComparison(
      paths: names ?? [first, second], sizes: sizes, firstDifference: difference, isText: isText)
  }

  /// Writes the comparison for people. Throws `missingEntitlement` if diff(1) is needed and
  /// missing.
  func write() throws(ControlError) {
    guard let firstDifference = answer.firstDifference else {
      return Output.line("The two are equal.")
    }
    guard answer.isText else {
      for (path, size) in zip(answer.paths, answer.sizes) {
        Output.line("\(Wording.grouped(size)) bytes: \(path.printable)")
      }
      return Output.line("They differ from byte \(Wording.grouped(firstDifference + 1)) on.")
    }
    let program = "/usr/bin/diff"
    guard access(program, X_OK) == 0 else {
      throw ControlError(
        .missingEntitlement, "There is no \(program) on this machine to compare text with.",
        remedy: "Install the package diffutils, or compare the two files in an editor.")
    }
    let status = try ChildProgram.run(
      program,
      [
        Array("-u".utf8), Array("--label".utf8), Array(answer.paths[0].printable.utf8),
        Array("--label".utf8), Array(answer.paths[1].printable.utf8), Array("--".utf8),
        files[0].bytes,
        files[1].bytes,
      ])
    guard status <= 1 else {
      throw ControlError(
        .internalError, "\(program) failed with the status \(status).",
        remedy: "Compare the two files in an editor.")
    }
  }

  /// Reads the next bytes, up to a fixed number.
  private static func read(_ file: CInt, _ path: Control.Path) throws(ControlError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(file, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
      }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else {
        throw ControlError(
          .assetFileNotFound, "\(path.printable) can't be read to its end.",
          remedy: "Look at its disk.", path: path)
      }
      if count == 0 { break }
      filled += count
    }
    return Array(bytes.prefix(filled))
  }
}

/// A program that a command runs on this terminal.
enum ChildProgram {
  /// Runs the program and waits for its end. Returns its exit status, or 128 plus the signal that
  /// ended it. Throws `notRunning` if it cannot be started.
  static func run(_ program: String, _ arguments: [[UInt8]]) throws(ControlError) -> Int32 {
    var words: [UnsafeMutablePointer<CChar>?] = [strdup(program)]
    for argument in arguments {
      words.append(
        (argument + [0]).withUnsafeBytes { bytes in
          bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.flatMap { strdup($0) } }
        })
    }
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let failure = posix_spawn(&process, program, nil, nil, words + [nil], environ)
    guard failure == 0 else {
      throw ControlError(
        .notRunning, "\(program) can't be started: \(String(cString: strerror(failure))).",
        remedy: "See that it is installed completely.")
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
  }
}
