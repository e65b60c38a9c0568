/// A reply, and the JSON that it was read from: what `--json` prints.
public struct ControlAnswer<Reply: Codable & Sendable>: Sendable {
  /// The reply.
  public let reply: Reply
  /// The reply's JSON object exactly as it was sent, one line without a newline.
  public let json: [UInt8]
}

/// What comes before the answer, and the JSON that it was read from.
public struct ControlUpdate: Sendable {
  /// The progress, the event, or that a portion of the list is here.
  public let update: Control.Update
  /// Its JSON exactly as it was sent, one line without a newline.
  public let json: [UInt8]

  /// The things of a portion of a list. Throws `incompatibleVersion` if they are other things.
  public func items<Item: Decodable>(_ type: Item.Type) throws(ControlError) -> [Item] {
    do { return try ControlJSON.decode([Item].self, from: json) } catch {
      throw ControlError.unreadable(error)
    }
  }
}

extension ControlError {
  /// What the daemon said can't be understood.
  static func unreadable(_ error: any Error) -> ControlError {
    ControlError(
      .incompatibleVersion, "The daemon's answer can't be read: " + ControlJSON.explain(error),
      remedy: "Daemon and command may be of two versions: run `cairn stop`, then try again.")
  }
}

extension ControlAnswer {
  /// Reads lines until the last, and hands those before it to `onUpdate`. Throws the `ControlError`
  /// that the last line holds, or what `onUpdate` throws; `interrupted` if there is no last line.
  static func read(
    from next: () throws(ControlError) -> [UInt8]?, whatEnded: String,
    onUpdate: (ControlUpdate) throws(ControlError) -> Void
  ) throws(ControlError) -> ControlAnswer {
    while let bytes = try next() {
      let line: Control.Line<Reply>
      do {
        line = try ControlJSON.decode(Control.Line<Reply>.self, from: bytes)
      } catch {
        throw .unreadable(error)
      }
      switch line {
      case .update(let update):
        try onUpdate(ControlUpdate(update: update, json: member(of: bytes)))
      case .reply(let reply):
        return ControlAnswer(reply: reply, json: member(of: bytes))
      case .error(let error):
        throw error
      }
    }
    throw ControlError(
      .interrupted, whatEnded + " before the answer was complete.",
      remedy: "What was begun goes on when the daemon runs; then ask once more.")
  }

  /// The value in `{"name":value}`, as it stands there.
  private static func member(of line: [UInt8]) -> [UInt8] {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
      let brace = line.lastIndex(of: UInt8(ascii: "}")), colon < brace
    else { return line }
    return Array(line[(colon + 1)..<brace])
  }
}
