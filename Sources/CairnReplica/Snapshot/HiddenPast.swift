import CairnIdentity
import CairnWire
import CairnZone
import FoundationEssentials

/// A snapshot's past up to one closing, from the one before it on: versions that ended then, and
/// the chunks that only they consist of. It is sealed with the key of the epoch that ended with the
/// closing, so a person with later keys only cannot open it; they don't need it either, because it
/// is no part of the state.
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
