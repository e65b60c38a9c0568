import CairnIdentity
import CairnWire
import CairnZone

private func damaged(_ why: String) -> FormatError { FormatError("commit", why) }

extension WireCommit {
  /// The commit, and the nonce of the zone's id if it is the first. It may still be invalid, which
  /// replay decides. Content without a form in `CairnZone` is refused here.
  func commit(epoch: UInt64) throws(FormatError) -> (commit: Commit, nonce: Bytes16?) {
    guard let previous = Bytes32(previous), let user = UserID(bytes: user),
      let device = DeviceID(bytes: device)
    else { throw damaged("its author or the entry before it is missing") }
    var commit = Commit(
      previous: previous, author: Author(user: user, device: device), time: time, epoch: epoch,
      reversal: hasReversal ? reversal.note : nil)
    var nonce: Bytes16?
    if hasGenesis {
      guard let owner = UserID(bytes: genesis.owner), let found = Bytes16(genesis.nonce) else {
        throw damaged("its genesis isn't complete")
      }
      commit.genesis = Genesis(
        owner: owner, name: genesis.name, site: try genesis.siteID())
      nonce = found
    }
    commit.chunks.reserveCapacity(chunks.count)
    for chunk in chunks { commit.chunks.append(try chunk.entry()) }
    commit.records.reserveCapacity(records.count)
    for record in records { commit.records.append(try record.change()) }
    for change in share { commit.share.append(try change.shareChange()) }
    if !nextKey.isEmpty {
      guard let next = Bytes32(nextKey) else { throw damaged("its next key has a wrong size") }
      commit.nextKey = next
    }
    if !run.isEmpty {
      guard let found = Bytes16(run) else { throw damaged("its run has a wrong size") }
      commit.run = found
    }
    if !lock.isEmpty {
      guard let found = Bytes32(lock) else { throw damaged("its lock has a wrong size") }
      commit.lock = found
    }
    guard hasChain else { throw damaged("the head of its author's chain is missing") }
    commit.chain = try chain.chainHead()
    commit.keys = try WireMemberKey.keys(keys)
    return (commit, nonce)
  }
}

extension WireMemberKey {
  static func keys(_ stored: [WireMemberKey]) throws(FormatError) -> [UserID: Bytes32] {
    var found: [UserID: Bytes32] = [:]
    var last: UserID?
    for member in stored {
      guard let user = UserID(bytes: member.user), let key = Bytes32(member.key),
        last.map({ $0 < user }) ?? true
      else { throw damaged("a member's key is none, or they aren't in order") }
      found[user] = key
      last = user
    }
    return found
  }
}

extension WireReversal {
  /// Nil if its kind has no meaning here.
  fileprivate var note: ReversalNote? {
    ReversalNote.Kind(rawValue: kind).map {
      ReversalNote(kind: $0, place: place, first: first, ends: ends)
    }
  }
}

extension WireChunkEntry {
  func entry() throws(FormatError) -> ChunkEntry {
    guard let name = ChunkName(bytes: name) else { throw damaged("a chunk has no name") }
    var entry = ChunkEntry(name: name, size: size, place: Array(place), isAgain: again)
    if !after.isEmpty {
      guard let start = ChunkName(bytes: after) else { throw damaged("a chunk has no name") }
      entry.after = start
    }
    guard !pack.isEmpty else {
      guard generation == 0 else { throw damaged("a chunk has a generation, and no pack") }
      return entry
    }
    guard let pack = PackName(bytes: pack) else { throw damaged("a pack has no name") }
    entry.pack = PackStamp(pack: pack, generation: generation)
    return entry
  }
}

extension WireRecordChange {
  func change() throws(FormatError) -> RecordChange {
    guard let id = RecordID(bytes: id) else { throw damaged("a record has no id") }
    var change = RecordChange(id: id, act: try decodedAct())
    if hasPlace { change.place = try place.decoded() }
    if hasContent { change.content = try content.content() }
    if hasTarget { change.target = Array(target) }
    if hasAttributes { change.attributes = try attributes.decoded() }
    change.fields = try WireField.decoded(fields)
    return change
  }

