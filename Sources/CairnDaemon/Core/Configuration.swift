import CairnControl
import CairnFolders
import CairnStore
import FoundationEssentials
import Glibc

/// The contents of `cairn.conf` (cairn.conf(5)): the place of the container and its known
/// properties. Keys that this version doesn't know are left alone, and reported.
struct Configuration: Equatable, Sendable {
  /// The place of the container.
  var location: StoreLocation
  /// The settings of its bucket; empty for a directory.
  var bucket = Control.Bucket()
  /// The container's id, in hexadecimal.
  var containerID: String
  /// The person's name for the container, if it has one.
  let name: String?
  /// The name of the container's file system, for people.
  var fileSystem: String
  /// A Boolean value that indicates whether a new entry in the container wakes its readers; if not,
  /// they poll.
  var notifies: Bool
  /// The longest pause between two questions to a container that can't notify, in seconds.
  var pollSeconds: Int
  /// This device's name, for people and for conflict copies.
  let deviceName: String
  /// The folder in which what this person's other devices mirror appears by itself; nil: nowhere.
  var folder: String?
  /// The folders of other devices that appear there; nil: all.
  let choice: FolderChoice?
  /// Bytes that stay free where mirrored folders and the index are.
  var keepFree = Self.usualMargin
  /// The highest rates of bytes to and from the container.
  var limits = Traffic.Limits()
  /// The addresses on which this device listens for wake-ups, and whether it sends any.
  var wake = WakeSettings()
  /// The log levels that a daemon starts with, as `LogLevels` reads them; nil: info.
  var logLevels: String?
  /// A Boolean value that indicates whether the desktop shows notices.
  let notices: Bool
  /// A Boolean value that indicates whether the home has no account in the container, and only
  /// reads its public database.
  var isAnonymous = false

  /// The default number of bytes that stay free on a disk.
  static let usualMargin: UInt64 = 64 << 20
  /// The default of the longest pause between two polls, in seconds.
  static let usualPoll = Int(AskingStore.usualPause)
  /// A container that can't notify is asked at least this often, in seconds.
  static let longestPoll = 86_400

  /// Reads the home's file; nil if there is none.
  static func load(_ home: Home) throws -> Configuration? {
    guard home.isSetUp else { return nil }
    return try load(home.configuration)
  }

  /// Reads the file at a path.
  static func load(_ path: String) throws -> Configuration {
    let text: String
    do { text = try self.text(of: path) } catch {
      throw ControlError(
        .invalidArguments, "\(path) can't be read: \(error)",
        remedy: "Mend the file; cairn.conf(5) describes it.")
    }
    return try Configuration(text, from: path)
  }

  /// Reads the file's text; `path` is for messages.
  init(_ text: String, from path: String) throws {
    let table = try Self.read(text, path)
    guard let text = table["container", "path"]?.string,
      let id = table["container", "id"]?.string
    else {
      throw ControlError(
        .invalidArguments, "\(path) doesn't say which container to use.",
        remedy: "Set path and id in its section [container]; see cairn.conf(5).")
    }
    let bucket = Self.bucket(table)
    let settings: StoreSettings
    do { settings = try BucketKeys.settings(bucket) } catch {
      throw ControlError(
        .invalidArguments, "In \(path), \(error.message)", remedy: error.remedy)
    }
    guard let location = StoreLocation(text, settings) else {
      throw ControlError(
        .invalidArguments,
        StoreLocation.isAddress(text)
          ? "In \(path), the container's path is \(text), which is not the address of a container."
          : "In \(path), the container's path is \(text), which is not an absolute path.",
        remedy: "Write /DIR, s3:https://HOST/BUCKET/PREFIX or https://HOST/PATH; see "
          + "cairn.conf(5).")
    }
    let limits = try Self.limits(table, path)
    self.init(
      location: location, containerID: id,
      fileSystem: table["container", "file-system"]?.string ?? "unknown",
      notifies: table["container", "notifies"]?.bool ?? false,
      pollSeconds: Self.pollSeconds(table),
      deviceName: table["device", "name"]?.string ?? Host.name,
      folder: try Self.folder(table, path), choice: try Self.choice(table, path),
      keepFree: try Self.keepFree(table, path),
      isAnonymous: table["account", "anonymous"]?.bool ?? false, bucket: bucket,
      notices: table["desktop", "notices"]?.bool ?? true, name: try Self.name(table, path))
    self.limits = limits
    wake = try WakeSettings(table, path)
    logLevels = try Self.logLevels(table, path)
  }

