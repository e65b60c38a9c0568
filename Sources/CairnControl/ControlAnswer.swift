/// A reply, and its JSON for `--json`.
public struct ControlAnswer<Reply: Codable & Sendable>: Sendable {
  /// The reply.
  public let reply: Reply
  /// The reply's JSON object exactly as received, one line without a newline.
  public let json: [UInt8]
}

/// An update before the answer, and its JSON.
public struct ControlUpdate: Sendable {
  /// The progress, the event, or the announcement of a batch of the list.
  public let update: Control.Update
  /// Its JSON exactly as received, one line without a newline.
  public let json: [UInt8]

  /// Decodes the items of a batch of a list. Throws `incompatibleVersion` if they have another
  /// type.
  public func items<Item: Decodable>(_ type: Item.Type) throws(ControlError) -> [Item] {
    do { return try ControlJSON.decode([Item].self, from: json) } catch {
      throw ControlError.unreadable(error)
    }
  }
}

extension ControlError {
  /// The error for an answer that cannot be decoded.
  static func unreadable(_ error: any Error) -> ControlError {
    ControlError(
      .incompatibleVersion, "The daemon's answer can't be read: " + ControlJSON.explain(error),
      remedy: "Daemon and command may be of two versions: run `cairn stop`, then try again.")
  }
}

extension ControlAnswer {
  /// Reads lines until the last one, and passes earlier lines to `onUpdate`. Throws the
  /// `ControlError` in the last line, the error of `onUpdate`, or `interrupted` without a last
  /// line.
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
      remedy: "Work continues in the background. Try again when the daemon is running.")
  }

  /// The unchanged value in `{"name":value}`.
  private static func member(of line: [UInt8]) -> [UInt8] {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
      let brace = line.lastIndex(of: UInt8(ascii: "}")), colon < brace
    else { return line }
    return Array(line[(colon + 1)..<brace])
  }
}
