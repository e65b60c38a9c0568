extension Control {
  /// Lists the types of records of a zone, with their fields, as its records have them.
  public struct Schema: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.SchemaReply
    /// `POST /v1/schema`.
    public static let name = "schema"
    /// The accepted targets.
    public static let targets: Control.Targets = .readWhole
    /// Reads every record of the zone.
    public static let mayWait = true

    /// A folder that mirrors the zone, or the zone's id.
    public var zone: Control.ShareReference

    /// Joins the parts.
    public init(zone: Control.ShareReference) { self.zone = zone }
  }

  /// The kind of a field's value.
  public enum FieldKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// Raw bytes.
    case bytes
    /// Text.
    case text
    /// A whole number.
    case integer
    /// A number that needn't be whole.
    case number
    /// Yes or no.
    case boolean
    /// A moment.
    case date
    /// A place on the earth.
    case location
    /// Another record.
    case reference
    /// Bytes that are stored as a file's are.
    case asset
  }

  /// A field that records of a type have. One of the same name comes twice if some have it as
  /// something else.
  public struct SchemaField: Codable, Hashable, Sendable {
    /// Its name.
    public var name: String
    /// The kind of the value, or of each value of the list; nil for empty lists.
    public var kind: Control.FieldKind?
    /// A Boolean value that indicates whether it is a list.
    public var list: Bool
    /// The number of records with it.
    public var records: Int

    /// Joins the parts.
    public init(name: String, kind: Control.FieldKind?, list: Bool = false, records: Int) {
      self.name = name
      self.kind = kind
      self.list = list
      self.records = records
    }
  }

  /// A type of records.
  public struct RecordSchema: Codable, Hashable, Sendable {
    /// `file`, `directory`, `symlink`, `reference`, or what a program calls its own.
    public var type: String
    /// A Boolean value that indicates whether it is one of the four types that folders consist of.
    public var builtIn: Bool
    /// The number of its records.
    public var records: Int
    /// Their fields, by name.
    public var fields: [Control.SchemaField]

    /// Joins the parts.
    public init(type: String, builtIn: Bool, records: Int, fields: [Control.SchemaField]) {
      self.type = type
      self.builtIn = builtIn
      self.records = records
      self.fields = fields
    }
  }

  /// The answer of `schema`.
  public struct SchemaReply: Codable, Hashable, Sendable {
    /// The zone's id.
    public var zone: String
    /// The types, those of folders first, each by name.
    public var types: [Control.RecordSchema]

    /// Joins the parts.
    public init(zone: String, types: [Control.RecordSchema]) {
      self.zone = zone
      self.types = types
    }
  }
}

extension Control.SchemaReply: ControlListReply {
  /// The member `types`.
  public static let listName = "types"
  /// The types.
  public var items: [Control.RecordSchema] {
    get { types }
    set { types = newValue }
  }
}
