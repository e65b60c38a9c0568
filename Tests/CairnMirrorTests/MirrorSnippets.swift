import CairnCloud
import CairnMirror

// The code of the article about mirrors in CairnCloud.docc. ArticleTests compares it.
enum MirrorSnippets {
  static func open(_ path: String, in container: CloudContainer) async throws -> CairnMirror {
    let mirror = try await CairnMirror.open(
      path, tables: ["note", "paragraph"], in: container)
    try await mirror.sync()
    return mirror
  }

  static func share(_ mirror: CairnMirror, _ bob: PersonID) async throws -> CloudZone {
    let note = MirroredRow("note", .integer(1))
    let share = try await mirror.share([note], title: "Trip")
    try await share.invite([bob])
    return share
  }

  static func look(_ mirror: CairnMirror, since token: Int64?) async throws -> [MirrorChange] {
    for problem in try await mirror.problems() { print(problem.row, problem.message) }
    print(try await mirror.status().unsent, try await mirror.plan().count)
    let changes = try await mirror.history(since: token)
    return changes
  }
}
