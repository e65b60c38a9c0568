import CairnIdentity
public import CairnZone

extension Zone {
  /// The reason why a record cannot have a file of `size` bytes from now on: the owner's limit. Nil
  /// if it fits. Replay has the last word.
  public func lackOfRoom(for size: UInt64, in record: RecordID) throws -> CloudError? {
    let header = header
    guard let quota = header.quota else { return nil }
    let before = try read { try $0.record(record)?.content?.size } ?? 0
    let bytes = header.bytes - min(before, header.bytes) + size
    guard size > before, bytes > quota else { return nil }
    return CloudError(
      Refusal(
        .quotaExceeded, record,
        "The zone would have \(bytes) bytes, and its owner's limit is \(quota)."),
      owner: try exclusively { try $0.ownerName })
  }
}
