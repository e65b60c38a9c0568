// Generated from openapi.yaml by Sources/CairnControl/generate. Don't edit it.

extension Control {
  /// Mirrors a folder into your private database, or an existing zone of yours into a folder.
  /// Adding a folder again returns the same mount with `created` false.
  public struct Add: ControlOperation {
    /// The answer.
    public typealias Reply = Control.AddReply
    /// The name in the address.
    public static let name = "add"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The absolute path of the folder.
    public var path: Control.Path
    /// True to report the actions without performing them.
    public var dryRun: Bool
    /// The id of an existing zone of yours, or its beginning. Without it, a new zone is created.
    public var zone: String?
    /// True to mirror the folder although it has the mark of a zone that this home doesn't know.
    public var anew: Bool?
    /// True to confirm a place that contains a home or secrets, or belongs to the system.
    public var sensitive: Bool?

    /// Creates a request.
    public init(
      path: Control.Path, dryRun: Bool = false, zone: String? = nil, anew: Bool? = nil,
      sensitive: Bool? = nil
    ) {
      self.path = path
      self.dryRun = dryRun
      self.zone = zone
      self.anew = anew
      self.sensitive = sensitive
    }

    /// Decodes a request. A missing member has its default value. Throws `ControlError` for a
    /// relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
      dryRun = try members.decodeIfPresent(Bool.self, forKey: .dryRun) ?? false
      zone = try members.decodeIfPresent(String.self, forKey: .zone)
      anew = try members.decodeIfPresent(Bool.self, forKey: .anew)
      sensitive = try members.decodeIfPresent(Bool.self, forKey: .sensitive)
    }
  }

  /// Returns the permitted actions on a file or folder. The answer comes from this device's index,
  /// and is correct without the container.
  public struct Can: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.CanReply
    /// The name in the address.
    public static let name = "can"
    /// The accepted targets.
    public static let targets: Control.Targets = .anyPath

    /// The absolute path of the file or folder.
    public var path: Control.Path

    /// Creates a request.
    public init(path: Control.Path) {
      self.path = path
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
    }
  }

  /// Returns whether this person can write to a database, as CloudKit's canModifyManagedObjects
  /// does.
  public struct CanModify: ControlOperation {
    /// The answer.
    public typealias Reply = Control.CanModifyReply
    /// The name in the address.
    public static let name = "canModify"

    /// The database.
    public var scope: Control.Scope

    /// Creates a request.
    public init(scope: Control.Scope) {
      self.scope = scope
    }
  }

  /// Lists the records of a zone that have changed since an earlier answer. Each record is listed
  /// once, in its current state.
  public struct Changes: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.ChangesReply
    /// The name in the address.
    public static let name = "changes"
    /// The accepted targets.
    public static let targets = Control.Targets([.folder, .part])

    /// An absolute path in a mount, which names its zone.
    public var path: Control.Path
    /// The token of the last answer. Without it, all records are listed.
    public var since: String?

    /// Creates a request.
    public init(path: Control.Path, since: String? = nil) {
      self.path = path
      self.since = since
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
      since = try members.decodeIfPresent(String.self, forKey: .since)
    }
  }

  /// Deletes this person's unreferenced objects in the container, or reports them.
  public struct CollectGarbage: ControlOperation {
    /// The answer.
    public typealias Reply = Control.GarbageReply
    /// The name in the address.
    public static let name = "gc"
    /// True: the operation may take long.
    public static let mayWait = true

    /// True to report the actions without performing them.
    public var isTrial: Bool

    /// Creates a request.
    public init(isTrial: Bool = false) {
      self.isTrial = isTrial
    }

    /// Decodes a request. A missing member has its default value.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      isTrial = try members.decodeIfPresent(Bool.self, forKey: .isTrial) ?? false
    }
  }

  /// Resolves a conflict.
  public struct ConflictKeep: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.ConflictKeepReply
    /// The name in the address.
    public static let name = "conflictKeep"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// True: the operation may take long.
    public static let mayWait = true

    /// The absolute path of the conflict copy.
    public var path: Control.Path
    /// The version that keeps the name.
    public var choice: Control.ConflictChoice

    /// Creates a request.
    public init(path: Control.Path, choice: Control.ConflictChoice) {
      self.path = path
      self.choice = choice
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
      choice = try members.decode(Control.ConflictChoice.self, forKey: .choice)
    }
  }

  /// Lists the conflict copies in the mounts.
  public struct ConflictList: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.ConflictsReply
    /// The name in the address.
    public static let name = "conflictList"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// True: the operation may take long.
    public static let mayWait = true

    /// The absolute path of a conflict copy, or of a directory in a mount. Without it, all mounts
    /// are searched.
    public var path: Control.Path?

    /// Creates a request.
    public init(path: Control.Path? = nil) {
      self.path = path
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decodeIfPresent(Control.Path.self, forKey: .path)?.requiringAbsolute()
    }
  }

  /// Returns both versions of a conflict in one text, with markers around the lines that differ.
  /// Changes nothing.
  public struct ConflictMerge: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.ConflictMergeReply
    /// The name in the address.
    public static let name = "conflictMerge"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// True: the operation may take long.
    public static let mayWait = true

    /// The absolute path of the conflict copy.
    public var path: Control.Path

    /// Creates a request.
    public init(path: Control.Path) {
      self.path = path
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
    }
  }

  /// Resolves a conflict by an edited text: it becomes the file with the original name, and the
  /// copy moves to the rescue folder. Refused if the text has markers, or if one of the versions
  /// changed since `conflictMerge`.
  public struct ConflictSave: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.ConflictKeepReply
    /// The name in the address.
    public static let name = "conflictSave"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// True: the operation may take long.
    public static let mayWait = true

    /// The absolute path of the conflict copy.
    public var path: Control.Path
    /// The member `versions` of the answer of `conflictMerge`.
    public var versions: String
    /// The edited text.
    public var text: String

    /// Creates a request.
    public init(path: Control.Path, versions: String, text: String) {
      self.path = path
      self.versions = versions
      self.text = text
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
      versions = try members.decode(String.self, forKey: .versions)
      text = try members.decode(String.self, forKey: .text)
    }
  }

  /// Opens the console: a port on the loopback interface, and a secret that admits one page.
  public struct Console: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ConsoleReply
    /// The name in the address.
    public static let name = "console"

    /// Creates a request.
    public init() {}
  }

  /// Copies the missing objects of the container to another location, which becomes an equal
  /// container.
  public struct ContainerCopy: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ContainerCopyReply
    /// The name in the address.
    public static let name = "containerCopy"

    /// The target: an absolute directory, or a bucket.
    public var target: Control.Path
    /// The settings of the target's bucket. Without them, those of this home's container are used.
    public var bucket: Control.Bucket?
    /// True to read existing objects on both sides, and compare them.
    public var isChecked: Bool

    /// Creates a request.
    public init(target: Control.Path, bucket: Control.Bucket? = nil, isChecked: Bool = false) {
      self.target = target
      self.bucket = bucket
      self.isChecked = isChecked
    }

    /// Decodes a request. A missing member has its default value.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      target = try members.decode(Control.Path.self, forKey: .target)
      bucket = try members.decodeIfPresent(Control.Bucket.self, forKey: .bucket)
      isChecked = try members.decodeIfPresent(Bool.self, forKey: .isChecked) ?? false
    }
  }

  /// Lists the containers of this home. It is the same for every container.
  public struct ContainerList: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ContainerListReply
    /// The name in the address.
    public static let name = "containerList"

    /// Creates a request.
    public init() {}
  }

  /// Moves everything of this person to another location, where it continues, and this home with
  /// it.
  public struct ContainerMove: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ContainerMoveReply
    /// The name in the address.
    public static let name = "containerMove"

    /// The target: an absolute directory, or a bucket.
    public var target: Control.Path
    /// The settings of the target's bucket. Without them, those of this home's container are used.
    public var bucket: Control.Bucket?
    /// True to report the actions without performing them.
    public var dryRun: Bool

    /// Creates a request.
    public init(target: Control.Path, bucket: Control.Bucket? = nil, dryRun: Bool = false) {
      self.target = target
      self.bucket = bucket
      self.dryRun = dryRun
    }

    /// Decodes a request. A missing member has its default value.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      target = try members.decode(Control.Path.self, forKey: .target)
      bucket = try members.decodeIfPresent(Control.Bucket.self, forKey: .bucket)
      dryRun = try members.decodeIfPresent(Bool.self, forKey: .dryRun) ?? false
    }
  }

  /// Returns the minimal rights of a participant in the container's store.
  public struct ContainerPolicy: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ContainerPolicyReply
    /// The name in the address.
    public static let name = "containerPolicy"
    /// True: the operation may take long.
    public static let mayWait = true
    /// True: twice has the effect of once.
    public static let mayBeRepeated = true

    /// The person, by handle or id. Without it, this person.
    public var person: String?
    /// The engine's name for that person. Without it, the policy is for attaching to the person.
    public var principal: String?
    /// The engine whose policy language is used: `aws` or `ceph`.
    public var engine: String

    /// Creates a request.
    public init(person: String? = nil, principal: String? = nil, engine: String) {
      self.person = person
      self.principal = principal
      self.engine = engine
    }
  }

  /// Removes a container from this home, from the next start of the daemon on. The container, the
  /// mirrored folders and the keys stay as they are.
  public struct ContainerRemove: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ContainerRemoveReply
    /// The name in the address.
    public static let name = "containerRemove"

    /// The name of the container, or its id.
    public var container: String

    /// Creates a request.
    public init(container: String) {
      self.container = container
    }
  }

  /// Changes the name of a container in this home, from the next start of the daemon on.
  public struct ContainerRename: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ContainerListReply
    /// The name in the address.
    public static let name = "containerRename"

    /// The name of the container, or its id.
    public var container: String
    /// The new name.
    public var to: String

    /// Creates a request.
    public init(container: String, to: String) {
      self.container = container
      self.to = to
    }
  }

  /// Creates a code with which another device can join this person within ten minutes. The daemon
  /// answers that device by itself.
  public struct DeviceLink: ControlOperation {
    /// The answer.
    public typealias Reply = Control.DeviceLinkReply
    /// The name in the address.
    public static let name = "deviceLink"
    /// True: the operation may take long.
    public static let mayWait = true

    /// Creates a request.
    public init() {}
  }

  /// Lists all devices of this person.
  public struct DeviceList: ControlOperation {
    /// The answer.
    public typealias Reply = Control.DeviceListReply
    /// The name in the address.
    public static let name = "deviceList"
    /// True: the operation may take long.
    public static let mayWait = true

    /// Creates a request.
    public init() {}
  }

  /// Adds a recovery sheet to this person: a device whose keys follow from 24 words. The words are
  /// in the answer, and nowhere else.
  public struct DeviceRecovery: ControlOperation {
    /// The answer.
    public typealias Reply = Control.DeviceRecoveryReply
    /// The name in the address.
    public static let name = "deviceRecovery"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The name of the sheet. Without it, a name with today's date.
    public var name: String?

    /// Creates a request.
    public init(name: String? = nil) {
      self.name = name
    }
  }

  /// Checks that a recovery sheet would recover this person now. It changes nothing.
  public struct DeviceRecoveryTest: ControlOperation {
    /// The answer.
    public typealias Reply = Control.DeviceReply
    /// The name in the address.
    public static let name = "deviceRecoveryTest"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The words of the sheet, or the text of its QR code.
    public var words: String

    /// Creates a request.
    public init(words: String) {
      self.words = words
    }
  }

  /// Renames a device of this person.
  public struct DeviceRename: ControlOperation {
    /// The answer.
    public typealias Reply = Control.DeviceReply
    /// The name in the address.
    public static let name = "deviceRename"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The device: its name, its id, or a unique beginning of the id.
    public var device: String
    /// The new name.
    public var to: String

    /// Creates a request.
    public init(device: String, to: String) {
      self.device = device
      self.to = to
    }
  }

  /// Takes all rights from another device of this person, permanently.
  public struct DeviceRevoke: ControlOperation {
    /// The answer.
    public typealias Reply = Control.DeviceRevokeReply
    /// The name in the address.
    public static let name = "deviceRevoke"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The device: its name, its id, or a unique beginning of the id.
    public var device: String

    /// Creates a request.
    public init(device: String) {
      self.device = device
    }
  }

  /// Lists the directories in a directory of the person's home, for a picker. Symlinks aren't
  /// followed, and nothing outside of the home is listed.
  public struct Directories: ControlOperation {
    /// The answer.
    public typealias Reply = Control.DirectoriesReply
    /// The name in the address.
    public static let name = "directories"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The absolute path of the directory. Without it, the home folder is listed.
    public var path: Control.Path?

    /// Creates a request.
    public init(path: Control.Path? = nil) {
      self.path = path
    }
  }

  /// Checks this machine for everything that Cairn needs.
  public struct Doctor: ControlOperation {
    /// The answer.
    public typealias Reply = Control.DoctorReply
    /// The name in the address.
    public static let name = "doctor"
    /// True: the operation may take long.
    public static let mayWait = true

    /// Creates a request.
    public init() {}
  }

  /// Draws a text as a QR code.
  public struct DrawCode: ControlOperation {
    /// The answer.
    public typealias Reply = Control.CodeReply
    /// The name in the address.
    public static let name = "qrCode"

    /// The text, at most 2,953 bytes.
    public var text: String

    /// Creates a request.
    public init(text: String) {
      self.text = text
    }
  }

  /// Puts files that wait in your drop boxes into a folder, and takes them out of the boxes. A
  /// taken name gets a number.
  public struct DropAccept: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.DropsReply
    /// The name in the address.
    public static let name = "dropAccept"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// True: the operation may take long.
    public static let mayWait = true

    /// The ids of the files, or their beginnings. Empty for all that are complete.
    public var drops: [String]
    /// The absolute path of a directory in a mirrored folder. Without it, the folder of each box.
    public var path: Control.Path?

    /// Creates a request.
    public init(drops: [String], path: Control.Path? = nil) {
      self.drops = drops
      self.path = path
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      drops = try members.decode([String].self, forKey: .drops)
      path = try members.decodeIfPresent(Control.Path.self, forKey: .path)?.requiringAbsolute()
    }
  }

  /// Creates a drop box for a folder, and returns its link.
  public struct DropCreate: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.DropsReply
    /// The name in the address.
    public static let name = "dropCreate"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// True: the operation may take long.
    public static let mayWait = true

    /// The absolute path of a directory in a mirrored folder.
    public var path: Control.Path
    /// The most bytes of a file.
    public var maxSize: UInt64
    /// The most files that may wait at the same time.
    public var maxFiles: UInt32
    /// The end of the link. Without it, it doesn't end.
    public var until: Control.Time?
    /// The title that senders see. Without it, the name of the folder.
    public var title: String?

    /// Creates a request.
    public init(
      path: Control.Path, maxSize: UInt64, maxFiles: UInt32, until: Control.Time? = nil,
      title: String? = nil
    ) {
      self.path = path
      self.maxSize = maxSize
      self.maxFiles = maxFiles
      self.until = until
      self.title = title
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
      maxSize = try members.decode(UInt64.self, forKey: .maxSize)
      maxFiles = try members.decode(UInt32.self, forKey: .maxFiles)
      until = try members.decodeIfPresent(Control.Time.self, forKey: .until)
      title = try members.decodeIfPresent(String.self, forKey: .title)
    }
  }

  /// Lists your drop boxes and the files that wait in them, discards files, or ends a box.
  public struct Drops: ControlOperation {
    /// The answer.
    public typealias Reply = Control.DropsReply
    /// The name in the address.
    public static let name = "drops"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The action.
    public var act: Control.DropAct
    /// The ids of the files, or their beginnings. For `discard`, empty for all.
    public var drops: [String]?
    /// The id of a box, or its beginning. Without it, all boxes.
    public var box: String?

    /// Creates a request.
    public init(act: Control.DropAct, drops: [String]? = nil, box: String? = nil) {
      self.act = act
      self.drops = drops
      self.box = box
    }
  }

  /// Reports events, each in an `event` line. The reply follows the last event.
  public struct Events: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.EventsReply
    /// The name in the address.
    public static let name = "events"
    /// The accepted targets.
    public static let targets: Control.Targets = .anyPath
    /// True: the operation may take long.
    public static let mayWait = true

    /// True to continue with new events until the client disconnects.
    public var follow: Bool
    /// The number of the last known event. Without it, all events that the daemon remembers are
    /// reported.
    public var since: UInt64?
    /// An absolute path in the mount to report. Without it, all mounts.
    public var path: Control.Path?

    /// Creates a request.
    public init(follow: Bool = false, since: UInt64? = nil, path: Control.Path? = nil) {
      self.follow = follow
      self.since = since
      self.path = path
    }

    /// Decodes a request. A missing member has its default value. Throws `ControlError` for a
    /// relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      follow = try members.decodeIfPresent(Bool.self, forKey: .follow) ?? false
      since = try members.decodeIfPresent(UInt64.self, forKey: .since)
      path = try members.decodeIfPresent(Control.Path.self, forKey: .path)?.requiringAbsolute()
    }
  }

  /// Writes an earlier version of a path as plain files to another location. The permission to view
  /// suffices.
  public struct Fetch: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.FetchReply
    /// The name in the address.
    public static let name = "fetch"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// True: the operation may take long.
    public static let mayWait = true

    /// An absolute path in a mount. It may name something that no longer exists.
    public var path: Control.Path
    /// The point in time. Without it, the last version, or the given one.
    public var at: Control.Moment?
    /// The version of the file: the log position of its first entry.
    public var version: UInt64?
    /// The id of the former zone whose log numbers the version, or its beginning. Without it, the
    /// folder's zone.
    public var zone: String?
    /// The id of the record, its end, or the first of its last twelve digits. Without it, the only
    /// record with this path that the entry changed.
    public var record: String?
    /// The absolute path of the destination. An existing file is replaced. A directory must be
    /// empty or missing.
    public var destination: Control.Path
    /// True to refuse a directory.
    public var isFile: Bool

    /// Creates a request.
    public init(
      path: Control.Path, at: Control.Moment? = nil, version: UInt64? = nil, zone: String? = nil,
      record: String? = nil, destination: Control.Path, isFile: Bool = false
    ) {
      self.path = path
      self.at = at
      self.version = version
      self.zone = zone
      self.record = record
      self.destination = destination
      self.isFile = isFile
    }

    /// Decodes a request. A missing member has its default value. Throws `ControlError` for a
    /// relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
      at = try members.decodeIfPresent(Control.Moment.self, forKey: .at)
      version = try members.decodeIfPresent(UInt64.self, forKey: .version)
      zone = try members.decodeIfPresent(String.self, forKey: .zone)
      record = try members.decodeIfPresent(String.self, forKey: .record)
      destination = try members.decode(Control.Path.self, forKey: .destination).requiringAbsolute()
      isFile = try members.decodeIfPresent(Bool.self, forKey: .isFile) ?? false
    }
  }

  /// Selects one file or directory that this device doesn't have.
  public struct Get: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.SelectReply
    /// The name in the address.
    public static let name = "get"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// True: the operation may take long.
    public static let mayWait = true

    /// The absolute path of the file or directory.
    public var path: Control.Path

    /// Creates a request.
    public init(path: Control.Path) {
      self.path = path
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
    }
  }

  /// Returns or changes the groups of people that you invite by one name.
  public struct Group: ControlOperation {
    /// The answer.
    public typealias Reply = Control.GroupReply
    /// The name in the address.
    public static let name = "group"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The action.
    public var act: Control.GroupAct
    /// The name of the group. Without it, `show` returns all groups.
    public var name: String?
    /// The people to add or remove: handles, ids, or beginnings of ids.
    public var people: [String]?
    /// True to add people despite an identity warning.
    public var unverified: Bool?

    /// Creates a request.
    public init(
      act: Control.GroupAct, name: String? = nil, people: [String]? = nil, unverified: Bool? = nil
    ) {
      self.act = act
      self.name = name
      self.people = people
      self.unverified = unverified
    }
  }

  /// Confirms the held deletions of a mount, which are then sent to everybody.
  public struct HeldConfirm: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.HeldReply
    /// The name in the address.
    public static let name = "heldConfirm"
    /// The accepted targets.
    public static let targets: Control.Targets = .mirrored
    /// True: the operation may take long.
    public static let mayWait = true

    /// An absolute path in the mount.
    public var path: Control.Path

    /// Creates a request.
    public init(path: Control.Path) {
      self.path = path
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
    }
  }

  /// Lists the deletions that await confirmation.
  public struct HeldList: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.HeldReply
    /// The name in the address.
    public static let name = "heldList"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// True: the operation may take long.
    public static let mayWait = true

    /// An absolute path in the mount to report. Without it, all mounts.
    public var path: Control.Path?
    /// The largest number of paths for each mount. Without it, 1,000.
    public var limit: Int?

    /// Creates a request.
    public init(path: Control.Path? = nil, limit: Int? = nil) {
      self.path = path
      self.limit = limit
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decodeIfPresent(Control.Path.self, forKey: .path)?.requiringAbsolute()
      limit = try members.decodeIfPresent(Int.self, forKey: .limit)
    }
  }

  /// Reverts the held deletions of a mount: the zone's files are restored.
  public struct HeldUndo: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.HeldReply
    /// The name in the address.
    public static let name = "heldUndo"
    /// The accepted targets.
    public static let targets: Control.Targets = .mirrored
    /// True: the operation may take long.
    public static let mayWait = true

    /// An absolute path in the mount.
    public var path: Control.Path

    /// Creates a request.
    public init(path: Control.Path) {
      self.path = path
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
    }
  }

  /// Lists the events of a file, or of everything that is or was in a directory, newest first.
  public struct History: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.HistoryReply
    /// The name in the address.
    public static let name = "history"
    /// The accepted targets.
    public static let targets: Control.Targets = .path

    /// An absolute path in a mount. It may name something that no longer exists.
    public var path: Control.Path
    /// True to list deletions only.
    public var deletedOnly: Bool
    /// A point in time. Only later changes are listed.
    public var since: Control.Moment?
    /// A point in time. Later changes are left out.
    public var until: Control.Moment?
    /// The only person whose changes count: a handle, an id, or the beginning of an id.
    public var by: String?
    /// The only device whose changes count: its name, or the beginning of its id.
    public var device: String?
    /// The largest number of changes. Without it, 1,000.
    public var limit: Int?

    /// Creates a request.
    public init(
      path: Control.Path, deletedOnly: Bool = false, since: Control.Moment? = nil,
      until: Control.Moment? = nil, by: String? = nil, device: String? = nil, limit: Int? = nil
    ) {
      self.path = path
      self.deletedOnly = deletedOnly
      self.since = since
      self.until = until
      self.by = by
      self.device = device
      self.limit = limit
    }

    /// Decodes a request. A missing member has its default value. Throws `ControlError` for a
    /// relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
      deletedOnly = try members.decodeIfPresent(Bool.self, forKey: .deletedOnly) ?? false
      since = try members.decodeIfPresent(Control.Moment.self, forKey: .since)
      until = try members.decodeIfPresent(Control.Moment.self, forKey: .until)
      by = try members.decodeIfPresent(String.self, forKey: .by)
      device = try members.decodeIfPresent(String.self, forKey: .device)
      limit = try members.decodeIfPresent(Int.self, forKey: .limit)
    }
  }

  /// Deletes earlier versions of a file for everybody. Only the owner of the folder can do that.
  public struct HistoryForget: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.HistoryForgetReply
    /// The name in the address.
    public static let name = "historyForget"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// True: the operation may take long.
    public static let mayWait = true

    /// An absolute path in a mount. It may name something that no longer exists.
    public var path: Control.Path
    /// The version. Others with the same content are forgotten, too. Without it, all versions that
    /// differ from the current one.
    public var version: UInt64?
    /// The id of the former zone whose log numbers the version, or its beginning. Without it, the
    /// folder's zone.
    public var zone: String?
    /// The id of the record, its end, or the first of its last twelve digits. Without it, the only
    /// record with this path that the entry changed.
    public var record: String?
    /// True to report the versions without forgetting them.
    public var dryRun: Bool

    /// Creates a request.
    public init(
      path: Control.Path, version: UInt64? = nil, zone: String? = nil, record: String? = nil,
      dryRun: Bool = false
    ) {
      self.path = path
      self.version = version
      self.zone = zone
      self.record = record
      self.dryRun = dryRun
    }

    /// Decodes a request. A missing member has its default value. Throws `ControlError` for a
    /// relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
      version = try members.decodeIfPresent(UInt64.self, forKey: .version)
      zone = try members.decodeIfPresent(String.self, forKey: .zone)
      record = try members.decodeIfPresent(String.self, forKey: .record)
      dryRun = try members.decodeIfPresent(Bool.self, forKey: .dryRun) ?? false
    }
  }

  /// Shows the history policy of a folder, or sets it as the owner.
  public struct HistoryPolicy: ShareOperation {
    /// The answer.
    public typealias Reply = Control.HistoryPolicyReply
    /// The name in the address.
    public static let name = "historyPolicy"
    /// The accepted targets.
    public static let targets: Control.Targets = .whole
    /// True: the operation may take long.
    public static let mayWait = true

    /// The folder or zone.
    public var share: Control.ShareReference
    /// The new policy. Without it, nothing changes.
    public var policy: Control.KeptHistory?
    /// True to only count the bytes that the policy would free.
    public var dryRun: Bool?

    /// Creates a request.
    public init(
      share: Control.ShareReference, policy: Control.KeptHistory? = nil, dryRun: Bool? = nil
    ) {
      self.share = share
      self.policy = policy
      self.dryRun = dryRun
    }
  }

  /// Lists the contents of the container as its host can see them, without any key.
  public struct Inspect: ControlOperation {
    /// The answer.
    public typealias Reply = Control.InspectReply
    /// The name in the address.
    public static let name = "inspect"
    /// True: the operation may take long.
    public static let mayWait = true

    /// Creates a request.
    public init() {}
  }

  /// Creates a home for another device of a person.
  public struct Join: ControlOperation {
    /// The answer.
    public typealias Reply = Control.JoinReply
    /// The name in the address.
    public static let name = "join"

    /// The code that `device link` printed on the first device.
    public var code: String
    /// The name of this device. Without it, the name of the host.
    public var deviceName: String?
    /// The absolute path of the folder for the person's folders. Without it, `Cairn` in the home
    /// folder.
    public var at: Control.Path?
    /// The container's absolute directory, or its bucket. Without it, the location that the first
    /// device uses.
    public var container: Control.Path?
    /// The folders that appear on this device. A path begins with the name of a folder. Without it,
    /// all.
    public var select: Control.InitialSelection?
    /// The name of the container in this home. Without it, the home must have no container yet.
    public var containerName: String?
    /// The settings of the container's bucket. Without them, the defaults.
    public var bucket: Control.Bucket?

    /// Creates a request.
    public init(
      code: String, deviceName: String? = nil, at: Control.Path? = nil,
      container: Control.Path? = nil, select: Control.InitialSelection? = nil,
      containerName: String? = nil, bucket: Control.Bucket? = nil
    ) {
      self.code = code
      self.deviceName = deviceName
      self.at = at
      self.container = container
      self.select = select
      self.containerName = containerName
      self.bucket = bucket
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      code = try members.decode(String.self, forKey: .code)
      deviceName = try members.decodeIfPresent(String.self, forKey: .deviceName)
      at = try members.decodeIfPresent(Control.Path.self, forKey: .at)?.requiringAbsolute()
      container = try members.decodeIfPresent(Control.Path.self, forKey: .container)
      select = try members.decodeIfPresent(Control.InitialSelection.self, forKey: .select)
      containerName = try members.decodeIfPresent(String.self, forKey: .containerName)
      bucket = try members.decodeIfPresent(Control.Bucket.self, forKey: .bucket)
    }
  }

  /// Lists the entries of a mounted folder with their states.
  public struct List: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.ListReply
    /// The name in the address.
    public static let name = "ls"
    /// The accepted targets.
    public static let targets: Control.Targets = .path

    /// An absolute path in a mount: a directory whose entries are listed, or one entry.
    public var path: Control.Path
    /// True to include everything below the directory.
    public var recursive: Bool
    /// A database. All its mounts are listed, and the path is ignored.
    public var scope: Control.Scope?

    /// Creates a request.
    public init(path: Control.Path, recursive: Bool = false, scope: Control.Scope? = nil) {
      self.path = path
      self.recursive = recursive
      self.scope = scope
    }

    /// Decodes a request. A missing member has its default value. Throws `ControlError` for a
    /// relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
      recursive = try members.decodeIfPresent(Bool.self, forKey: .recursive) ?? false
      scope = try members.decodeIfPresent(Control.Scope.self, forKey: .scope)
    }
  }

  /// Lists the entries in the logs of zones: every change, in order, with its author.
  public struct Log: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.LogReply
    /// The name in the address.
    public static let name = "log"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// True: the operation may take long.
    public static let mayWait = true

    /// An absolute path in a mount. Only entries about this path, and about paths below it, are
    /// listed. Without it, all mounts.
    public var path: Control.Path?
    /// A log position. Only later entries are listed. Without it, the last `limit` entries.
    public var since: UInt64?
    /// The largest number of entries for each zone. Without it, 1,000.
    public var limit: Int?

    /// Creates a request.
    public init(path: Control.Path? = nil, since: UInt64? = nil, limit: Int? = nil) {
      self.path = path
      self.since = since
      self.limit = limit
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decodeIfPresent(Control.Path.self, forKey: .path)?.requiringAbsolute()
      since = try members.decodeIfPresent(UInt64.self, forKey: .since)
      limit = try members.decodeIfPresent(Int.self, forKey: .limit)
    }
  }

  /// Shows the daemon's log levels, or sets them until it ends.
  public struct LogLevel: ControlOperation {
    /// The answer.
    public typealias Reply = Control.LogLevelReply
    /// The name in the address.
    public static let name = "logLevel"

    /// The new levels: a level, or `SCOPE=LEVEL`, separated by commas. Without them, nothing
    /// changes.
    public var levels: String?

    /// Creates a request.
    public init(levels: String? = nil) {
      self.levels = levels
    }
  }

  /// Changes or returns the attributes of files that a folder carries beside the executable bit and
  /// the time. The owner decides for everybody. Each device of another person decides whether it
  /// applies them.
  public struct Metadata: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.MetadataReply
    /// The name in the address.
    public static let name = "metadata"
    /// The accepted targets.
    public static let targets: Control.Targets = .mirrored
    /// True: the operation may take long.
    public static let mayWait = true

    /// The absolute path of the folder's root.
    public var path: Control.Path
    /// True to carry all attributes in a folder of yours, or to apply what a share carries. Without
    /// it, nothing changes.
    public var full: Bool?

    /// Creates a request.
    public init(path: Control.Path, full: Bool? = nil) {
      self.path = path
      self.full = full
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
      full = try members.decodeIfPresent(Bool.self, forKey: .full)
    }
  }

  /// Moves a mirrored folder to another location on this device. It stays the mirror of its zone,
  /// and nothing changes for others.
  public struct Move: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.MoveReply
    /// The name in the address.
    public static let name = "move"
    /// The accepted targets.
    public static let targets: Control.Targets = .mirrored
    /// True: the operation may take long.
    public static let mayWait = true

    /// The absolute path of the folder, or its former path if somebody has already moved it.
    public var path: Control.Path
    /// The new absolute path. An existing folder means a path in it, with the same name.
    public var place: Control.Path
    /// True to confirm a place that contains a home or secrets, or belongs to the system.
    public var sensitive: Bool?

    /// Creates a request.
    public init(path: Control.Path, place: Control.Path, sensitive: Bool? = nil) {
      self.path = path
      self.place = place
      self.sensitive = sensitive
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
      place = try members.decode(Control.Path.self, forKey: .place).requiringAbsolute()
      sensitive = try members.decodeIfPresent(Bool.self, forKey: .sensitive)
    }
  }

  /// Pauses all traffic with the container, or that of one folder's zone. Changes in the folders
  /// are noted meanwhile, and sent afterwards.
  public struct Pause: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.PauseReply
    /// The name in the address.
    public static let name = "pause"
    /// The accepted targets.
    public static let targets: Control.Targets = .whole

    /// The folder or share to pause. Without it, everything.
    public var share: Control.ShareReference?
    /// The length of the pause in seconds. Without it, the pause lasts until `resume`.
    public var seconds: Int64?

    /// Creates a request.
    public init(share: Control.ShareReference? = nil, seconds: Int64? = nil) {
      self.share = share
      self.seconds = seconds
    }
  }

  /// Returns the process id and the version of the daemon.
  public struct Ping: ControlOperation {
    /// The answer.
    public typealias Reply = Control.PingReply
    /// The name in the address.
    public static let name = "ping"

    /// Creates a request.
    public init() {}
  }

  /// Accepts an invitation or a link for a program, which may then use the zone.
  public struct ProgramAccept: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ProgramZonesReply
    /// The name in the address.
    public static let name = "programAccept"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The secret of the program.
    public var token: String
    /// The id of the shared zone. Either this or the link must be given.
    public var zone: String?
    /// A link to the share.
    public var link: String?

    /// Creates a request.
    public init(token: String, zone: String? = nil, link: String? = nil) {
      self.token = token
      self.zone = zone
      self.link = link
    }
  }

  /// Lets a program use the zones that it asks for.
  public struct ProgramAllow: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ProgramsReply
    /// The name in the address.
    public static let name = "programAllow"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The name of the program.
    public var name: String
    /// The ids of existing zones that it may use, too, or the beginnings of the ids.
    public var zones: [String]

    /// Creates a request.
    public init(name: String, zones: [String] = []) {
      self.name = name
      self.zones = zones
    }

    /// Decodes a request. A missing member has its default value.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      name = try members.decode(String.self, forKey: .name)
      zones = try members.decodeIfPresent([String].self, forKey: .zones) ?? []
    }
  }

  /// Asks the person for a program, or returns the answer to an earlier request. The program draws
  /// its secret.
  public struct ProgramAsk: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ProgramAskReply
    /// The name in the address.
    public static let name = "programAsk"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The name of the program, at most 64 bytes.
    public var name: String
    /// The secret of the program: 64 hexadecimal digits.
    public var token: String
    /// The names of the private zones that the program uses.
    public var zones: [String]
    /// True to also share zones and accept invitations.
    public var sharing: Bool
    /// True to wait until the person has answered.
    public var wait: Bool

    /// Creates a request.
    public init(
      name: String, token: String, zones: [String], sharing: Bool = false, wait: Bool = false
    ) {
      self.name = name
      self.token = token
      self.zones = zones
      self.sharing = sharing
      self.wait = wait
    }

    /// Decodes a request. A missing member has its default value.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      name = try members.decode(String.self, forKey: .name)
      token = try members.decode(String.self, forKey: .token)
      zones = try members.decode([String].self, forKey: .zones)
      sharing = try members.decodeIfPresent(Bool.self, forKey: .sharing) ?? false
      wait = try members.decodeIfPresent(Bool.self, forKey: .wait) ?? false
    }
  }

  /// Lists the records of a zone that have changed since an earlier answer, for a program.
  public struct ProgramChanges: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ProgramChangesReply
    /// The name in the address.
    public static let name = "programChanges"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The secret of the program.
    public var token: String
    /// The id of the zone.
    public var zone: String
    /// The token of the last answer. Without it, all records are listed.
    public var since: String?
    /// The approximate maximum number of records.
    public var limit: Int

    /// Creates a request.
    public init(token: String, zone: String, since: String? = nil, limit: Int = 1000) {
      self.token = token
      self.zone = zone
      self.since = since
      self.limit = limit
    }

    /// Decodes a request. A missing member has its default value.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      token = try members.decode(String.self, forKey: .token)
      zone = try members.decode(String.self, forKey: .zone)
      since = try members.decodeIfPresent(String.self, forKey: .since)
      limit = try members.decodeIfPresent(Int.self, forKey: .limit) ?? 1000
    }
  }

  /// Lists the zones of a program that have changed since an earlier answer.
  public struct ProgramDatabase: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ProgramDatabaseReply
    /// The name in the address.
    public static let name = "programDatabase"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The secret of the program.
    public var token: String
    /// The private or the shared database.
    public var scope: Control.Scope
    /// The token of the last answer. Without it, all zones are listed.
    public var since: String?

    /// Creates a request.
    public init(token: String, scope: Control.Scope, since: String? = nil) {
      self.token = token
      self.scope = scope
      self.since = since
    }
  }

  /// Deletes a zone of a program for everybody.
  public struct ProgramDelete: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ProgramZonesReply
    /// The name in the address.
    public static let name = "programDelete"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The secret of the program.
    public var token: String
    /// The id of the zone.
    public var zone: String

    /// Creates a request.
    public init(token: String, zone: String) {
      self.token = token
      self.zone = zone
    }
  }

  /// Sends the bytes of an asset to a program.
  public struct ProgramDownload: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ContentReply
    /// The name in the address.
    public static let name = "programDownload"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The secret of the program.
    public var token: String
    /// The id of the zone.
    public var zone: String
    /// The asset.
    public var asset: Control.ProgramAsset

    /// Creates a request.
    public init(token: String, zone: String, asset: Control.ProgramAsset) {
      self.token = token
      self.zone = zone
      self.asset = asset
    }
  }

  /// Reports zones that may have changed until the program disconnects. All zones are reported
  /// first.
  public struct ProgramFollow: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ProgramFollowReply
    /// The name in the address.
    public static let name = "programFollow"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The secret of the program.
    public var token: String
    /// The ids of the zones.
    public var zones: [String]

    /// Creates a request.
    public init(token: String, zones: [String]) {
      self.token = token
      self.zones = zones
    }
  }

  /// Lists the versions of a record for a program, the latest first.
  public struct ProgramHistory: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ProgramRecordsReply
    /// The name in the address.
    public static let name = "programHistory"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The secret of the program.
    public var token: String
    /// The id of the zone.
    public var zone: String
    /// The id of the record.
    public var record: String

    /// Creates a request.
    public init(token: String, zone: String, record: String) {
      self.token = token
      self.zone = zone
      self.record = record
    }
  }

  /// Lists the invitations that this person has not accepted yet, for a program.
  public struct ProgramInvitations: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ProgramInvitationsReply
    /// The name in the address.
    public static let name = "programInvitations"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The secret of the program.
    public var token: String
    /// A link to a share. Its offer is the only item. Without it, all invitations.
    public var link: String?

    /// Creates a request.
    public init(token: String, link: String? = nil) {
      self.token = token
      self.link = link
    }
  }

  /// Returns the link to the share of a zone for a program, or makes one for one person.
  public struct ProgramLink: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ProgramLinkReply
    /// The name in the address.
    public static let name = "programLink"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The secret of the program.
    public var token: String
    /// The id of the zone.
    public var zone: String
    /// The secret of a link for one person: 64 hexadecimal digits that the program draws. A request
    /// with the same secret is performed once. Without it, the link to the share.
    public var secret: String?
    /// The permission of the person who uses a link for one person.
    public var permission: Control.Permission

    /// Creates a request.
    public init(
      token: String, zone: String, secret: String? = nil,
      permission: Control.Permission = .readWrite
    ) {
      self.token = token
      self.zone = zone
      self.secret = secret
      self.permission = permission
    }

    /// Decodes a request. A missing member has its default value.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      token = try members.decode(String.self, forKey: .token)
      zone = try members.decode(String.self, forKey: .zone)
      secret = try members.decodeIfPresent(String.self, forKey: .secret)
      permission =
        try members.decodeIfPresent(Control.Permission.self, forKey: .permission) ?? .readWrite
    }
  }

  /// Lists the programs that use zones of this person, or ask to.
  public struct ProgramList: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ProgramsReply
    /// The name in the address.
    public static let name = "programList"

    /// Creates a request.
    public init() {}
  }

  /// Saves and deletes records for a program in one commit, all or none.
  public struct ProgramModify: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ProgramModifyReply
    /// The name in the address.
    public static let name = "programModify"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The secret of the program.
    public var token: String
    /// The id of the zone.
    public var zone: String
    /// The name of this change: 32 hexadecimal digits that the program draws. A request with the
    /// same name is performed once.
    public var operation: String
    /// The new and changed records.
    public var saving: [Control.ProgramRecord]
    /// The records to delete.
    public var deleting: [Control.ProgramRecord]
    /// The ids of records to delete as they are.
    public var gone: [String]
    /// The rule for records that others have changed.
    public var policy: Control.ProgramPolicy
    /// The only position of the zone at which the change is valid. Without it, the policy decides.
    public var sequence: UInt64?

    /// Creates a request.
    public init(
      token: String, zone: String, operation: String, saving: [Control.ProgramRecord] = [],
      deleting: [Control.ProgramRecord] = [], gone: [String] = [],
      policy: Control.ProgramPolicy = .ifUnchanged, sequence: UInt64? = nil
    ) {
      self.token = token
      self.zone = zone
      self.operation = operation
      self.saving = saving
      self.deleting = deleting
      self.gone = gone
      self.policy = policy
      self.sequence = sequence
    }

    /// Decodes a request. A missing member has its default value.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      token = try members.decode(String.self, forKey: .token)
      zone = try members.decode(String.self, forKey: .zone)
      operation = try members.decode(String.self, forKey: .operation)
      saving = try members.decodeIfPresent([Control.ProgramRecord].self, forKey: .saving) ?? []
      deleting = try members.decodeIfPresent([Control.ProgramRecord].self, forKey: .deleting) ?? []
      gone = try members.decodeIfPresent([String].self, forKey: .gone) ?? []
      policy =
        try members.decodeIfPresent(Control.ProgramPolicy.self, forKey: .policy) ?? .ifUnchanged
      sequence = try members.decodeIfPresent(UInt64.self, forKey: .sequence)
    }
  }

  /// Moves records of a program to another zone of the same owner, or shares them in a new one.
  public struct ProgramMove: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ProgramZonesReply
    /// The name in the address.
    public static let name = "programMove"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The secret of the program.
    public var token: String
    /// The id of the zone.
    public var zone: String
    /// The ids of the records.
    public var records: [String]
    /// The id of the other zone. Without it, a new zone is made.
    public var to: String?
    /// The title of the share with the records.
    public var title: String

    /// Creates a request.
    public init(
      token: String, zone: String, records: [String], to: String? = nil, title: String = ""
    ) {
      self.token = token
      self.zone = zone
      self.records = records
      self.to = to
      self.title = title
    }

    /// Decodes a request. A missing member has its default value.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      token = try members.decode(String.self, forKey: .token)
      zone = try members.decode(String.self, forKey: .zone)
      records = try members.decode([String].self, forKey: .records)
      to = try members.decodeIfPresent(String.self, forKey: .to)
      title = try members.decodeIfPresent(String.self, forKey: .title) ?? ""
    }
  }

  /// Finds a person by their handle, or names a person, for a program.
  public struct ProgramPerson: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ProgramPersonReply
    /// The name in the address.
    public static let name = "programPerson"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The secret of the program.
    public var token: String
    /// The handle. Missing if a person is named.
    public var handle: String?
    /// The id of the person who is named.
    public var person: String?

    /// Creates a request.
    public init(token: String, handle: String? = nil, person: String? = nil) {
      self.token = token
      self.handle = handle
      self.person = person
    }
  }

  /// Reads records of a zone for a program.
  public struct ProgramRecords: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ProgramRecordsReply
    /// The name in the address.
    public static let name = "programRecords"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The secret of the program.
    public var token: String
    /// The id of the zone.
    public var zone: String
    /// The ids of the records to read. Missing records are left out.
    public var records: [String]
    /// The search. Without it, only the named records are read.
    public var query: Control.ProgramQuery?
    /// The maximum number of records. Without it, all.
    public var limit: Int?
    /// The end of the page before, in base64. Without it, the first page.
    public var cursor: String?
    /// True to ask the container for changes first.
    public var isRefreshing: Bool

    /// Creates a request.
    public init(
      token: String, zone: String, records: [String] = [], query: Control.ProgramQuery? = nil,
      limit: Int? = nil, cursor: String? = nil, isRefreshing: Bool = true
    ) {
      self.token = token
      self.zone = zone
      self.records = records
      self.query = query
      self.limit = limit
      self.cursor = cursor
      self.isRefreshing = isRefreshing
    }

    /// Decodes a request. A missing member has its default value.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      token = try members.decode(String.self, forKey: .token)
      zone = try members.decode(String.self, forKey: .zone)
      records = try members.decodeIfPresent([String].self, forKey: .records) ?? []
      query = try members.decodeIfPresent(Control.ProgramQuery.self, forKey: .query)
      limit = try members.decodeIfPresent(Int.self, forKey: .limit)
      cursor = try members.decodeIfPresent(String.self, forKey: .cursor)
      isRefreshing = try members.decodeIfPresent(Bool.self, forKey: .isRefreshing) ?? true
    }
  }

  /// Withdraws the access of a program, or refuses its request.
  public struct ProgramRevoke: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ProgramsReply
    /// The name in the address.
    public static let name = "programRevoke"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The name of the program.
    public var name: String

    /// Creates a request.
    public init(name: String) {
      self.name = name
    }
  }

  /// Shows or changes the share of a zone for a program.
  public struct ProgramShare: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ProgramShareReply
    /// The name in the address.
    public static let name = "programShare"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The secret of the program.
    public var token: String
    /// The id of the zone.
    public var zone: String
    /// The action.
    public var act: Control.ProgramShareAct
    /// The title of the share.
    public var title: String
    /// The ids of the people.
    public var people: [String]
    /// The permission of the people. `invite` without it lets people in the share keep theirs, and
    /// others may write.
    public var permission: Control.Permission?

    /// Creates a request.
    public init(
      token: String, zone: String, act: Control.ProgramShareAct, title: String = "",
      people: [String] = [], permission: Control.Permission? = nil
    ) {
      self.token = token
      self.zone = zone
      self.act = act
      self.title = title
      self.people = people
      self.permission = permission
    }

    /// Decodes a request. A missing member has its default value.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      token = try members.decode(String.self, forKey: .token)
      zone = try members.decode(String.self, forKey: .zone)
      act = try members.decode(Control.ProgramShareAct.self, forKey: .act)
      title = try members.decodeIfPresent(String.self, forKey: .title) ?? ""
      people = try members.decodeIfPresent([String].self, forKey: .people) ?? []
      permission = try members.decodeIfPresent(Control.Permission.self, forKey: .permission)
    }
  }

  /// Appends a piece to an asset of a program. The last piece stores the asset in the zone.
  public struct ProgramUpload: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ProgramUploadReply
    /// The name in the address.
    public static let name = "programUpload"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The secret of the program.
    public var token: String
    /// The id of the zone.
    public var zone: String
    /// The name of this upload: 32 hexadecimal digits that the program draws.
    public var id: String
    /// The number of bytes that were sent before this piece.
    public var offset: Int64
    /// The bytes in base64.
    public var piece: String
    /// True for the last piece.
    public var isLast: Bool

    /// Creates a request.
    public init(
      token: String, zone: String, id: String, offset: Int64, piece: String, isLast: Bool
    ) {
      self.token = token
      self.zone = zone
      self.id = id
      self.offset = offset
      self.piece = piece
      self.isLast = isLast
    }
  }

  /// Lists the zones that a program may use.
  public struct ProgramZones: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ProgramZonesReply
    /// The name in the address.
    public static let name = "programZones"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The secret of the program.
    public var token: String
    /// The database.
    public var scope: Control.Scope
    /// The id of the only zone to list. Without it, all zones.
    public var zone: String?
    /// The id of the person whose public zone is the only one to list. Without it, all zones.
    public var person: String?
    /// The name of the only zone to list. It is created if it is missing. Without it, all zones.
    public var name: String?

    /// Creates a request.
    public init(
      token: String, scope: Control.Scope, zone: String? = nil, person: String? = nil,
      name: String? = nil
    ) {
      self.token = token
      self.scope = scope
      self.zone = zone
      self.person = person
      self.name = name
    }
  }

  /// Writes the public database as plain files, with an index, for any web server.
  public struct PublicExport: ControlOperation {
    /// The answer.
    public typealias Reply = Control.PublicExportReply
    /// The name in the address.
    public static let name = "publicExport"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The absolute path of the folder: a new one, an empty one, or that of an earlier export.
    public var path: Control.Path

    /// Creates a request.
    public init(path: Control.Path) {
      self.path = path
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
    }
  }

  /// Copies a file of the public database to a file here.
  public struct PublicGet: ControlOperation {
    /// The answer.
    public typealias Reply = Control.PublicFileReply
    /// The name in the address.
    public static let name = "publicGet"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The path of the file in the public database.
    public var path: Control.Path
    /// The absolute path of the file to write. An existing file is replaced.
    public var output: Control.Path

    /// Creates a request.
    public init(path: Control.Path, output: Control.Path) {
      self.path = path
      self.output = output
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path)
      output = try members.decode(Control.Path.self, forKey: .output).requiringAbsolute()
    }
  }

  /// Lists a directory of the public database, or one entry.
  public struct PublicList: ControlOperation {
    /// The answer.
    public typealias Reply = Control.PublicListReply
    /// The name in the address.
    public static let name = "publicList"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The path in the public database. The empty path lists the directories of the authors.
    public var path: Control.Path
    /// True to include everything below the directory.
    public var recursive: Bool

    /// Creates a request.
    public init(path: Control.Path, recursive: Bool = false) {
      self.path = path
      self.recursive = recursive
    }

    /// Decodes a request. A missing member has its default value.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path)
      recursive = try members.decodeIfPresent(Bool.self, forKey: .recursive) ?? false
    }
  }

  /// Mirrors the published files of a person into a folder. Doing it again returns the same mount
  /// with `created` false.
  public struct PublicMount: ControlOperation {
    /// The answer.
    public typealias Reply = Control.AddReply
    /// The name in the address.
    public static let name = "publicMount"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The absolute path of the folder, which must be empty or missing.
    public var path: Control.Path
    /// The author, by handle or id. Without it, this person.
    public var author: String?
    /// The only directory of the author to mirror. Without it, all of them.
    public var prefix: Control.Path?
    /// True to wait until all files have arrived.
    public var wait: Bool

    /// Creates a request.
    public init(
      path: Control.Path, author: String? = nil, prefix: Control.Path? = nil, wait: Bool = false
    ) {
      self.path = path
      self.author = author
      self.prefix = prefix
      self.wait = wait
    }

    /// Decodes a request. A missing member has its default value. Throws `ControlError` for a
    /// relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
      author = try members.decodeIfPresent(String.self, forKey: .author)
      prefix = try members.decodeIfPresent(Control.Path.self, forKey: .prefix)
      wait = try members.decodeIfPresent(Bool.self, forKey: .wait) ?? false
    }
  }

  /// Publishes a file, or a new version of a file that you published.
  public struct PublicPut: ControlOperation {
    /// The answer.
    public typealias Reply = Control.PublicFileReply
    /// The name in the address.
    public static let name = "publicPut"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The absolute path of the file to read.
    public var file: Control.Path
    /// The path in your own directory of the public database. Missing directories are created.
    public var path: Control.Path

    /// Creates a request.
    public init(file: Control.Path, path: Control.Path) {
      self.file = file
      self.path = path
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      file = try members.decode(Control.Path.self, forKey: .file).requiringAbsolute()
      path = try members.decode(Control.Path.self, forKey: .path)
    }
  }

  /// Deletes a file, a symlink or an empty directory that you published, for everybody.
  public struct PublicRemove: ControlOperation {
    /// The answer.
    public typealias Reply = Control.PublicFileReply
    /// The name in the address.
    public static let name = "publicRemove"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The path in the public database.
    public var path: Control.Path

    /// Creates a request.
    public init(path: Control.Path) {
      self.path = path
    }
  }

  /// Stops mirroring the published files of a person. The files stay.
  public struct PublicUnmount: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.RemoveReply
    /// The name in the address.
    public static let name = "publicUnmount"
    /// The accepted targets.
    public static let targets: Control.Targets = .mirrored

    /// The absolute path of the folder.
    public var path: Control.Path

    /// Creates a request.
    public init(path: Control.Path) {
      self.path = path
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
    }
  }

  /// Deletes a zone with its contents: for everybody if it is yours, and otherwise only your
  /// participation. The files on your devices are moved to the rescue folder.
  public struct Purge: ShareOperation {
    /// The answer.
    public typealias Reply = Control.PurgeReply
    /// The name in the address.
    public static let name = "purge"
    /// The accepted targets.
    public static let targets = Control.Targets([.folder, .id], intention: .delete)
    /// True: the operation may take long.
    public static let mayWait = true

    /// The zone, by its folder or id.
    public var share: Control.ShareReference
    /// True to confirm the loss that the error of an unconfirmed request describes.
    public var confirmed: Bool?
    /// True to confirm a place that contains a home or secrets, or belongs to the system.
    public var sensitive: Bool?

    /// Creates a request.
    public init(share: Control.ShareReference, confirmed: Bool? = nil, sensitive: Bool? = nil) {
      self.share = share
      self.confirmed = confirmed
      self.sensitive = sensitive
    }
  }

  /// Puts files into a drop box. It needs no home. The account of a home in the same container
  /// signs the files.
  public struct Put: ControlOperation {
    /// The answer.
    public typealias Reply = Control.PutReply
    /// The name in the address.
    public static let name = "put"

    /// The link of the drop box.
    public var link: String
    /// The absolute paths of the files.
    public var files: [Control.Path]
    /// True to send without the name of the home's account.
    public var anonymous: Bool
    /// The container's absolute directory, or its bucket. Without it, that of the home, or the
    /// location in the link.
    public var container: Control.Path?
    /// The settings of the container's bucket. Without them, those of the home, or the defaults.
    public var bucket: Control.Bucket?

    /// Creates a request.
    public init(
      link: String, files: [Control.Path], anonymous: Bool = false, container: Control.Path? = nil,
      bucket: Control.Bucket? = nil
    ) {
      self.link = link
      self.files = files
      self.anonymous = anonymous
      self.container = container
      self.bucket = bucket
    }

    /// Decodes a request. A missing member has its default value. Throws `ControlError` for a
    /// relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      link = try members.decode(String.self, forKey: .link)
      files = try members.decode([Control.Path].self, forKey: .files).requiringAbsolute()
      anonymous = try members.decodeIfPresent(Bool.self, forKey: .anonymous) ?? false
      container = try members.decodeIfPresent(Control.Path.self, forKey: .container)
      bucket = try members.decodeIfPresent(Control.Bucket.self, forKey: .bucket)
    }
  }

  /// Returns the storage that your zones use, and sets the limit of one zone.
  public struct Quota: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.QuotaReply
    /// The name in the address.
    public static let name = "quota"
    /// The accepted targets.
    public static let targets: Control.Targets = .whole
    /// True: the operation may take long.
    public static let mayWait = true

    /// The zone. Without it, all your zones.
    public var share: Control.ShareReference?
    /// The new limit in bytes. 0 removes the limit. Without it, nothing changes.
    public var limit: UInt64?

    /// Creates a request.
    public init(share: Control.ShareReference? = nil, limit: UInt64? = nil) {
      self.share = share
      self.limit = limit
    }
  }

  /// Returns the bytes of a file in a mirrored folder, of an earlier version of it, or of a file in
  /// a rescue folder.
  public struct ReadContent: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.ContentReply
    /// The name in the address.
    public static let name = "content"
    /// The accepted targets.
    public static let targets: Control.Targets = .path

    /// The absolute path of the file.
    public var path: Control.Path
    /// The version. Without it, the current file in the folder.
    public var version: UInt64?
    /// The id of the former zone whose log numbers the version, or its beginning. Without it, the
    /// folder's zone.
    public var zone: String?
    /// The id of the record, its end, or the first of its last twelve digits. Without it, the only
    /// record with this path that the entry changed.
    public var record: String?
    /// The largest number of bytes. Without it, all bytes are returned.
    public var limit: Int64?

    /// Creates a request.
    public init(
      path: Control.Path, version: UInt64? = nil, zone: String? = nil, record: String? = nil,
      limit: Int64? = nil
    ) {
      self.path = path
      self.version = version
      self.zone = zone
      self.record = record
      self.limit = limit
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
      version = try members.decodeIfPresent(UInt64.self, forKey: .version)
      zone = try members.decodeIfPresent(String.self, forKey: .zone)
      record = try members.decodeIfPresent(String.self, forKey: .record)
      limit = try members.decodeIfPresent(Int64.self, forKey: .limit)
    }
  }

  /// Creates a home for a new device of a person, from a recovery sheet and the container.
  public struct Recover: ControlOperation {
    /// The answer.
    public typealias Reply = Control.RecoverReply
    /// The name in the address.
    public static let name = "recover"

    /// The words of the sheet, or the text of its QR code.
    public var words: String
    /// The container's absolute directory, or its bucket.
    public var container: Control.Path
    /// The name of this device. Without it, the name of the host.
    public var deviceName: String?
    /// The absolute path of the folder for the person's folders. Without it, `Cairn` in the home
    /// folder.
    public var at: Control.Path?
    /// The name of the container in this home. Without it, the home must have no container yet.
    public var containerName: String?
    /// The settings of the container's bucket. Without them, the defaults.
    public var bucket: Control.Bucket?

    /// Creates a request.
    public init(
      words: String, container: Control.Path, deviceName: String? = nil, at: Control.Path? = nil,
      containerName: String? = nil, bucket: Control.Bucket? = nil
    ) {
      self.words = words
      self.container = container
      self.deviceName = deviceName
      self.at = at
      self.containerName = containerName
      self.bucket = bucket
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      words = try members.decode(String.self, forKey: .words)
      container = try members.decode(Control.Path.self, forKey: .container)
      deviceName = try members.decodeIfPresent(String.self, forKey: .deviceName)
      at = try members.decodeIfPresent(Control.Path.self, forKey: .at)?.requiringAbsolute()
      containerName = try members.decodeIfPresent(String.self, forKey: .containerName)
      bucket = try members.decodeIfPresent(Control.Bucket.self, forKey: .bucket)
    }
  }

  /// Stops mirroring a folder. The files stay, and so does the zone.
  public struct Remove: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.RemoveReply
    /// The name in the address.
    public static let name = "remove"
    /// The accepted targets.
    public static let targets: Control.Targets = .mirrored
    /// True: the operation may take long.
    public static let mayWait = true

    /// The absolute path of the mirrored folder.
    public var path: Control.Path

    /// Creates a request.
    public init(path: Control.Path) {
      self.path = path
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
    }
  }

  /// Restores lost data of the container from this device.
  public struct Repair: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.RepairReply
    /// The name in the address.
    public static let name = "repair"
    /// The accepted targets.
    public static let targets: Control.Targets = .whole
    /// True: the operation may take long.
    public static let mayWait = true

    /// The only zone to repair. Without it, everything that this device can open.
    public var share: Control.ShareReference?
    /// True to return the steps without performing them.
    public var dryRun: Bool
    /// True to delete an unreadable object at a log position. Others may be able to read it: with a
    /// newer version, or because they know more people.
    public var unread: Bool

    /// Creates a request.
    public init(share: Control.ShareReference? = nil, dryRun: Bool, unread: Bool = false) {
      self.share = share
      self.dryRun = dryRun
      self.unread = unread
    }

    /// Decodes a request. A missing member has its default value.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      share = try members.decodeIfPresent(Control.ShareReference.self, forKey: .share)
      dryRun = try members.decode(Bool.self, forKey: .dryRun)
      unread = try members.decodeIfPresent(Bool.self, forKey: .unread) ?? false
    }
  }

  /// Returns a report about the daemon for a supporter, without names, contents or keys.
  public struct Report: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ReportReply
    /// The name in the address.
    public static let name = "report"
    /// True: the operation may take long.
    public static let mayWait = true

    /// Creates a request.
    public init() {}
  }

  /// Deletes files in the rescue folders permanently.
  public struct RescueClear: ControlOperation {
    /// The answer.
    public typealias Reply = Control.RescueReply
    /// The name in the address.
    public static let name = "rescueClear"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The absolute paths, as `rescueList` returns them. An empty list means all files.
    public var paths: [Control.Path]
    /// A point in time. Only files that were rescued earlier are deleted.
    public var before: Control.Time?

    /// Creates a request.
    public init(paths: [Control.Path] = [], before: Control.Time? = nil) {
      self.paths = paths
      self.before = before
    }

    /// Decodes a request. A missing member has its default value. Throws `ControlError` for a
    /// relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      paths =
        try members.decodeIfPresent([Control.Path].self, forKey: .paths)?.requiringAbsolute() ?? []
      before = try members.decodeIfPresent(Control.Time.self, forKey: .before)
    }
  }

  /// Lists the files in the rescue folders of the mounts and of the home.
  public struct RescueList: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.RescueReply
    /// The name in the address.
    public static let name = "rescueList"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// True: the operation may take long.
    public static let mayWait = true

    /// An absolute path in the only mount to list. Without it, all mounts and the home.
    public var path: Control.Path?

    /// Creates a request.
    public init(path: Control.Path? = nil) {
      self.path = path
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decodeIfPresent(Control.Path.self, forKey: .path)?.requiringAbsolute()
    }
  }

  /// Moves a file out of a rescue folder.
  public struct RescueRestore: ControlOperation {
    /// The answer.
    public typealias Reply = Control.RescueRestoreReply
    /// The name in the address.
    public static let name = "rescueRestore"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The absolute path, as `rescueList` returns it.
    public var path: Control.Path
    /// The absolute path of a directory for the file, or of its new name. Without it, its original
    /// path, or a free name beside it.
    public var destination: Control.Path?

    /// Creates a request.
    public init(path: Control.Path, destination: Control.Path? = nil) {
      self.path = path
      self.destination = destination
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
      destination =
        try members.decodeIfPresent(Control.Path.self, forKey: .destination)?.requiringAbsolute()
    }
  }

  /// Restores an earlier version of a file or a directory, for everybody.
  public struct Restore: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.RestoreReply
    /// The name in the address.
    public static let name = "restore"
    /// The accepted targets.
    public static let targets: Control.Targets = .path

    /// An absolute path in a mount. It may name something that no longer exists.
    public var path: Control.Path
    /// The point in time. Without it, the version before the deletion, or the given one.
    public var at: Control.Moment?
    /// The version of the file: the log position of its first entry.
    public var version: UInt64?
    /// The id of the former zone whose log numbers the version, or its beginning. Without it, the
    /// folder's zone.
    public var zone: String?
    /// The id of the record, its end, or the first of its last twelve digits. Without it, the only
    /// record with this path that the entry changed.
    public var record: String?
    /// True to report the actions without performing them.
    public var dryRun: Bool

    /// Creates a request.
    public init(
      path: Control.Path, at: Control.Moment? = nil, version: UInt64? = nil, zone: String? = nil,
      record: String? = nil, dryRun: Bool = false
    ) {
      self.path = path
      self.at = at
      self.version = version
      self.zone = zone
      self.record = record
      self.dryRun = dryRun
    }

    /// Decodes a request. A missing member has its default value. Throws `ControlError` for a
    /// relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
      at = try members.decodeIfPresent(Control.Moment.self, forKey: .at)
      version = try members.decodeIfPresent(UInt64.self, forKey: .version)
      zone = try members.decodeIfPresent(String.self, forKey: .zone)
      record = try members.decodeIfPresent(String.self, forKey: .record)
      dryRun = try members.decodeIfPresent(Bool.self, forKey: .dryRun) ?? false
    }
  }

  /// Resumes the traffic of one folder's zone, or all paused traffic.
  public struct Resume: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.ResumeReply
    /// The name in the address.
    public static let name = "resume"
    /// The accepted targets.
    public static let targets: Control.Targets = .whole

    /// The folder or share to resume. Without it, everything.
    public var share: Control.ShareReference?

    /// Creates a request.
    public init(share: Control.ShareReference? = nil) {
      self.share = share
    }
  }

  /// Reverts the changes in a directory since a point in time, of all people or of some.
  public struct Rewind: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.RestoreReply
    /// The name in the address.
    public static let name = "rewind"
    /// The accepted targets.
    public static let targets: Control.Targets = .path

    /// An absolute path in a mount.
    public var path: Control.Path
    /// The point in time. Later changes are reverted.
    public var to: Control.Moment
    /// The only person whose changes count: a handle, an id, or the beginning of an id.
    public var by: String?
    /// The only device whose changes count: its name, or the beginning of its id.
    public var device: String?
    /// True to report the actions without performing them.
    public var dryRun: Bool

    /// Creates a request.
    public init(
      path: Control.Path, to: Control.Moment, by: String? = nil, device: String? = nil,
      dryRun: Bool = false
    ) {
      self.path = path
      self.to = to
      self.by = by
      self.device = device
      self.dryRun = dryRun
    }

    /// Decodes a request. A missing member has its default value. Throws `ControlError` for a
    /// relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
      to = try members.decode(Control.Moment.self, forKey: .to)
      by = try members.decodeIfPresent(String.self, forKey: .by)
      device = try members.decodeIfPresent(String.self, forKey: .device)
      dryRun = try members.decodeIfPresent(Bool.self, forKey: .dryRun) ?? false
    }
  }

  /// Lists the types of records in a zone, with the fields that its records have.
  public struct Schema: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.SchemaReply
    /// The name in the address.
    public static let name = "schema"
    /// The accepted targets.
    public static let targets: Control.Targets = .readWhole
    /// True: the operation may take long.
    public static let mayWait = true

    /// The zone, by a folder that mirrors it, or by its id.
    public var zone: Control.ShareReference

    /// Creates a request.
    public init(zone: Control.ShareReference) {
      self.zone = zone
    }
  }

  /// Changes or returns the selection of a mirrored folder on this device. Deselected files are
  /// removed from the folder, and stay in the share.
  public struct Select: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.SelectReply
    /// The name in the address.
    public static let name = "select"
    /// The accepted targets.
    public static let targets: Control.Targets = .mirrored
    /// True: the operation may take long.
    public static let mayWait = true

    /// The absolute path of the folder's root.
    public var path: Control.Path
    /// The change. Without it, the selection is returned.
    public var change: Control.SelectionChange?
    /// The absolute paths of the files and directories to change. `all` takes none.
    public var paths: [Control.Path]?
    /// True to select entries that others add later beside the named paths. Without it, true for
    /// `without` and false for `only`.
    public var addsNew: Bool?
    /// The absolute path of a directory whose entries are listed with their sizes.
    public var list: Control.Path?

    /// Creates a request.
    public init(
      path: Control.Path, change: Control.SelectionChange? = nil, paths: [Control.Path]? = nil,
      addsNew: Bool? = nil, list: Control.Path? = nil
    ) {
      self.path = path
      self.change = change
      self.paths = paths
      self.addsNew = addsNew
      self.list = list
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
      change = try members.decodeIfPresent(Control.SelectionChange.self, forKey: .change)
      paths = try members.decodeIfPresent([Control.Path].self, forKey: .paths)?.requiringAbsolute()
      addsNew = try members.decodeIfPresent(Bool.self, forKey: .addsNew)
      list = try members.decodeIfPresent(Control.Path.self, forKey: .list)?.requiringAbsolute()
    }
  }

  /// Returns some settings of `cairn.conf`, or changes them. A change takes effect at once.
  public struct Settings: ControlOperation {
    /// The answer.
    public typealias Reply = Control.SettingsReply
    /// The name in the address.
    public static let name = "settings"

    /// True to show notifications on the desktop. Without it, nothing changes.
    public var notifications: Bool?
    /// The upload limit in bytes per second, or 0 for none. Without it, nothing changes.
    public var uploadLimit: Int64?
    /// The download limit in bytes per second, or 0 for none. Without it, nothing changes.
    public var downloadLimit: Int64?
    /// The times at which the limits apply: hours such as `08:00-18:00`, or `metered`. An empty
    /// list means always. Without it, nothing changes.
    public var limitWhen: [String]?

    /// Creates a request.
    public init(
      notifications: Bool? = nil, uploadLimit: Int64? = nil, downloadLimit: Int64? = nil,
      limitWhen: [String]? = nil
    ) {
      self.notifications = notifications
      self.uploadLimit = uploadLimit
      self.downloadLimit = downloadLimit
      self.limitWhen = limitWhen
    }
  }

  /// Creates a person's home, and the container if it is missing. An anonymous home has no account:
  /// it reads the public database, and writes nothing into the container.
  public struct Setup: ControlOperation {
    /// The answer.
    public typealias Reply = Control.SetupReply
    /// The name in the address.
    public static let name = "setup"

    /// The container's absolute directory, or its bucket. Without it, the location in the link.
    public var container: Control.Path?
    /// The display name; empty in an anonymous home.
    public var name: String
    /// The handle for invitations; empty in an anonymous home.
    public var handle: String
    /// The name of this device. Without it, the name of the host.
    public var deviceName: String?
    /// A link to a share. The home is created for its container, which must exist.
    public var link: String?
    /// True to report the actions without performing them.
    public var dryRun: Bool
    /// True to create an anonymous home.
    public var anonymous: Bool
    /// The longest pause in seconds between polls of a container that cannot notify.
    public var pollSeconds: Int?
    /// The name of the container in this home. Without it, the home must have no container yet.
    public var containerName: String?
    /// The settings of the container's bucket. Without them, the defaults.
    public var bucket: Control.Bucket?

    /// Creates a request.
    public init(
      container: Control.Path? = nil, name: String, handle: String, deviceName: String? = nil,
      link: String? = nil, dryRun: Bool = false, anonymous: Bool = false, pollSeconds: Int? = nil,
      containerName: String? = nil, bucket: Control.Bucket? = nil
    ) {
      self.container = container
      self.name = name
      self.handle = handle
      self.deviceName = deviceName
      self.link = link
      self.dryRun = dryRun
      self.anonymous = anonymous
      self.pollSeconds = pollSeconds
      self.containerName = containerName
      self.bucket = bucket
    }

    /// Decodes a request. A missing member has its default value.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      container = try members.decodeIfPresent(Control.Path.self, forKey: .container)
      name = try members.decode(String.self, forKey: .name)
      handle = try members.decode(String.self, forKey: .handle)
      deviceName = try members.decodeIfPresent(String.self, forKey: .deviceName)
      link = try members.decodeIfPresent(String.self, forKey: .link)
      dryRun = try members.decodeIfPresent(Bool.self, forKey: .dryRun) ?? false
      anonymous = try members.decodeIfPresent(Bool.self, forKey: .anonymous) ?? false
      pollSeconds = try members.decodeIfPresent(Int.self, forKey: .pollSeconds)
      containerName = try members.decodeIfPresent(String.self, forKey: .containerName)
      bucket = try members.decodeIfPresent(Control.Bucket.self, forKey: .bucket)
    }
  }

  /// Accepts an invitation, and mirrors the share. The owner's daemon may be off.
  public struct ShareAccept: ControlOperation {
    /// The answer.
    public typealias Reply = Control.AcceptReply
    /// The name in the address.
    public static let name = "shareAccept"
    /// True: the operation may take long.
    public static let mayWait = true

    /// A link, or the id of an invitation.
    public var invitation: String
    /// The absolute path of the folder, which must be missing or empty. Without it, a folder with
    /// the share's title in the folder `Cairn` of the home folder.
    public var at: Control.Path?
    /// True to wait until the whole tree has arrived.
    public var wait: Bool
    /// True to accept although the inviter has changed, or others claim their handle.
    public var unverified: Bool?
    /// The part of the share that this device gets. Without it, everything.
    public var select: Control.InitialSelection?
    /// True to apply all attributes that the share carries.
    public var fullMetadata: Bool?

    /// Creates a request.
    public init(
      invitation: String, at: Control.Path? = nil, wait: Bool = false, unverified: Bool? = nil,
      select: Control.InitialSelection? = nil, fullMetadata: Bool? = nil
    ) {
      self.invitation = invitation
      self.at = at
      self.wait = wait
      self.unverified = unverified
      self.select = select
      self.fullMetadata = fullMetadata
    }

    /// Decodes a request. A missing member has its default value. Throws `ControlError` for a
    /// relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      invitation = try members.decode(String.self, forKey: .invitation)
      at = try members.decodeIfPresent(Control.Path.self, forKey: .at)?.requiringAbsolute()
      wait = try members.decodeIfPresent(Bool.self, forKey: .wait) ?? false
      unverified = try members.decodeIfPresent(Bool.self, forKey: .unverified)
      select = try members.decodeIfPresent(Control.InitialSelection.self, forKey: .select)
      fullMetadata = try members.decodeIfPresent(Bool.self, forKey: .fullMetadata)
    }
  }

  /// Adds a folder or a file to an existing share. Nobody has to accept again.
  public struct ShareAdd: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ShareAddReply
    /// The name in the address.
    public static let name = "shareAdd"
    /// The accepted targets.
    public static let targets = Control.Targets([.folder, .part, .id])
    /// True: the operation may take long.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The absolute path of the folder or file to add.
    public var path: Control.Path
    /// True to confirm a place that contains a home or secrets, or belongs to the system.
    public var sensitive: Bool?

    /// Creates a request.
    public init(share: Control.ShareReference, path: Control.Path, sensitive: Bool? = nil) {
      self.share = share
      self.path = path
      self.sensitive = sensitive
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      share = try members.decode(Control.ShareReference.self, forKey: .share)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
      sensitive = try members.decodeIfPresent(Bool.self, forKey: .sensitive)
    }
  }

  /// Invites a person who asked for access.
  public struct ShareApprove: ShareOperation {
    /// The answer.
    public typealias Reply = Control.InviteReply
    /// The name in the address.
    public static let name = "shareApprove"
    /// The accepted targets.
    public static let targets: Control.Targets = .shared
    /// True: the operation may take long.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The person: a handle, the beginning of an id, or the id of a request.
    public var person: String
    /// The permission. Without it, people in the share keep theirs, and others get read-write.
    public var permission: Control.Permission?
    /// True to invite them although there is an identity warning, as for `shareInvite`.
    public var unverified: Bool?

    /// Creates a request.
    public init(
      share: Control.ShareReference, person: String, permission: Control.Permission? = nil,
      unverified: Bool? = nil
    ) {
      self.share = share
      self.person = person
      self.permission = permission
      self.unverified = unverified
    }
  }

  /// Blocks a person, who can then neither join nor ask for access.
  public struct ShareBlock: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ShareReply
    /// The name in the address.
    public static let name = "shareBlock"
    /// The accepted targets.
    public static let targets: Control.Targets = .whole
    /// True: the operation may take long.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The person: a handle, the beginning of an id, or the id of a request.
    public var person: String

    /// Creates a request.
    public init(share: Control.ShareReference, person: String) {
      self.share = share
      self.person = person
    }
  }

  /// Shares a folder, a file, or several of them in one share, and mirrors them first. Sharing
  /// again returns the same share and link.
  public struct ShareCreate: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ShareReply
    /// The name in the address.
    public static let name = "shareCreate"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The absolute paths of the folders or files, at least one.
    public var paths: [Control.Path]
    /// The title that invitations show. Without it, the current title, or the name of the first
    /// path.
    public var title: String?
    /// True to confirm a place that contains a home or secrets, or belongs to the system.
    public var sensitive: Bool?
    /// True to have the share carry all attributes of files.
    public var fullMetadata: Bool?

    /// Creates a request.
    public init(
      paths: [Control.Path], title: String? = nil, sensitive: Bool? = nil, fullMetadata: Bool? = nil
    ) {
      self.paths = paths
      self.title = title
      self.sensitive = sensitive
      self.fullMetadata = fullMetadata
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      paths = try members.decode([Control.Path].self, forKey: .paths).requiringAbsolute()
      title = try members.decodeIfPresent(String.self, forKey: .title)
      sensitive = try members.decodeIfPresent(Bool.self, forKey: .sensitive)
      fullMetadata = try members.decodeIfPresent(Bool.self, forKey: .fullMetadata)
    }
  }

  /// Deletes an invitation from your inbox. Nobody is told, and you can be invited again.
  public struct ShareDecline: ControlOperation {
    /// The answer.
    public typealias Reply = Control.DeclineReply
    /// The name in the address.
    public static let name = "shareDecline"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The id of the invitation, at least six digits of it, or the link.
    public var invitation: String

    /// Creates a request.
    public init(invitation: String) {
      self.invitation = invitation
    }
  }

  /// Deletes a request for access. The person can ask again.
  public struct ShareDeny: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ShareReply
    /// The name in the address.
    public static let name = "shareDeny"
    /// The accepted targets.
    public static let targets: Control.Targets = .whole
    /// True: the operation may take long.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The person: a handle, the beginning of an id, or the id of a request.
    public var person: String

    /// Creates a request.
    public init(share: Control.ShareReference, person: String) {
      self.share = share
      self.person = person
    }
  }

  /// Lists the invitations in this container that await your answer.
  public struct ShareInvitations: ControlOperation {
    /// The answer.
    public typealias Reply = Control.InvitationsReply
    /// The name in the address.
    public static let name = "shareInvitations"
    /// True: the operation may take long.
    public static let mayWait = true

    /// Creates a request.
    public init() {}
  }

  /// Invites people of the container, all or none, and returns the locator for them. The permission
  /// of existing participants is changed, if the request has one.
  public struct ShareInvite: ShareOperation {
    /// The answer.
    public typealias Reply = Control.InviteReply
    /// The name in the address.
    public static let name = "shareInvite"
    /// The accepted targets.
    public static let targets: Control.Targets = .shared
    /// True: the operation may take long.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The people: handles, ids, or beginnings of ids with at least six digits.
    public var people: [String]
    /// The permission. Without it, people in the share keep theirs, and others get read-write.
    public var permission: Control.Permission?
    /// True to invite them although there is an identity warning: they have changed, others claim
    /// their handle, or they aren't verified and others are.
    public var unverified: Bool?
    /// True to show them the current contents and later changes, but no history.
    public var fromNow: Bool?
    /// The end of their access. Without it, participants keep an earlier end.
    public var until: Control.Time?

    /// Creates a request.
    public init(
      share: Control.ShareReference, people: [String], permission: Control.Permission? = nil,
      unverified: Bool? = nil, fromNow: Bool? = nil, until: Control.Time? = nil
    ) {
      self.share = share
      self.people = people
      self.permission = permission
      self.unverified = unverified
      self.fromNow = fromNow
      self.until = until
    }
  }

  /// Creates a one-time link: the first person who uses it joins. This person need not be in the
  /// container yet.
  public struct ShareInviteLink: ShareOperation {
    /// The answer.
    public typealias Reply = Control.LinkReply
    /// The name in the address.
    public static let name = "shareInviteLink"
    /// The accepted targets.
    public static let targets: Control.Targets = .shared
    /// True: the operation may take long.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The person's permission.
    public var permission: Control.Permission
    /// The time when the link expires. Without it, never.
    public var expires: Control.Time?
    /// True to show them the current contents and later changes, but no history.
    public var fromNow: Bool?

    /// Creates a request.
    public init(
      share: Control.ShareReference, permission: Control.Permission = .readWrite,
      expires: Control.Time? = nil, fromNow: Bool? = nil
    ) {
      self.share = share
      self.permission = permission
      self.expires = expires
      self.fromNow = fromNow
    }

    /// Decodes a request. A missing member has its default value.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      share = try members.decode(Control.ShareReference.self, forKey: .share)
      permission =
        try members.decodeIfPresent(Control.Permission.self, forKey: .permission) ?? .readWrite
      expires = try members.decodeIfPresent(Control.Time.self, forKey: .expires)
      fromNow = try members.decodeIfPresent(Bool.self, forKey: .fromNow)
    }
  }

  /// Leaves a share of another person.
  public struct ShareLeave: ShareOperation {
    /// The answer.
    public typealias Reply = Control.LeaveReply
    /// The name in the address.
    public static let name = "shareLeave"
    /// The accepted targets.
    public static let targets: Control.Targets = .ended
    /// True: the operation may take long.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// True to keep the files in an ordinary folder.
    public var keepCopy: Bool

    /// Creates a request.
    public init(share: Control.ShareReference, keepCopy: Bool = false) {
      self.share = share
      self.keepCopy = keepCopy
    }

    /// Decodes a request. A missing member has its default value.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      share = try members.decode(Control.ShareReference.self, forKey: .share)
      keepCopy = try members.decodeIfPresent(Bool.self, forKey: .keepCopy) ?? false
    }
  }

  /// Returns the link for anyone to a share that anyone may join. It stays the same until it
  /// expires or access is narrowed.
  public struct ShareLink: ShareOperation {
    /// The answer.
    public typealias Reply = Control.LinkReply
    /// The name in the address.
    public static let name = "shareLink"
    /// The accepted targets.
    public static let targets: Control.Targets = .shared
    /// True: the operation may take long.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The time when the link expires. Another time creates another link. Without it, the current
    /// time, or never.
    public var expires: Control.Time?
    /// True to show people who join by it the current contents and later changes, but no history.
    /// Without it, the current link decides.
    public var fromNow: Bool?

    /// Creates a request.
    public init(share: Control.ShareReference, expires: Control.Time? = nil, fromNow: Bool? = nil) {
      self.share = share
      self.expires = expires
      self.fromNow = fromNow
    }
  }

  /// Lists all shares that you own or participate in.
  public struct ShareList: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ShareListReply
    /// The name in the address.
    public static let name = "shareList"

    /// Creates a request.
    public init() {}
  }

  /// Returns the contents, the sender and the future path of an invitation or a link. Nothing is
  /// accepted or created.
  public struct ShareOffer: ControlOperation {
    /// The answer.
    public typealias Reply = Control.OfferReply
    /// The name in the address.
    public static let name = "shareOffer"
    /// True: the operation may take long.
    public static let mayWait = true

    /// A link, or the id of an invitation.
    public var invitation: String
    /// The absolute path of the folder, as for `shareAccept`.
    public var at: Control.Path?

    /// Creates a request.
    public init(invitation: String, at: Control.Path? = nil) {
      self.invitation = invitation
      self.at = at
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      invitation = try members.decode(String.self, forKey: .invitation)
      at = try members.decodeIfPresent(Control.Path.self, forKey: .at)?.requiringAbsolute()
    }
  }

  /// Lists the people in one share, with the owner first.
  public struct ShareParticipants: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ParticipantsReply
    /// The name in the address.
    public static let name = "shareParticipants"
    /// The accepted targets.
    public static let targets: Control.Targets = .readWhole

    /// The share.
    public var share: Control.ShareReference

    /// Creates a request.
    public init(share: Control.ShareReference) {
      self.share = share
    }
  }

  /// Returns or changes the ways of sharing that the owner allows.
  public struct SharePolicy: ShareOperation {
    /// The answer.
    public typealias Reply = Control.SharePolicyReply
    /// The name in the address.
    public static let name = "sharePolicy"
    /// The accepted targets.
    public static let targets: Control.Targets = .whole
    /// True: the operation may take long.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The people that the share may admit: `any`, `anyone` or `named`. Without it, nothing
    /// changes.
    public var access: String?
    /// The single permission that may be granted, or `none` for both. Without it, nothing changes.
    public var permission: Control.Permission?
    /// True if participants may invite. Without it, nothing changes.
    public var participantsInvite: Bool?

    /// Creates a request.
    public init(
      share: Control.ShareReference, access: String? = nil, permission: Control.Permission? = nil,
      participantsInvite: Bool? = nil
    ) {
      self.share = share
      self.access = access
      self.permission = permission
      self.participantsInvite = participantsInvite
    }
  }

  /// Removes a person from a share.
  public struct ShareRemove: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ShareReply
    /// The name in the address.
    public static let name = "shareRemove"
    /// The accepted targets.
    public static let targets: Control.Targets = .whole
    /// True: the operation may take long.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The person: a handle, or the beginning of an id.
    public var person: String

    /// Creates a request.
    public init(share: Control.ShareReference, person: String) {
      self.share = share
      self.person = person
    }
  }

  /// Asks the owners of shares for access, as CloudKit's CKShareRequestAccessOperation does.
  public struct ShareRequest: ControlOperation {
    /// The answer.
    public typealias Reply = Control.RequestReply
    /// The name in the address.
    public static let name = "shareRequest"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The links to the shares.
    public var links: [String]
    /// The message to the owner; at most 1,000 bytes.
    public var message: String

    /// Creates a request.
    public init(links: [String], message: String = "") {
      self.links = links
      self.message = message
    }

    /// Decodes a request. A missing member has its default value.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      links = try members.decode([String].self, forKey: .links)
      message = try members.decodeIfPresent(String.self, forKey: .message) ?? ""
    }
  }

  /// Lists the requests for access to your shares.
  public struct ShareRequests: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.RequestsReply
    /// The name in the address.
    public static let name = "shareRequests"
    /// The accepted targets.
    public static let targets: Control.Targets = .readWhole
    /// True: the operation may take long.
    public static let mayWait = true

    /// The share. Without it, all your shares.
    public var share: Control.ShareReference?

    /// Creates a request.
    public init(share: Control.ShareReference? = nil) {
      self.share = share
    }
  }

  /// Changes the permission of a participant, effective at once.
  public struct ShareSetPermission: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ShareReply
    /// The name in the address.
    public static let name = "shareSetPermission"
    /// The accepted targets.
    public static let targets: Control.Targets = .shared
    /// True: the operation may take long.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The person: a handle, or the beginning of an id.
    public var person: String
    /// The new permission.
    public var permission: Control.Permission
    /// The end of their access. Without it, an earlier end stays.
    public var until: Control.Time?
    /// True to remove an earlier end.
    public var endless: Bool?

    /// Creates a request.
    public init(
      share: Control.ShareReference, person: String, permission: Control.Permission,
      until: Control.Time? = nil, endless: Bool? = nil
    ) {
      self.share = share
      self.person = person
      self.permission = permission
      self.until = until
      self.endless = endless
    }
  }

  /// Sets the permission of anyone with the link. If people lose access by this, it must be
  /// confirmed.
  public struct ShareSetPublic: ShareOperation {
    /// The answer.
    public typealias Reply = Control.SetPublicReply
    /// The name in the address.
    public static let name = "shareSetPublic"
    /// The accepted targets.
    public static let targets: Control.Targets = .shared
    /// True: the operation may take long.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The permission of anyone with the link.
    public var permission: Control.Permission
    /// True to confirm that people lose access, as the error of an unconfirmed request describes.
    public var confirmed: Bool

    /// Creates a request.
    public init(
      share: Control.ShareReference, permission: Control.Permission, confirmed: Bool = false
    ) {
      self.share = share
      self.permission = permission
      self.confirmed = confirmed
    }

    /// Decodes a request. A missing member has its default value.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      share = try members.decode(Control.ShareReference.self, forKey: .share)
      permission = try members.decode(Control.Permission.self, forKey: .permission)
      confirmed = try members.decodeIfPresent(Bool.self, forKey: .confirmed) ?? false
    }
  }

  /// Allows or forbids requests for access by people who have only the locator.
  public struct ShareSetRequests: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ShareReply
    /// The name in the address.
    public static let name = "shareSetRequests"
    /// The accepted targets.
    public static let targets: Control.Targets = .whole
    /// True: the operation may take long.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// True to allow requests.
    public var allowed: Bool

    /// Creates a request.
    public init(share: Control.ShareReference, allowed: Bool) {
      self.share = share
      self.allowed = allowed
    }
  }

  /// Makes a participant an administrator, or an ordinary participant again.
  public struct ShareSetRole: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ShareReply
    /// The name in the address.
    public static let name = "shareSetRole"
    /// The accepted targets.
    public static let targets: Control.Targets = .shared
    /// True: the operation may take long.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The person: a handle, or the beginning of an id.
    public var person: String
    /// The new role: `administrator` or `participant`.
    public var role: Control.Role

    /// Creates a request.
    public init(share: Control.ShareReference, person: String, role: Control.Role) {
      self.share = share
      self.person = person
      self.role = role
    }
  }

  /// Returns a share with its participants.
  public struct ShareShow: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ShareReply
    /// The name in the address.
    public static let name = "shareShow"
    /// The accepted targets.
    public static let targets = Control.Targets([.folder, .part, .inside, .missing, .id])

    /// The share.
    public var share: Control.ShareReference

    /// Creates a request.
    public init(share: Control.ShareReference) {
      self.share = share
    }
  }

  /// Ends a share of yours. The others lose it, and you keep everything.
  public struct ShareStop: ShareOperation {
    /// The answer.
    public typealias Reply = Control.LeaveReply
    /// The name in the address.
    public static let name = "shareStop"
    /// The accepted targets.
    public static let targets: Control.Targets = .ended
    /// True: the operation may take long.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference

    /// Creates a request.
    public init(share: Control.ShareReference) {
      self.share = share
    }
  }

  /// Decides who may take a share over without its owner's help, makes or answers a claim, or takes
  /// the share over. Without a step, nothing changes.
  public struct ShareSuccessor: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ShareReply
    /// The name in the address.
    public static let name = "shareSuccessor"
    /// The accepted targets.
    public static let targets: Control.Targets = .whole
    /// True: the operation may take long.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The step.
    public var step: Control.SuccessionStep?
    /// With `name`, the successors, and with `confirm`, the person with the claim: handles, or the
    /// beginnings of ids.
    public var people: [String]
    /// With `name`, the present administrators are successors, too.
    public var administrators: Bool
    /// With `name`, the waiting time of a claim in seconds. Without it, 14 days.
    public var waitSeconds: Int64?

    /// Creates a request.
    public init(
      share: Control.ShareReference, step: Control.SuccessionStep? = nil, people: [String] = [],
      administrators: Bool = false, waitSeconds: Int64? = nil
    ) {
      self.share = share
      self.step = step
      self.people = people
      self.administrators = administrators
      self.waitSeconds = waitSeconds
    }

    /// Decodes a request. A missing member has its default value.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      share = try members.decode(Control.ShareReference.self, forKey: .share)
      step = try members.decodeIfPresent(Control.SuccessionStep.self, forKey: .step)
      people = try members.decodeIfPresent([String].self, forKey: .people) ?? []
      administrators = try members.decodeIfPresent(Bool.self, forKey: .administrators) ?? false
      waitSeconds = try members.decodeIfPresent(Int64.self, forKey: .waitSeconds)
    }
  }

  /// Takes a folder or file out of a share of yours that has several. The others lose it, and it
  /// stays in its place here.
  public struct ShareTakeOut: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.ShareTakeOutReply
    /// The name in the address.
    public static let name = "shareTakeOut"
    /// The accepted targets.
    public static let targets = Control.Targets([.part], intention: .unshare)
    /// True: the operation may take long.
    public static let mayWait = true

    /// The absolute path of the folder or file.
    public var path: Control.Path

    /// Creates a request.
    public init(path: Control.Path) {
      self.path = path
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
    }
  }

  /// Offers the ownership of a share of yours to a participant, or answers such an offer. The
  /// participant owns the share once they accept.
  public struct ShareTransfer: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ShareReply
    /// The name in the address.
    public static let name = "shareTransfer"
    /// The accepted targets.
    public static let targets: Control.Targets = .whole
    /// True: the operation may take long.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The person who gets the offer: a handle, or the beginning of an id. Missing with an answer.
    public var person: String?
    /// The answer to an offer. Missing with a person.
    public var answer: Control.OfferAnswer?

    /// Creates a request.
    public init(
      share: Control.ShareReference, person: String? = nil, answer: Control.OfferAnswer? = nil
    ) {
      self.share = share
      self.person = person
      self.answer = answer
    }
  }

  /// Unblocks a person.
  public struct ShareUnblock: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ShareReply
    /// The name in the address.
    public static let name = "shareUnblock"
    /// The accepted targets.
    public static let targets: Control.Targets = .whole
    /// True: the operation may take long.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The person: a handle, the beginning of an id, or the id of a request.
    public var person: String

    /// Creates a request.
    public init(share: Control.ShareReference, person: String) {
      self.share = share
      self.person = person
    }
  }

  /// Revokes an invitation that isn't accepted yet, or a link.
  public struct ShareUninvite: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ShareReply
    /// The name in the address.
    public static let name = "shareUninvite"
    /// The accepted targets.
    public static let targets: Control.Targets = .whole
    /// True: the operation may take long.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The person, by handle or id, or the id of a link. Beginnings of ids have at least six
    /// digits.
    public var invited: String

    /// Creates a request.
    public init(share: Control.ShareReference, invited: String) {
      self.share = share
      self.invited = invited
    }
  }

  /// Returns the share and the sync state of paths, from this device's index.
  public struct Stat: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.StatReply
    /// The name in the address.
    public static let name = "stat"
    /// The accepted targets.
    public static let targets: Control.Targets = .anyPath

    /// The absolute paths, in mounts or elsewhere.
    public var paths: [Control.Path]
    /// True to return only paths that are shared and durable in the zone.
    public var onlyShared: Bool

    /// Creates a request.
    public init(paths: [Control.Path], onlyShared: Bool = false) {
      self.paths = paths
      self.onlyShared = onlyShared
    }

    /// Decodes a request. A missing member has its default value. Throws `ControlError` for a
    /// relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      paths = try members.decode([Control.Path].self, forKey: .paths).requiringAbsolute()
      onlyShared = try members.decodeIfPresent(Bool.self, forKey: .onlyShared) ?? false
    }
  }

  /// Returns the states of the daemon, the container and the mounts.
  public struct Status: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.StatusReply
    /// The name in the address.
    public static let name = "status"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// True: twice has the effect of once.
    public static let mayBeRepeated = true

    /// An absolute path in the mount to report. Without it, all mounts.
    public var path: Control.Path?

    /// Creates a request.
    public init(path: Control.Path? = nil) {
      self.path = path
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decodeIfPresent(Control.Path.self, forKey: .path)?.requiringAbsolute()
    }
  }

  /// Reports the states of the daemon, the container and the mounts in a `status` line, and again
  /// after each change, until the client disconnects. In a home with several containers, without a
  /// container in the address and without a path, each container has lines of its own.
  public struct StatusWatch: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.StatusReply
    /// The name in the address.
    public static let name = "statusWatch"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// True: the operation may take long.
    public static let mayWait = true

    /// An absolute path in the mount to report. Without it, all mounts.
    public var path: Control.Path?

    /// Creates a request.
    public init(path: Control.Path? = nil) {
      self.path = path
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decodeIfPresent(Control.Path.self, forKey: .path)?.requiringAbsolute()
    }
  }

  /// Ends the daemon after its current step. The next start continues the work.
  public struct Stop: ControlOperation {
    /// The answer.
    public typealias Reply = Control.StopReply
    /// The name in the address.
    public static let name = "stop"

    /// Creates a request.
    public init() {}
  }

  /// Moves the waiting transfers of a file, or of all files in a directory, to the front.
  public struct TransferFirst: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.TransferFirstReply
    /// The name in the address.
    public static let name = "transferFirst"
    /// The accepted targets.
    public static let targets: Control.Targets = .anyPath
    /// True: twice has the effect of once.
    public static let mayBeRepeated = true

    /// The absolute path. The file need not exist yet.
    public var path: Control.Path

    /// Creates a request.
    public init(path: Control.Path) {
      self.path = path
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
    }
  }

  /// Lists the files that are transferred, or wait for that.
  public struct Transfers: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.TransfersReply
    /// The name in the address.
    public static let name = "transfers"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// True: twice has the effect of once.
    public static let mayBeRepeated = true

    /// An absolute path in the mount to report. Without it, all mounts.
    public var path: Control.Path?
    /// The largest number of files. Without it, 1,000.
    public var limit: Int?

    /// Creates a request.
    public init(path: Control.Path? = nil, limit: Int? = nil) {
      self.path = path
      self.limit = limit
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decodeIfPresent(Control.Path.self, forKey: .path)?.requiringAbsolute()
      limit = try members.decodeIfPresent(Int.self, forKey: .limit)
    }
  }

  /// Lists a directory at an earlier point in time.
  public struct Tree: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.TreeReply
    /// The name in the address.
    public static let name = "tree"
    /// The accepted targets.
    public static let targets: Control.Targets = .path

    /// The absolute path in a mount at that time.
    public var path: Control.Path
    /// The point in time.
    public var at: Control.Moment
    /// True to include everything below the directory.
    public var recursive: Bool

    /// Creates a request.
    public init(path: Control.Path, at: Control.Moment, recursive: Bool = false) {
      self.path = path
      self.at = at
      self.recursive = recursive
    }

    /// Decodes a request. A missing member has its default value. Throws `ControlError` for a
    /// relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
      at = try members.decode(Control.Moment.self, forKey: .at)
      recursive = try members.decodeIfPresent(Bool.self, forKey: .recursive) ?? false
    }
  }

  /// Appends a piece to an upload. The last piece puts the file into its directory. A taken name
  /// gets a number.
  public struct Upload: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.UploadReply
    /// The name in the address.
    public static let name = "upload"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// True: the operation may take long.
    public static let mayWait = true

    /// The absolute path of the new file in a mirrored folder.
    public var path: Control.Path
    /// The name of this upload: 32 hexadecimal digits that the page draws.
    public var id: String
    /// The number of bytes that were sent before this piece.
    public var offset: Int64
    /// The bytes in base64.
    public var piece: String
    /// True for the last piece.
    public var isLast: Bool

    /// Creates a request.
    public init(path: Control.Path, id: String, offset: Int64, piece: String, isLast: Bool) {
      self.path = path
      self.id = id
      self.offset = offset
      self.piece = piece
      self.isLast = isLast
    }
  }

  /// Lists all people with a published profile in the container.
  public struct UserList: ControlOperation {
    /// The answer.
    public typealias Reply = Control.UserListReply
    /// The name in the address.
    public static let name = "userList"
    /// True: the operation may take long.
    public static let mayWait = true

    /// Creates a request.
    public init() {}
  }

  /// Ends a person's access to all shares of yours, invitations included.
  public struct UserRemove: ControlOperation {
    /// The answer.
    public typealias Reply = Control.UserRemoveReply
    /// The name in the address.
    public static let name = "userRemove"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The person: a handle, an id, or the beginning of an id.
    public var user: String

    /// Creates a request.
    public init(user: String) {
      self.user = user
    }
  }

  /// Returns a person's access to all shares of yours.
  public struct UserShow: ControlOperation {
    /// The answer.
    public typealias Reply = Control.UserShowReply
    /// The name in the address.
    public static let name = "userShow"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The person: a handle, an id, or the beginning of an id.
    public var user: String

    /// Creates a request.
    public init(user: String) {
      self.user = user
    }
  }

  /// Returns the number that both people must see, or records that they compared it.
  public struct UserVerify: ControlOperation {
    /// The answer.
    public typealias Reply = Control.UserVerifyReply
    /// The name in the address.
    public static let name = "userVerify"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The person: a handle, an id, or the beginning of an id.
    public var user: String
    /// The action.
    public var act: Control.VerificationAct
    /// The digits that the other person sees, for `match`.
    public var number: String?

    /// Creates a request.
    public init(user: String, act: Control.VerificationAct = .show, number: String? = nil) {
      self.user = user
      self.act = act
      self.number = number
    }

    /// Decodes a request. A missing member has its default value.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      user = try members.decode(String.self, forKey: .user)
      act = try members.decodeIfPresent(Control.VerificationAct.self, forKey: .act) ?? .show
      number = try members.decodeIfPresent(String.self, forKey: .number)
    }
  }

  /// Reads every commit, pack and chunk of one zone or of all zones from the container, and checks
  /// it.
  public struct Verify: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.VerifyReply
    /// The name in the address.
    public static let name = "verify"
    /// The accepted targets.
    public static let targets: Control.Targets = .readWhole
    /// True: the operation may take long.
    public static let mayWait = true

    /// The zone. Without it, every zone that this device can open, and the identities of all
    /// people.
    public var share: Control.ShareReference?
    /// True to read the files of the folders, too, and compare them with the zone.
    public var folder: Bool?

    /// Creates a request.
    public init(share: Control.ShareReference? = nil, folder: Bool? = nil) {
      self.share = share
      self.folder = folder
    }
  }

  /// Makes, moves, changes or deletes an entry of a zone, in a commit. The zone need not be
  /// mirrored on this device.
  public struct ViewChange: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ViewChangeReply
    /// The name in the address.
    public static let name = "viewChange"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The id of the zone.
    public var zone: String
    /// The change.
    public var act: Control.ViewAct
    /// The record that is moved
    public var record: String?
    /// The content of a file that is deleted. If it has another one by now, the request is refused.
    public var content: String?
    /// The directory of a new or moved entry.
    public var directory: String?
    /// The name of a new or moved entry.
    public var name: Control.Path?
    /// True to replace a moved entry's namesake.
    public var replaces: Bool
    /// The target of a new symlink.
    public var target: Control.Path?
    /// True to make a file executable.
    public var executable: Bool?
    /// The new modification time.
    public var modified: Control.Time?

    /// Creates a request.
    public init(
      zone: String, act: Control.ViewAct, record: String? = nil, content: String? = nil,
      directory: String? = nil, name: Control.Path? = nil, replaces: Bool = false,
      target: Control.Path? = nil, executable: Bool? = nil, modified: Control.Time? = nil
    ) {
      self.zone = zone
      self.act = act
      self.record = record
      self.content = content
      self.directory = directory
      self.name = name
      self.replaces = replaces
      self.target = target
      self.executable = executable
      self.modified = modified
    }

    /// Decodes a request. A missing member has its default value.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      zone = try members.decode(String.self, forKey: .zone)
      act = try members.decode(Control.ViewAct.self, forKey: .act)
      record = try members.decodeIfPresent(String.self, forKey: .record)
      content = try members.decodeIfPresent(String.self, forKey: .content)
      directory = try members.decodeIfPresent(String.self, forKey: .directory)
      name = try members.decodeIfPresent(Control.Path.self, forKey: .name)
      replaces = try members.decodeIfPresent(Bool.self, forKey: .replaces) ?? false
      target = try members.decodeIfPresent(Control.Path.self, forKey: .target)
      executable = try members.decodeIfPresent(Bool.self, forKey: .executable)
      modified = try members.decodeIfPresent(Control.Time.self, forKey: .modified)
    }
  }

  /// Returns an entry of a zone, for a view of it in the file system. The answer comes from this
  /// device's index.
  public struct ViewFind: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ViewFindReply
    /// The name in the address.
    public static let name = "viewFind"
    /// True: the operation may take long.
    public static let mayWait = true
    /// True: twice has the effect of once.
    public static let mayBeRepeated = true

    /// The id of the zone.
    public var zone: String
    /// The id of the entry's record, or of its directory.
    public var record: String
    /// The name of the entry in the directory.
    public var name: Control.Path?

    /// Creates a request.
    public init(zone: String, record: String, name: Control.Path? = nil) {
      self.zone = zone
      self.record = record
      self.name = name
    }
  }

  /// Lists a part of a directory of a zone, for a view of it in the file system. The answer comes
  /// from this device's index.
  public struct ViewList: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ViewListReply
    /// The name in the address.
    public static let name = "viewList"
    /// True: twice has the effect of once.
    public static let mayBeRepeated = true

    /// The id of the zone.
    public var zone: String
    /// The id of the directory's record.
    public var record: String
    /// The name before the first listed one. Without it, the list begins with the first name.
    public var after: Control.Path?
    /// The largest number of names that are looked at.
    public var limit: Int

    /// Creates a request.
    public init(zone: String, record: String, after: Control.Path? = nil, limit: Int = 1000) {
      self.zone = zone
      self.record = record
      self.after = after
      self.limit = limit
    }

    /// Decodes a request. A missing member has its default value.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      zone = try members.decode(String.self, forKey: .zone)
      record = try members.decode(String.self, forKey: .record)
      after = try members.decodeIfPresent(Control.Path.self, forKey: .after)
      limit = try members.decodeIfPresent(Int.self, forKey: .limit) ?? 1000
    }
  }

  /// Returns the zone and the record of a folder or a share, for a view of it in the file system.
  /// The zone need not be mirrored on this device.
  public struct ViewOpen: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ViewReply
    /// The name in the address.
    public static let name = "viewOpen"
    /// The accepted targets.
    public static let targets = Control.Targets([.folder, .part, .inside, .missing, .id])
    /// True: the operation may take long.
    public static let mayWait = true
    /// True: twice has the effect of once.
    public static let mayBeRepeated = true

    /// The share
    public var share: Control.ShareReference

    /// Creates a request.
    public init(share: Control.ShareReference) {
      self.share = share
    }
  }

  /// Gives a file of a zone the bytes of a file in a view's folder, in a commit. If somebody else
  /// changed it meanwhile, the bytes become a conflict copy beside it.
  public struct ViewPut: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ViewPutReply
    /// The name in the address.
    public static let name = "viewPut"
    /// True: the operation may take long.
    public static let mayWait = true

    /// The id of the zone.
    public var zone: String
    /// The directory of a new file.
    public var directory: String
    /// The name of a new file.
    public var name: Control.Path
    /// The file with the bytes: its view and its name, with a slash between, in the folder of the
    /// home's views.
    public var file: String
    /// The record of the file, or the one that a new file gets.
    public var record: String?
    /// The content that an existing file had before the change.
    public var content: String?
    /// True for an executable file.
    public var executable: Bool
    /// The modification time.
    public var modified: Control.Time

    /// Creates a request.
    public init(
      zone: String, directory: String, name: Control.Path, file: String, record: String? = nil,
      content: String? = nil, executable: Bool, modified: Control.Time
    ) {
      self.zone = zone
      self.directory = directory
      self.name = name
      self.file = file
      self.record = record
      self.content = content
      self.executable = executable
      self.modified = modified
    }
  }

  /// Writes a range of a file of a zone into a file of a view's cache. Only the chunks of this
  /// range are fetched.
  public struct ViewRead: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ViewReadReply
    /// The name in the address.
    public static let name = "viewRead"
    /// True: the operation may take long.
    public static let mayWait = true
    /// True: twice has the effect of once.
    public static let mayBeRepeated = true

    /// The id of the zone.
    public var zone: String
    /// The id of the file's content, from its entry.
    public var content: String
    /// The existing file for the bytes: its view and its name, with a slash between, in the folder
    /// of the home's views.
    public var file: String
    /// The first byte that is needed.
    public var offset: Int64
    /// The number of bytes that are needed.
    public var length: Int64

    /// Creates a request.
    public init(zone: String, content: String, file: String, offset: Int64, length: Int64) {
      self.zone = zone
      self.content = content
      self.file = file
      self.offset = offset
      self.length = length
    }
  }

  /// Waits until nothing is pending in either direction. After the timeout, it fails with
  /// `timedOut` and names the pending work.
  public struct Wait: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.WaitReply
    /// The name in the address.
    public static let name = "wait"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// True: the operation may take long.
    public static let mayWait = true

    /// An absolute path in the mount to report. Without it, all mounts.
    public var path: Control.Path?
    /// The timeout in seconds. Without it, there is none.
    public var timeoutSeconds: Double?

    /// Creates a request.
    public init(path: Control.Path? = nil, timeoutSeconds: Double? = nil) {
      self.path = path
      self.timeoutSeconds = timeoutSeconds
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decodeIfPresent(Control.Path.self, forKey: .path)?.requiringAbsolute()
      timeoutSeconds = try members.decodeIfPresent(Double.self, forKey: .timeoutSeconds)
    }
  }

  /// Returns the person and the device of this home.
  public struct WhoAmI: ControlOperation {
    /// The answer.
    public typealias Reply = Control.WhoAmIReply
    /// The name in the address.
    public static let name = "whoami"

    /// Creates a request.
    public init() {}
  }

  /// Returns the log entries that explain the state of a path, and the reasons why something waits.
  public struct Why: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.WhyReply
    /// The name in the address.
    public static let name = "why"
    /// The accepted targets.
    public static let targets: Control.Targets = .anyPath
    /// True: the operation may take long.
    public static let mayWait = true

    /// The absolute path. It may name something that no longer exists.
    public var path: Control.Path

    /// Creates a request.
    public init(path: Control.Path) {
      self.path = path
    }

    /// Decodes a request. Throws `ControlError` for a relative path.
    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      path = try members.decode(Control.Path.self, forKey: .path).requiringAbsolute()
    }
  }

  /// Lists the zones of this person's account.
  public struct Zones: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ZonesReply
    /// The name in the address.
    public static let name = "zones"

    /// The database. Without it, all databases.
    public var scope: Control.Scope?

    /// Creates a request.
    public init(scope: Control.Scope? = nil) {
      self.scope = scope
    }
  }
}
