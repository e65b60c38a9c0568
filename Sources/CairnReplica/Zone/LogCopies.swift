import CairnIdentity
import CairnStore
import CairnWire
import CairnZone
import FoundationEssentials

/// Spare copies: entries of a log as they are stored, one after the other.
struct LogCopies {
  static let format: UInt32 = 1
  /// The maximum number of bytes of such an object.
  static let limit = EntryCodec.limit + (64 << 10)

  /// The entries.
  var entries: [[UInt8]]
  /// The position of the last entry.
  var place: UInt64

  init(entries: [[UInt8]], place: UInt64) {
    self.entries = entries
    self.place = place
  }

  /// Parses an object; nil if it is no spare copy, because anybody can put objects there.
  init?(_ bytes: [UInt8]) {
    do throws(FormatError) {
      let wire = try StoredMessage.decode(
        bytes, as: WireLogCopies.self, "copies of a log", limit: Self.limit)
      guard wire.format == Self.format, !wire.entries.isEmpty,
        wire.place >= UInt64(wire.entries.count), wire.place < UInt64(Int64.max)
      else { return nil }
      self.init(entries: wire.entries.map { Array($0) }, place: wire.place)
    } catch {
      return nil
    }
  }

  func encoded() -> [UInt8] {
    var wire = WireLogCopies()
    wire.format = Self.format
    wire.entries = entries.map { .init($0) }
    wire.place = place
    return StoredMessage.encode(wire)
  }

  /// Returns the entry with that digest, if the container has a spare copy of it under a known key.
  static func find(
    _ digest: Bytes32, in folder: ZoneFolder, _ store: any ObjectStore, _ keys: Keyring
  ) throws(StoreError) -> [UInt8]? {
    for key in keys.all.reversed() {
      for number in 0..<ZoneFolder.copies {
        do throws(StoreError) {
          guard let bytes = try store.get(folder.copy(of: digest, number, key), upTo: limit) else {
            break
          }
          if let entry = LogCopies(bytes)?.entries.last, EntryCodec.digest(of: entry) == digest {
            return entry
          }
        } catch {
          // There is another object; the next one may be a copy.
          guard error.code == .corrupt else { throw error }
        }
      }
    }
    return nil
  }
}
