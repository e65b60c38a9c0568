import CairnIdentity
import CairnZone
import FoundationEssentials

// The notes of a home about unfinished commands, as they are stored. Paths are bytes, and JSON has
// texts.

extension OwnMounts {
  /// A zone that is about to be created.
  struct NewZoneLine: Codable {
    private var zone: String
    private var name: String
    private var nonce: String

    init(_ new: NewZone) {
      zone = new.id.description
      name = new.name
      nonce = hexadecimal(new.nonce.bytes)
    }

    func read() throws -> NewZone {
      guard let zone = ZoneID(hexadecimal: zone),
        let nonce = readHexadecimal(Array(nonce.utf8)).flatMap({ Bytes16($0) })
      else { throw CocoaError(.fileReadCorruptFile) }
      return NewZone(id: zone, name: name, nonce: nonce)
    }
  }

  /// A part on its way out of its share.
  struct LeavingLine: Codable {
    private var part: String
    /// The zone that it moves to; nil if it will not be mirrored any more.
    private var target: NewZoneLine?

    init(_ part: ZonePart, _ exit: Exit) {
      self.part = part.description
      target = exit.target.map { NewZoneLine($0) }
    }

    func read() throws -> (ZonePart, Exit) {
      guard let part = ZonePart(part) else { throw CocoaError(.fileReadCorruptFile) }
      return (part, try target.map { .to(try $0.read()) } ?? .unmirrored)
    }
  }

  /// The intent of a command that mirrors folders.
  struct IntentLine: Codable {
    private struct Item: Codable {
      var part: String
      var path: [UInt8]
      var isFile: Bool
      var source: String?
      var wasMarked: Bool
      var isMade: Bool
    }

    private var zone: String
    private var new: NewZoneLine?
    private var title: String?
    private var items: [Item]
    private var isWithdrawn: Bool

    init(_ intent: MountIntent) {
      zone = intent.zone.description
      new = intent.new.map { NewZoneLine($0) }
      title = intent.title
      items = intent.items.map { item in
        Item(
          part: item.part.description, path: item.path, isFile: item.isFile,
          source: item.source?.description, wasMarked: item.wasMarked,
          isMade: item.isMade)
      }
      isWithdrawn = intent.isWithdrawn
    }

    func read() throws -> MountIntent {
      guard let zone = ZoneID(hexadecimal: zone) else { throw CocoaError(.fileReadCorruptFile) }
      var intent = MountIntent(zone: zone, title: title, items: try items.map { try Self.read($0) })
      intent.new = try new?.read()
      intent.isWithdrawn = isWithdrawn
      return intent
    }

    private static func read(_ item: Item) throws -> MountIntent.Item {
      let source = item.source.map { ZoneID(hexadecimal: $0) }
      guard let part = ZonePart(item.part), source != .some(nil) else {
        throw CocoaError(.fileReadCorruptFile)
      }
      return MountIntent.Item(
        part: part, path: item.path, isFile: item.isFile, source: source ?? nil,
        wasMarked: item.wasMarked, isMade: item.isMade)
    }
  }
}
