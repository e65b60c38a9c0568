import Glibc

/// The daemon program's side of `cairn init` and `cairn device join`: one request on standard
/// input, the lines of the response on standard output.
public enum SetupChannel {
  /// Reads the request until the end of standard input. Throws `invalidArguments` for anything
  /// else.
  public static func readRequest<Operation: ControlOperation>(
    _ type: Operation.Type
  ) throws(ControlError) -> Operation {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= Control.bodyLimit {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    do {
      return try ControlJSON.decode(type, from: bytes)
    } catch let error as ControlError {
      throw error
    } catch {
      throw ControlError(
        .invalidArguments, "The request can't be read: " + ControlJSON.explain(error),
        remedy: "`cairnd \(Operation.name)` is for programs; use `cairn`.")
    }
  }

  /// Writes one line. A missing reader is no error.
  public static func write<Reply>(_ line: Control.Line<Reply>) {
    let bytes: [UInt8]
    do {
      bytes = try ControlJSON.encode(line) + [UInt8(ascii: "\n")]
    } catch {
      preconditionFailure("A line of the control protocol can't be encoded: \(error)")
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
