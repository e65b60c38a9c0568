import CairnControl
import Glibc

/// `cairn stat --stream`: reads paths until the end of input, and answers each with a line of JSON,
/// in order. Paths that arrive during an answer are asked together.
struct StatStream {
  /// The answer for a path with an error.
  private struct Failed: Encodable {
    var path: Control.Path
    var error: ControlError
  }

  /// The maximum number of paths per request.
  private static let most = 512
  /// The maximum length of a path in bytes, above that of Linux.
  private static let longest = 1 << 16

  private let client: ControlClient
  private let separator: UInt8
  private var rest: [UInt8] = []
  private var isSkipping = false

  /// Creates a stream of paths that end with `separator`.
  init(home: Home, separator: UInt8) {
    client = ControlClient(home: home)
    self.separator = separator
  }

  /// Runs until the end of standard input and the last answer.
  mutating func run() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      rest += buffer[..<count]
      var pieces = rest.split(separator: separator, omittingEmptySubsequences: false)
      rest = pieces.popLast().map { Array($0) } ?? []
      answer(pieces.map { Array($0) })
      // An endless path is answered once, and not stored.
      guard rest.count > Self.longest else { continue }
      if !isSkipping { answer([rest]) }
      (isSkipping, rest) = (true, [])
    }
    if !rest.isEmpty { answer([rest]) }
  }

  private mutating func answer(_ names: [[UInt8]]) {
    var names = names[...]
    if isSkipping, !names.isEmpty {
      names.removeFirst()
      isSkipping = false
    }
    while !names.isEmpty {
      Output.raw(lines(about: names.prefix(Self.most).map { Self.path($0) }))
      names = names.dropFirst(Self.most)
    }
  }

  /// Returns a line for each path, even after an error. No daemon is started, because the caller
  /// only looks.
  private func lines(about paths: [Result<Control.Path, ControlError>]) -> [UInt8] {
    let valid = paths.compactMap { try? $0.get() }
    var items: [Control.PathStatus] = []
    var failure: ControlError?
    do throws(ControlError) {
      if !valid.isEmpty {
        _ = try client.call(Control.Stat(paths: valid)) { line throws(ControlError) in
          if case .items = line.update { items += try line.items(Control.PathStatus.self) }
        }
      }
      if items.count != valid.count {
        failure = ControlError(
          .incompatibleVersion, "The daemon answers something else.",
          remedy: "Run `cairn stop`, then try again.")
      }
    } catch {
      // Paths in several containers: those of one of them have an answer.
      if error.code == .ambiguousContainer, paths.count > 1 {
        let half = paths.count / 2
        return lines(about: Array(paths[..<half])) + lines(about: Array(paths[half...]))
      }
      failure = error
    }
    var answers = items.makeIterator()
    return paths.flatMap { path -> [UInt8] in
      switch path {
      case .failure(let error): Self.line(Failed(path: error.path ?? "", error: error))
      case .success(let path):
        if let failure {
          Self.line(Failed(path: path, error: failure))
        } else if let answer = answers.next() {
          Self.line(answer)
        } else {
          []
        }
      }
    }
  }

  private static func line(_ value: some Encodable) -> [UInt8] {
    do { return try ControlJSON.encode(value) + [UInt8(ascii: "\n")] } catch {
      preconditionFailure("an answer has no form in JSON: \(error)")
    }
  }

  private static func path(_ bytes: [UInt8]) -> Result<Control.Path, ControlError> {
    Result { () throws(ControlError) in
      guard let argument = PathArgument(bytes), !bytes.contains(0), bytes.count <= longest else {
        throw ControlError(
          .invalidArguments, "That is no path.", remedy: "Give a path on each line.",
          path: Control.Path(bytes.prefix(256).filter { $0 != 0 }))
      }
      return try argument.absolute()
    }
  }
}
