import CairnIdentity
import CairnReplica
import CairnStore
import CairnZone

/// The folders of packs: they belong to the person whose packs are in them.
extension Garbage {
  /// Returns the next generation, and creates its folder and that of the one after it: the person
  /// who makes such a folder first can close it. A folder that somebody else made is taken back, or
  /// its generation is skipped.
  func openGeneration(after newest: UInt32) throws -> UInt32 {
    var generation = Retirement.generation(after: newest)
    for _ in 0..<8 where try !claim(generation) {
      generation = Retirement.generation(after: generation)
    }
    _ = try claim(Retirement.generation(after: generation))
    return generation
  }

  /// - Returns: False if the container doesn't let this person use the folder.
  private func claim(_ generation: UInt32) throws -> Bool {
    let folder = PackStamp.folder(of: generation, owner: me)
    do throws(StoreError) {
      try container.store.reclaim(folder)
      try container.store.claim(folder)
      return true
    } catch {
      guard [.denied, .corrupt, .unsupported].contains(error.code) else { throw CloudError(error) }
      return false
    }
  }

  /// Creates the folders of a generation as this person's before others put packs there. In a
  /// folder that only its owner may clean up, packs could otherwise never be deleted.
  func claimFolders(_ generation: UInt32) throws {
    let folder = PackStamp.folder(of: generation, owner: me)
    do throws(StoreError) {
      for number: UInt8 in .min ... .max {
        try container.store.claim("\(folder)/\(hexadecimal([number]))")
      }
    } catch {
      throw CloudError(error)
    }
  }

  /// Removes the folders of closed generations that contain no packs any more.
  func prune(_ survey: Survey) throws {
    let packs = Set(try self.packs().map(\.stamp.generation))
    let own = ObjectKind.packs.path(me) + "/"
    do throws(StoreError) {
      for name in try container.store.folders(in: own) {
        guard let generation = UInt32(name, radix: 16), generation < survey.open,
          !packs.contains(generation), generation != PackStamp.publicGeneration,
          "\(own)\(name)" == PackStamp.folder(of: generation, owner: me)
        else { continue }
        try container.store.prune("\(own)\(name)")
      }
    } catch {
      throw CloudError(error)
    }
  }
}
