import CairnCloud
import Foundation

/// The page with all pictures: a file of HTML, and the pictures beside it.
extension Album {
  func writeWall(to directory: String) async throws {
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
    var page = """
      <!doctype html><meta charset="utf-8"><title>Album</title>
      <style>body { font: 16px sans-serif } img { max-width: 320px; margin: 4px }</style>

      """
    for zone in try await zones() {
      page += "<h1>\(escaped(zone.name))\(zone.canEdit ? "" : " (view only)")</h1>\n"
      page += try await section(of: zone, in: directory)
    }
    try page.write(toFile: directory + "/index.html", atomically: true, encoding: .utf8)
  }

  private func section(of zone: CloudZone, in directory: String) async throws -> String {
    let tags = try await tagNames(of: zone)
    let thumbnails = Dictionary(
      try await zone.records(CloudQuery("Thumbnail")).records.compactMap { thumbnail in
        thumbnail["picture"]?.record.map { ($0, thumbnail) }
      }, uniquingKeysWith: { first, _ in first })
    let pictures = Dictionary(grouping: try await zone.records(CloudQuery("Picture")).records) {
      $0["post"]?.record
    }
    var section = ""
    for post in try await zone.records(Self.posts).records {
      let names = (post["tags"]?.values ?? []).compactMap { $0.record.flatMap { tags[$0] } }
      section += "<h2>\(escaped(post["title"]?.string ?? ""))</h2>\n"
      section += "<p>" + names.sorted().map { escaped("#" + $0) }.joined(separator: " ") + "</p>\n"
      for picture in pictures[post.id] ?? [] {
        let kind = String((picture["kind"]?.string ?? "").filter { $0.isLetter || $0.isNumber })
        guard let full = try await file(of: picture, kind, zone, directory) else { continue }
        var small: String?
        if let thumbnail = thumbnails[picture.id] {
          small = try await file(of: thumbnail, kind, zone, directory)
        }
        section += "<a href=\"\(full)\"><img src=\"\(small ?? full)\"></a>\n"
      }
    }
    return section
  }

  /// Writes the bytes of a record to a file that is named by them, unless it exists.
  private func file(
    of record: CloudRecord, _ kind: String, _ zone: CloudZone, _ directory: String
  ) async throws -> String? {
    guard let asset = record["file"]?.file else { return nil }
    let name = asset.digest + "." + kind
    if !FileManager.default.fileExists(atPath: "\(directory)/\(name)") {
      try await zone.download(asset, to: "\(directory)/\(name)")
    }
    return name
  }

  private func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
  }
}
