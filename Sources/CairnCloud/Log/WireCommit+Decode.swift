import CairnZone

private func damaged(_ why: String) -> FormatError { FormatError("commit", why) }

extension WireCommit {
  /// The commit, and the nonce of the zone's id if it is the first. What it says may still be
  /// nonsense: the fold judges that. What can't be said in `CairnZone`'s words is refused here.
  func commit(epoch: UInt64) throws(FormatError) -> (commit: Commit, nonce: Bytes16?) {
    guard let previous = Bytes32(previous), let user = UserID(bytes: user),
      let device = DeviceID(bytes: device)
    else { throw damaged("its author or the entry before it is missing") }
    var commit = Commit(
      previous: previous, author: Author(user: user, device: device), time: time, epoch: epoch)
    var nonce: Bytes16?
    if hasGenesis {
      guard let owner = UserID(bytes: genesis.owner), let found = Bytes16(genesis.nonce) else {
        throw damaged("its genesis isn't complete")
      }
      commit.genesis = Genesis(owner: owner, name: genesis.name)
      nonce = found
    }
    commit.chunks.reserveCapacity(chunks.count)
    for chunk in chunks {
      guard let name = ChunkName(bytes: chunk.name) else {
        throw damaged("a chunk has no name")
      }
      commit.chunks.append(
        ChunkEntry(name: name, size: chunk.size, place: Array(chunk.place)))
    }
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
    guard hasChain else { throw damaged("the head of its author's chain is missing") }
    commit.chain = try chain.chainHead()
    commit.keys = try memberKeys()
    return (commit, nonce)
  }

  private func memberKeys() throws(FormatError) -> [UserID: Bytes32] {
    var found: [UserID: Bytes32] = [:]
    var last: UserID?
    for member in keys {
      guard let user = UserID(bytes: member.user), let key = Bytes32(member.key),
        last.map({ $0 < user }) ?? true
      else { throw damaged("a member's key is none, or they aren't in order") }
      found[user] = key
      last = user
    }
    return found
  }
}

extension WireChainHead {
  func chainHead() throws(FormatError) -> ChainHead {
    guard let head = Bytes32(head), length > 0 else { throw damaged("the head of a chain is none") }
    return ChainHead(length: length, head: head)
  }
}

extension WireRecordChange {
  func change() throws(FormatError) -> RecordChange {
    guard let id = RecordID(bytes: id) else { throw damaged("a record has no id") }
    var change = RecordChange(id: id, act: try decodedAct())
    if hasPlace {
      guard let parent = RecordID(bytes: place.parent), let name = FileName(place.name) else {
        throw damaged("a record has a name that Linux doesn't allow, or no folder")
      }
      change.place = Place(parent: parent, name: name)
    }
    if hasContent { change.content = try content.content() }
    if hasTarget { change.target = Array(target) }
    if hasAttributes {
      change.attributes = Attributes(
        isExecutable: attributes.executable, modified: attributes.modified)
    }
    var last: [UInt8]?
    for field in fields {
      // As bytes: two spellings of one character are two names, and not everybody's text knows.
      let name = Array(field.name.utf8)
      guard last.map({ $0.lexicographicallyPrecedes(name) }) ?? true else {
        throw damaged("a record's fields aren't in order, or one is there twice")
      }
      last = name
      guard change.fields.updateValue(try field.decoded(), forKey: field.name) == nil else {
        throw damaged("a record has two fields whose names are the same text")
      }
    }
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
    // Whatever decides by the id that bytes are the same must be able to believe it.
    guard content.id == id else { throw damaged("a content's id isn't that of its chunks") }
    return content
  }
}

extension WireField {
  /// nil: the field is removed.
  func decoded() throws(FormatError) -> FieldValue? {
    switch value {
    case .data(let data)?: return .bytes(Array(data))
    case .text(let text)?: return .text(text)
    case .integer(let integer)?: return .integer(integer)
    case .removed(true)?: return nil
    case .removed(false)?, nil: throw damaged("a field has no value")
    }
  }
}
