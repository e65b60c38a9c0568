import CairnControl
import CairnStore
import FoundationEssentials
import Glibc

/// Finds the key of a bucket in the order of AWS's own tools: a command, a file that cairn.conf
/// names, the environment, `~/.aws/credentials`. It keeps nothing; no message contains a key.
enum BucketKeys {
  /// The longest time of a command that prints a key, in seconds.
  private static let patience: Int32 = 60
  private static let mostBytes = 1 << 20

  /// Returns the settings that open a store in a bucket, from the configuration of a home.
  /// - Throws: `ControlError` if that is invalid.
  static func settings(_ bucket: Control.Bucket) throws(ControlError) -> StoreSettings {
    var style: S3Settings.Style?
    if let text = bucket.style {
      style = S3Settings.Style(rawValue: text)
      guard style != nil else {
        throw ControlError(
          .invalidArguments, "style is \(text), which is no way to name a bucket.",
          remedy: "Write path or virtual, or leave it out; see cairn.conf(5).")
      }
    }
    if let file = bucket.credentialsFile, !file.hasPrefix("/") {
      throw ControlError(
        .invalidArguments, "credentials-file is \(file), which is not an absolute path.",
        remedy: "Write the path from the root folder on; see cairn.conf(5).")
    }
    let environment = environment()
    let region =
      bucket.region ?? environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"]
      ?? S3Settings.usualRegion
    guard !region.isEmpty, region.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != 0x2f })
    else {
      throw ControlError(
        .invalidArguments, "region is “\(region)”, which can't be one.",
        remedy: "Write a name such as eu-central-1, or leave it out; see cairn.conf(5).")
    }
    return StoreSettings(
      s3: S3Settings(region: region, style: style) { _ throws(StoreError) in
        try credentials(bucket, environment)
      })
  }

  /// The variables of this process about keys, as AWS's tools name them.
  private static func environment() -> [String: String] {
    let names = [
      "HOME", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_ACCESS_KEY_ID",
      "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_SHARED_CREDENTIALS_FILE",
    ]
    return names.reduce(into: [:]) { values, name in
      let value = getenv(name).flatMap { String(validatingCString: $0) }
      if value?.isEmpty == false { values[name] = value }
    }
  }

  /// Returns the present key.
  static func credentials(
    _ bucket: Control.Bucket, _ environment: [String: String]
  ) throws(StoreError) -> S3Credentials {
    if let command = bucket.credentialProcess { return try printed(by: command) }
    let profile = bucket.profile ?? environment["AWS_PROFILE"] ?? "default"
    if let file = bucket.credentialsFile {
      return try credentials(of: profile, in: file, mustBePrivate: true)
    }
    if bucket.profile == nil, let id = environment["AWS_ACCESS_KEY_ID"],
      let secret = environment["AWS_SECRET_ACCESS_KEY"]
    {
      return S3Credentials(id: id, secret: secret, token: environment["AWS_SESSION_TOKEN"])
    }
    let home = environment["HOME"] ?? "/"
    let usual = environment["AWS_SHARED_CREDENTIALS_FILE"] ?? "\(home)/.aws/credentials"
    guard access(usual, F_OK) == 0 else { return try S3Settings.none(false) }
    return try credentials(of: profile, in: usual, mustBePrivate: false)
  }

  // MARK: Files

  private static func credentials(
    of profile: String, in file: String, mustBePrivate: Bool
  ) throws(StoreError) -> S3Credentials {
    var status = stat()
    guard stat(file, &status) == 0 else {
      throw denied("\(file), with the bucket's key, can't be read: \(systemError).")
    }
    guard !mustBePrivate || status.st_mode & 0o077 == 0 else {
      throw denied(
        "Others may read \(file), which has the bucket's key. Run `chmod 600` on it, and think of "
          + "a new key.")
    }
    let text: String
    do {
      guard status.st_size <= mostBytes else { throw CocoaError(.fileReadTooLarge) }
      text = String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self)
    } catch { throw denied("\(file), with the bucket's key, can't be read: \(error)") }
    let section = values(of: profile, in: text)
    if let command = section["credential_process"] { return try printed(by: command) }
    guard let id = section["aws_access_key_id"], let secret = section["aws_secret_access_key"]
    else {
      throw denied(
        "\(file) has no key under [\(profile)]. It needs aws_access_key_id and "
          + "aws_secret_access_key there; cairn.conf(5) shows how.")
    }
    return S3Credentials(id: id, secret: secret, token: section["aws_session_token"])
  }

  /// Returns the values of one section of a file with the syntax of `~/.aws/credentials`.
  static func values(of profile: String, in text: String) -> [String: String] {
    var found: [String: String] = [:]
    var isInside = false
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.trimmed
      if line.hasPrefix("[") {
        isInside = line == "[\(profile)]" || line == "[profile \(profile)]"
      } else if isInside, !line.hasPrefix("#"), !line.hasPrefix(";"),
        let sign = line.firstIndex(of: "=")
      {
        found[String(line[..<sign]).trimmed.lowercased()] =
          String(line[line.index(after: sign)...]).trimmed
      }
    }
    return found
  }

  // MARK: Commands

  /// The output of such a command, as AWS's documentation describes it.
  private struct Printed: Decodable {
    var AccessKeyId: String
    var SecretAccessKey: String
    var SessionToken: String?
    var Expiration: String?
  }

  private static func printed(by command: String) throws(StoreError) -> S3Credentials {
    let output = try run(command)
    let printed: Printed
    do { printed = try JSONDecoder().decode(Printed.self, from: Data(output)) } catch {
      throw denied(
        "The command of credential-process doesn't print a key: run it by hand, and see "
          + "cairn.conf(5).")
    }
    var end: Int64?
    if let text = printed.Expiration {
      do { end = Int64(try Date.ISO8601FormatStyle().parse(text).timeIntervalSince1970) } catch {
        throw denied("The command of credential-process says that its key ends at no time: \(text)")
      }
    }
    return S3Credentials(
      id: printed.AccessKeyId, secret: printed.SecretAccessKey, token: printed.SessionToken,
      expires: end)
  }

  private static func run(_ command: String) throws(StoreError) -> [UInt8] {
    let (child, reading): (ChildProcess, CInt)
    do throws(ControlError) { (child, reading) = try start(command) } catch {
      throw denied("The command of credential-process can't be run: \(error.message)")
    }
    defer { close(reading) }
    let output = readAll(reading)
    if output == nil { kill(child.process, SIGKILL) }
    let status = child.waitForExit()
    guard let output, status == 0 else {
      throw denied(
        "The command of credential-process failed, or took longer than \(patience) s: run it by "
          + "hand.")
    }
    return output
  }

  /// Starts a command; its output can be read from the descriptor.
  private static func start(_ command: String) throws(ControlError) -> (ChildProcess, CInt) {
    let output = try ChildProcess.pipe()
    let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer {
      close(nothing)
      close(output.writing)
    }
    do throws(ControlError) {
      let child = try ChildProcess(
        "/bin/sh", .init(arguments: ["sh", "-c", command], descriptors: [nothing, output.writing]))
      return (child, output.reading)
    } catch {
      close(output.reading)
      throw error
    }
  }

  /// Reads everything; nil if it is too much, or doesn't end in time.
  private static func readAll(_ descriptor: CInt) -> [UInt8]? {
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let deadline = SystemClock().now + Int64(patience) * 1_000_000_000
    while output.count < mostBytes {
      let left = (deadline - SystemClock().now) / 1_000_000
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard left > 0, poll(&waiting, 1, Int32(left)) > 0 else { return nil }
      let count = read(descriptor, &buffer, buffer.count)
      guard count >= 0 else { return nil }
      guard count > 0 else { return output }
      output += buffer[..<count]
    }
    return nil
  }

  // MARK: Errors

  private static var systemError: String { String(cString: strerror(errno)) }

  private static func denied(_ cause: String) -> StoreError {
    StoreError(code: .denied, cause: cause)
  }
}

extension StringProtocol {
  /// The text without blanks at its ends.
  fileprivate var trimmed: String {
    var text = self[...]
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }
}
