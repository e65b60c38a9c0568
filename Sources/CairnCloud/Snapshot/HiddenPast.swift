import CairnZone
import FoundationEssentials

/// What a snapshot has of the past up to one closing, and from the one before it on: versions that
/// ended then, and the chunks that only they are made of. It is sealed under the key of the epoch
/// that was over with the closing, so whoever was given later keys only can't open it; they don't
/// need it either, since it is no part of the state.
struct HiddenPast: Hashable, Sendable {
  /// The epoch whose key opens it.
  var epoch: UInt64
  /// The digest of the versions.
  var versions: Bytes32
  /// The digest of the chunks.
  var chunks: Bytes32

  /// As it counts in what a floor says of the past.
  var bytes: [UInt8] { Crypto.number(epoch) + versions.bytes + chunks.bytes }
}

extension WireHiddenPast {
  init(_ hidden: HiddenPast) {
    self.init()
    epoch = hidden.epoch
    versions = .init(hidden.versions.bytes)
    chunks = .init(hidden.chunks.bytes)
  }

  func hiddenPast() throws(FormatError) -> HiddenPast {
    guard let versions = Bytes32(versions), let chunks = Bytes32(chunks) else {
      throw FormatError("snapshot", "what is hidden in it has no digest")
    }
    return HiddenPast(epoch: epoch, versions: versions, chunks: chunks)
  }
}