  /// Reads the keys and values of the file's text; `path` is for messages.
  private static func read(_ text: String, _ path: String) throws -> ConfigurationText {
    do { return try ConfigurationReader.read(text) } catch {
      throw ControlError(
        .invalidArguments, "\(path) can't be read: \(error).",
        remedy: "Mend the file; cairn.conf(5) describes it.")
    }
  }

  private static func pollSeconds(_ table: ConfigurationText) -> Int {
    let seconds = table["container", "poll-seconds"]?.int ?? Int64(usualPoll)
    return Int(min(Int64(longestPoll), max(1, seconds)))
  }

  private static func logLevels(_ table: ConfigurationText, _ path: String) throws -> String? {
    guard let text = table["log", "level"]?.string else { return nil }
    do { try LogLevels().set(text) } catch {
      throw ControlError(
        .invalidArguments, "In \(path), level is “\(text)”. \(error.message)",
        remedy: error.remedy)
    }
    return text
  }

  private static func bucket(_ table: ConfigurationText) -> Control.Bucket {
    Control.Bucket(
      region: table["s3", "region"]?.string, style: table["s3", "style"]?.string,
      credentialsFile: table["s3", "credentials-file"]?.string,
      profile: table["s3", "profile"]?.string,
      credentialProcess: table["s3", "credential-process"]?.string)
  }

  init(
    location: StoreLocation, containerID: String, fileSystem: String, notifies: Bool,
    pollSeconds: Int, deviceName: String, folder: String? = nil, choice: FolderChoice? = nil,
    keepFree: UInt64 = Configuration.usualMargin, isAnonymous: Bool = false,
    bucket: Control.Bucket = Control.Bucket(), notices: Bool = true, name: String? = nil
  ) {
    self.name = name
    self.bucket = bucket
    self.notices = notices
    self.location = location
    self.containerID = containerID
    self.fileSystem = fileSystem
    self.notifies = notifies
    self.pollSeconds = pollSeconds
    self.deviceName = deviceName
    self.folder = folder
    self.choice = choice
    self.keepFree = keepFree
    self.isAnonymous = isAnonymous
  }

  private static func name(_ table: ConfigurationText, _ path: String) throws -> String? {
    guard let name = table["container", "name"]?.string else { return nil }
    guard Home.isContainerName(name) else {
      let error = Home.invalidContainerName(name)
      throw ControlError(
        error.code, "In \(path), the container's name is wrong: \(error.message)",
        remedy: error.remedy)
    }
    return name
  }

  private static func keepFree(_ table: ConfigurationText, _ path: String) throws -> UInt64 {
    guard let value = table["disk", "keep-free-mib"] else { return usualMargin }
    guard let count = value.int, (0...1 << 40).contains(count) else {
      throw ControlError(
        .invalidArguments, "In \(path), keep-free-mib is no whole number of MiB.",
        remedy: "Write a number from 0 on, or leave it out; see cairn.conf(5).")
    }
    return UInt64(count) << 20
  }

  private static func limits(_ table: ConfigurationText, _ path: String) throws -> Traffic.Limits {
    func limit(_ name: String) throws -> Int64? {
      guard let value = table["network", name] else { return nil }
      guard let rate = RateText.rate(value) else {
        throw ControlError(
          .invalidArguments,
          "In \(path), \(name) is no rate from \(TokenBucket.rates.lowerBound) to "
            + "\(TokenBucket.rates.upperBound) bytes a second.",
          remedy: "Write a number such as 300000, or a text such as \"300k\" or \"1M\"; see "
            + "cairn.conf(5).")
      }
      return rate
    }
    return Traffic.Limits(
      upload: try limit("upload-limit"), download: try limit("download-limit"),
      times: try limitTimes(table, path))
  }

  private static func limitTimes(_ table: ConfigurationText, _ path: String) throws -> LimitTimes {
    guard let value = table["network", "limit-when"] else { return LimitTimes() }
    guard let times = LimitTimes((value.array ?? [value]).map { $0.string ?? "" }) else {
      throw ControlError(
        .invalidArguments,
        "In \(path), limit-when has a text that is neither hours of the day nor \"metered\".",
        remedy: "Write a text such as \"08:00-18:00\", or a list such as "
          + "[\"08:00-18:00\", \"metered\"]; see cairn.conf(5).")
    }
    return times
  }

  private static func folder(_ table: ConfigurationText, _ path: String) throws -> String? {
    guard var folder = table["", "folder"]?.string else { return nil }
    guard folder.hasPrefix("/") else {
      throw ControlError(
        .invalidArguments, "In \(path), folder is \(folder), which is not an absolute path.",
        remedy: "Begin it with a slash, or leave it out; see cairn.conf(5).")
    }
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    return folder
  }