  private func decodedAct() throws(FormatError) -> RecordChange.Act {
    switch (act, kind) {
    case (.create, .file): return .create(.file)
    case (.create, .directory): return .create(.directory)
    case (.create, .symlink): return .create(.symlink)
    case (.create, .reference): return .create(.reference)
    case (.create, .typed): return .create(.typed(typeName))
    case (.update, .unspecified): return .update
    case (.delete, .unspecified): return .delete
    default: throw damaged("a change doesn't say what happens to its record")
    }
  }
}

extension WirePlace {
  func decoded() throws(FormatError) -> Place {
    guard let parent = RecordID(bytes: parent), let name = FileName(name) else {
      throw damaged("a record has a name that Linux doesn't allow, or no folder")
    }
    return Place(parent: parent, name: name)
  }
}

extension WireAttributes {
  func decoded() throws(FormatError) -> Attributes {
    var found = Attributes(isExecutable: executable, modified: modified)
    if hasMode {
      guard mode <= 0o7777 else { throw damaged("a mode has more than twelve bits") }
      found.mode = UInt16(mode)
    }
    guard hasExtended else { return found }
    var named: [[UInt8]: [UInt8]] = [:]
    var last: [UInt8] = []
    for attribute in extended.attributes {
      let name = Array(attribute.name)
      guard last.lexicographicallyPrecedes(name) else {
        throw damaged("extended attributes aren't in order, or one is there twice")
      }
      named[name] = Array(attribute.value)
      last = name
    }
    found.extended = named
    return found
  }
}

extension WireContent {
  func content() throws(FormatError) -> Content {
    guard let id = ContentID(bytes: id), chunks.count.isMultiple(of: 32) else {
      throw damaged("a content has no id, or half a chunk's name")
    }
    let bytes = Array(chunks)
    var names: [ChunkName] = []
    names.reserveCapacity(bytes.count / 32)
    for start in stride(from: 0, to: bytes.count, by: 32) {
      guard let name = ChunkName(bytes: bytes[start..<start + 32]) else {
        preconditionFailure("32 bytes make a name")
      }
      names.append(name)
    }
    let content = Content(size: size, chunks: names)
    // Code that compares contents by id must be able to trust it.
    guard content.id == id else { throw damaged("a content's id isn't that of its chunks") }
    return content
  }
}

extension WireField {
  /// The fields by name; nil: the field is removed.
  static func decoded(_ stored: [WireField]) throws(FormatError) -> [String: FieldValue?] {
    var fields: [String: FieldValue?] = [:]
    var last: [UInt8]?
    for field in stored {
      // Compared as bytes: two spellings of one character are two names, and not every program's
      // strings know that.
      let name = Array(field.name.utf8)
      guard last.map({ $0.lexicographicallyPrecedes(name) }) ?? true else {
        throw damaged("a record's fields aren't in order, or one is there twice")
      }
      last = name
      guard fields.updateValue(try field.decoded(), forKey: field.name) == nil else {
        throw damaged("a record has two fields whose names are the same text")
      }
    }
    return fields
  }

  private func decoded() throws(FormatError) -> FieldValue? {
    switch value {
    case .data(let data)?: return .bytes(Array(data))
    case .text(let text)?: return .text(text)
    case .integer(let integer)?: return .integer(integer)
    case .number(let number)?: return .number(number)
    case .boolean(let isTrue)?: return .boolean(isTrue)
    case .date(let time)?: return .date(time)
    case .location(let place)?:
      return .location(latitude: place.latitude, longitude: place.longitude)
    case .list(let list)?: return .list(try list.decoded())
    case .reference(let id)?:
      guard let id = RecordID(bytes: id) else { throw damaged("a reference has no id") }
      return .reference(id)
    case .asset(let content)?: return .asset(try content.content())
    case .removed(true)?: return nil
    case .removed(false)?, nil: throw damaged("a field has no value")
    }
  }

  /// The value as an element of a list.
  fileprivate func element() throws(FormatError) -> FieldValue {
    // Lists inside lists are not decoded, however deep they are.
    if case .list? = value { throw damaged("a list holds a list") }
    guard name.isEmpty, let value = try decoded() else {
      throw damaged("an element of a list has a name, or no value")
    }
    return value
  }
}

extension WireFieldList {
  fileprivate func decoded() throws(FormatError) -> [FieldValue] {
    var found: [FieldValue] = []
    found.reserveCapacity(values.count)
    for value in values { found.append(try value.element()) }
    return found
  }
}
