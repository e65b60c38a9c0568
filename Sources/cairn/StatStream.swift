import CairnControl
import Glibc

/// `cairn stat --stream`: reads paths for as long as there are any, and answers each with a line of
/// JSON, in their order. What is asked while an answer is under way is asked together.
struct StatStream {
  /// The answer about a path that nothing can be said of now.
  private struct Failed: Encodable {
    var path: Control.Path
    var error: ControlError
  }

  /// So many paths are asked about at once.
  private static let most = 512
  /// No path of Linux is as long as this, in bytes.
  private static let longest = 1 << 16

  private let client: ControlClient
  private let separator: UInt8
  private var rest: [UInt8] = []
  private var isSkipping = false

  /// Paths are separated by this byte.
  init(home: Home, separator: UInt8) {
    client = ControlClient(home: home)
    self.separator = separator
  }

  /// Returns at the end of standard input, when all is answered.
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
      // What never ends is answered once, and not kept.
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

  /// A line for each, whatever comes of the question. No daemon is started: nobody asked for more
  /// than a look.
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
    } catch { failure = error }
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