  private static func choice(_ table: ConfigurationText, _ path: String) throws -> FolderChoice? {
    let given = [Control.SelectionChange.only, .without].compactMap { change in
      table["select", change.rawValue].map { value in
        FolderChoice(change: change, paths: (value.array ?? [value]).compactMap(\.string))
      }
    }
    guard given.count <= 1 else {
      throw ControlError(
        .invalidArguments, "In \(path), the section [select] has both only and without.",
        remedy: "Remove one of them; see cairn.conf(5).")
    }
    return given.first
  }

  /// The file's text.
  var text: String {
    var table = ConfigurationText()
    table["", "folder"] = folder.map { .text($0) }
    if let choice {
      table["select", choice.change.rawValue] = .list(choice.paths.map { .text($0) })
    }
    table["container", "path"] = .text(location.text)
    table["container", "id"] = .text(containerID)
    table["container", "name"] = name.map { .text($0) }
    table["container", "file-system"] = .text(fileSystem)
    table["container", "notifies"] = .truth(notifies)
    table["container", "poll-seconds"] = .number(Int64(pollSeconds))
    for (name, value) in [
      ("region", bucket.region), ("style", bucket.style),
      ("credentials-file", bucket.credentialsFile), ("profile", bucket.profile),
      ("credential-process", bucket.credentialProcess),
    ] { table["s3", name] = value.map { .text($0) } }
    table["device", "name"] = .text(deviceName)
    if isAnonymous { table["account", "anonymous"] = .truth(true) }
    if keepFree != Self.usualMargin {
      table["disk", "keep-free-mib"] = .number(Int64(keepFree >> 20))
    }
    table["network", "upload-limit"] = limits.upload.map { .number($0) }
    table["network", "download-limit"] = limits.download.map { .number($0) }
    let times = limits.times.texts.map { ConfigurationText.Value.text($0) }
    if !times.isEmpty { table["network", "limit-when"] = .list(times) }
    wake.write(to: &table)
    if !notices { table["desktop", "notices"] = .truth(false) }
    table["log", "level"] = logLevels.map { .text($0) }
    return Self.firstLine + table.text
  }

  private static let firstLine = "# Cairn's configuration; see cairn.conf(5).\n"

  /// Writes the file, complete or not at all, readable by its owner only.
  func save(_ path: String) throws {
    do {
      try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
    } catch {
      throw ControlError(
        .internalError, "\(path) can't be written: \(error)", remedy: "Check the folder.")
    }
    chmod(path, 0o600)
  }

  /// Names another place of the container in a home's file. What else stands there stays, but for
  /// comments; the file as it was is kept beside it.
  static func relocate(
    _ home: Home, to location: StoreLocation, _ bucket: Control.Bucket, _ traits: StoreTraits
  ) throws {
    let path = home.configuration
    guard var moved = try load(home) else { throw home.noAccount }
    (moved.location, moved.bucket) = (location, bucket)
    (moved.fileSystem, moved.notifies) = (traits.fileSystem, traits.notifies)
    let before = try text(of: path)
    var table = try read(before, path)
    let new = try read(moved.text, path)
    for name in ["container", "s3"] { table[section: name] = new[section: name] }
    do {
      try Data(before.utf8).write(to: URL(filePath: path + ".old"), options: .atomic)
      chmod(path + ".old", 0o600)
      try Data((firstLine + table.text).utf8).write(to: URL(filePath: path), options: .atomic)
    } catch {
      throw ControlError(
        .internalError, "\(path) can't be written: \(error)",
        remedy: "Check the folder, and run it again.")
    }
    chmod(path, 0o600)
  }

  private static func text(of path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
  }
}

/// This machine.
enum Host {
  /// The identity of the machine's start, as the kernel names it; nil if it doesn't.
  static var boot: String? {
    do {
      let text = try Data(contentsOf: URL(filePath: "/proc/sys/kernel/random/boot_id"))
      let name = String(decoding: text, as: UTF8.self).filter { $0.isHexDigit }
      return name.isEmpty ? nil : name
    } catch {
      return nil
    }
  }

  /// Returns the identity of the machine's start, and of the mounting of the folder's file system;
  /// nil if the kernel doesn't name the start.
  static func start(with folder: String) -> String? {
    boot.map { "\($0) \(SystemDisk().mounting(at: folder) ?? "-")" }
  }

  /// Its name without the domain.
  static var name: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
    let bytes = buffer.map { UInt8(bitPattern: $0) }
      .prefix { $0 != 0 && $0 != UInt8(ascii: ".") }
    return bytes.isEmpty ? "localhost" : String(decoding: bytes, as: UTF8.self)
  }
}
