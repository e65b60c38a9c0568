import CairnIdentity
import CairnZone
import FoundationEssentials
import Glibc
import Synchronization

/// The folders of this device that are mirrors, in a file of its home. The file is not a cache:
/// every device of the person can write the account's records of these folders.
public final class OwnMounts: Sendable {
  /// The contents of the file.
  struct Saved: Equatable, Sendable {
    /// The mounts of this device.
    var mounts: [MountEntry] = []
    /// The zones that this device doesn't mirror automatically, although other devices do.
    var declined: Set<ZoneID> = []
    /// The mounts that are being taken out of their shares.
    var leaving: [ZonePart: Exit] = [:]
    /// The intents of unfinished commands that mirror folders.
    var intents: [MountIntent] = []
  }

  /// One mount as it is stored in the file. Paths are bytes, and JSON has texts.
  private struct Line: Codable {
    var zone: String
    var record: String
    var device: String
    var path: [UInt8]
    var isFile: Bool
    var author: String?
  }

  private struct Lines: Codable {
    var mounts: [Line]
    var declined: [String]
    /// Missing if there are none.
    var leaving: [LeavingLine]?
    /// Missing if there are none.
    var intents: [IntentLine]?
  }

  private let path: String
  private let known = Mutex<Saved?>(nil)
  /// The mirrored zones, as far as the file was read. It is asked during a replay, which must wait
  /// for nobody else.
  private let zones = Mutex<Set<ZoneID>?>(nil)

  /// Creates a value for a file of the home. The file may not exist yet.
  public init(path: String) { self.path = path }

  /// Returns the contents of the file. If there is none, it is written with the result of `first`.
  func saved(or first: () throws -> Saved) throws -> Saved {
    try known.withLock { try load(&$0, first) }
  }

  /// Changes the contents of the file. They are on the disk when this returns.
  func change(read first: () throws -> Saved, _ body: (inout Saved) -> Void) throws {
    try known.withLock { known in
      var saved = try load(&known, first)
      let before = saved
      body(&saved)
      guard saved != before else { return }
      do { try write(saved) } catch {
        // The file may have either contents. It is read again.
        known = nil
        zones.withLock { $0 = nil }
        throw error
      }
      known = saved
      note(saved)
    }
  }

  private func note(_ saved: Saved) { zones.withLock { $0 = Set(saved.mounts.map(\.zone)) } }

  /// Returns whether this device mirrors a zone. An unreadable file says nothing, so then it does.
  func mirrors(_ zone: ZoneID) -> Bool {
    zones.withLock { zones in
      do {
        let known = try zones ?? Set((read()?.mounts ?? []).map(\.zone))
        zones = known
        return known.contains(zone)
      } catch {
        return true
      }
    }
  }

  private func load(_ known: inout Saved?, _ first: () throws -> Saved) throws -> Saved {
    if let known { return known }
    let saved: Saved
    if let found = try read() {
      saved = found
    } else {
      saved = try first()
      try write(saved)
    }
    known = saved
    note(saved)
    return saved
  }

  /// Returns the contents of the file; nil if it doesn't exist, or is empty after a power cut.
  private func read() throws -> Saved? {
    guard access(path, F_OK) == 0 else { return nil }
    do {
      let data = try Data(contentsOf: URL(filePath: path))
      guard !data.isEmpty else { return nil }
      let lines = try JSONDecoder().decode(Lines.self, from: data)
      return Saved(
        mounts: try lines.mounts.map { try Self.mount($0) },
        declined: Set(lines.declined.compactMap { ZoneID(hexadecimal: $0) }),
        leaving: try Dictionary(
          (lines.leaving ?? []).map { try $0.read() }, uniquingKeysWith: { $1 }),
        intents: try (lines.intents ?? []).map { try $0.read() })
    } catch {
      throw CloudError(
        .internalError, "the list of mirrored folders, \(path), can't be read: \(error)",
        remedy: "put it back from a backup, or remove it: it is made again from your account")
    }
  }

  private static func mount(_ line: Line) throws -> MountEntry {
    guard let zone = ZoneID(hexadecimal: line.zone),
      let record = RecordID(hexadecimal: line.record),
      let device = DeviceID(hexadecimal: line.device)
    else { throw CocoaError(.fileReadCorruptFile) }
    return MountEntry(
      zone: zone, record: record, device: device, path: line.path, isFile: line.isFile,
      author: line.author.flatMap { UserID(hexadecimal: $0) })
  }

  private func write(_ saved: Saved) throws {
    let lines = Lines(
      mounts: saved.mounts.map { mount in
        Line(
          zone: mount.zone.description, record: hexadecimal(mount.record.bytes),
          device: hexadecimal(mount.device.bytes), path: mount.path, isFile: mount.isFile,
          author: mount.author?.description)
      }, declined: saved.declined.map(\.description).sorted(),
      leaving: saved.leaving.isEmpty ? nil : saved.leaving.map { LeavingLine($0, $1) },
      intents: saved.intents.isEmpty ? nil : saved.intents.map { IntentLine($0) })
    do {
      try DurableFile.replace(path, with: Array(JSONEncoder().encode(lines)))
    } catch {
      throw CloudError(
        .internalError, "the list of mirrored folders, \(path), can't be written: \(error)",
        remedy: "free space on that disk, and check the owner of the folder")
    }
  }
}
