"""The messages, as cairn-container(5) prints them."""

from typing import Any

from .wire import Message, Schemas

_TEXT = """
message ContainerFile {
  uint32 format = 1;
  bytes id = 2;
  int64 created = 3;
  string note = 4;
  repeated bytes sites = 5;
}
message Site { bytes id = 1; string location = 2; }

// PEOPLE
message IdentityEntry { uint32 format = 1; bytes body = 2; bytes signature = 3; }
message IdentityBody {
  uint64 sequence = 1;
  bytes previous = 2;
  bytes device = 3;
  int64 time = 4;
  oneof change {
    IdentityStart start = 5;
    IdentityProfile profile = 6;
    IdentityDevice add_device = 7;
    IdentityRevocation revoke_device = 8;
    IdentityDeviceName rename_device = 9;
    IdentityPublicLog begin_public = 11;
    Site goes_on = 12;
  }
  bytes lock = 10;
}
message IdentityStart {
  IdentityProfile profile = 1;
  IdentityDevice device = 2;
  bytes encryption_key = 3;
  bytes site = 4;
}
message IdentityProfile { string handle = 1; string name = 2; }
message IdentityDevice {
  string name = 1;
  bytes sign_key = 2;
  bytes box_key = 3;
  bytes sealed_secret = 4;
  bytes proof = 5;
  bytes earlier_secrets = 6;
}
message IdentityRevocation {
  bytes device = 1;
  bytes encryption_key = 2;
  repeated SealedSecret secrets = 3;
}
message SealedSecret { bytes device = 1; bytes sealed_secret = 2; }
message IdentityDeviceName { bytes device = 1; string name = 2; }
message IdentityPublicLog { bytes lock = 1; }

// A device that joins
message JoinObject { uint32 format = 1; bytes nonce = 2; bytes sealed = 3; }

// DROP BOXES
message DropObject { uint32 format = 1; bytes nonce = 2; bytes sealed = 3; }
message DropBox {
  bytes container = 1;
  string title = 2;
  uint64 max_size = 3;
  uint32 max_files = 4;
  int64 expires = 5;
  bytes device = 6;
  bytes signature = 7;
}
message Drop {
  bytes key = 1;
  string name = 2;
  uint64 size = 3;
  int64 time = 4;
  bytes user = 5;
  bytes device = 6;
  bytes signature = 7;
  optional bytes padding = 8;
}
message JoinRequest {
  string name = 1;
  bytes sign_key = 2;
  bytes box_key = 3;
  bytes proof = 4;
  bytes head = 5;
}
message JoinAnswer {
  oneof answer { bytes grant = 1; JoinRefusal refusal = 2; }
}
message JoinGrant { bytes origin = 1; repeated bytes encryption_secrets = 2; }

// A device's own file
message AccountFile {
  uint32 format = 1;
  bytes user = 2;
  bytes sign_seed = 3;
  bytes box_secret = 4;
  repeated bytes encryption_secrets = 5;
  bytes origin = 6;
}

// THE LOG OF A ZONE
message LogEntry {
  uint32 format = 1;
  uint64 epoch = 2;
  bytes nonce = 3;
  repeated bytes key_boxes = 4;
  bytes sealed = 5;
  bytes commitment = 6;
}
message LogCopies { uint32 format = 1; repeated bytes entries = 2; uint64 place = 3; }
message SignedCommit { bytes body = 1; bytes signature = 2; optional bytes padding = 3; }
message Commit {
  bytes previous = 1;
  bytes user = 2;
  bytes device = 3;
  int64 time = 4;
  Genesis genesis = 5;
  repeated ChunkEntry chunks = 6;
  repeated RecordChange records = 7;
  repeated ShareChange share = 8;
  bytes next_key = 9;
  bytes run = 10;
  ChainHead chain = 11;
  repeated MemberKey keys = 12;
  bytes lock = 13;
  Reversal reversal = 14;
}
message Reversal { uint32 kind = 1; uint64 place = 2; uint64 first = 3; bool ends = 4; }
message MemberKey { bytes user = 1; bytes key = 2; }
message ChainHead { uint64 length = 1; bytes head = 2; }
message Genesis { bytes owner = 1; string name = 2; bytes nonce = 3; bytes site = 4; }
message ChunkEntry {
  bytes name = 1;
  uint32 size = 2;
  bytes place = 3;
  bytes pack = 4;
  uint32 generation = 5;
  bool again = 6;
  bytes after = 7;
}
message RecordChange {
  bytes id = 1;
  Act act = 2;
  Kind kind = 3;
  string type_name = 4;
  Place place = 5;
  Content content = 6;
  optional bytes target = 7;
  Attributes attributes = 8;
  repeated Field fields = 9;
}
message Place { bytes parent = 1; bytes name = 2; }
message Content { bytes id = 1; uint64 size = 2; bytes chunks = 3; }
message Attributes {
  bool executable = 1;
  sfixed64 modified = 2;
  optional uint32 mode = 3;
  ExtendedAttributes extended = 4;
}
message ExtendedAttributes { repeated ExtendedAttribute attributes = 1; }
message ExtendedAttribute { bytes name = 1; bytes value = 2; }
message Field {
  string name = 1;
  oneof value {
    bytes data = 2;
    string text = 3;
    sint64 integer = 4;
    bool removed = 5;
    double number = 6;
    bool boolean = 7;
    sfixed64 date = 8;
    Location location = 9;
    FieldList list = 10;
    bytes reference = 11;
    Content asset = 12;
  }
}
message Location { double latitude = 1; double longitude = 2; }
message FieldList { repeated Field values = 1; }
message ShareChange {
  oneof change {
    string title = 1;
    ShareInvitation invite = 2;
    bool accept = 3;
    bytes remove = 4;
    bool stop = 5;
    ShareInvitation permission = 6;
    ShareRole role = 7;
    uint32 public_permission = 8;
    ShareLink link = 9;
    bytes remove_link = 10;
    ShareClaim claim = 11;
    uint32 access_requests = 12;
    bytes block = 13;
    bytes unblock = 14;
    bytes offer = 15;
    bool purge = 16;
    ShareQuota quota = 17;
    bytes revoke_device = 18;
    SharePolicy policy = 19;
    uint32 minimum_version = 20;
    uint32 carry = 21;
    bool checkpoint = 22;
    Floor floor = 23;
    HistoryPolicy history = 24;
    Retirement retire = 25;
    Forgetting forget = 26;
    bool close_past = 27;
    Site goes_on = 28;
    bool take_over = 29;
  }
}
message Floor { uint64 checkpoint = 1; bytes digest = 2; uint64 forgotten = 3; bytes past = 4; }
message HistoryPolicy {
  bool forever = 1;
  optional uint64 all = 2;
  optional uint64 daily = 3;
  optional uint32 versions = 4;
}
message Forgetting { bytes record = 1; bytes versions = 2; }
message Retirement { uint32 generation = 1; bytes packs = 2; bool inline = 3; }
message ShareRole { bytes user = 1; uint32 role = 2; }
message ShareLink {
  bytes id = 1;
  bytes box_key = 2;
  bool one_time = 3;
  uint32 permission = 4;
  optional sfixed64 expires = 5;
  uint64 first_epoch = 6;
}
message ShareClaim { bytes link = 1; bytes proof = 2; }
message SharePolicy { uint32 access = 1; uint32 permission = 2; bool participants_invite = 3; }
message ShareQuota { optional uint64 limit = 1; }
message ShareInvitation { bytes user = 1; uint32 permission = 2; uint64 first_epoch = 3; }

// The state of a zone
message StateHeader {
  bytes zone = 1;
  uint32 kind = 2;
  uint64 sequence = 3;
  bytes head = 4;
  uint64 epoch = 5;
  bytes founder = 6;
  string name = 7;
  bytes owner = 8;
  StateShare share = 9;
  optional uint64 quota = 10;
  uint64 bytes = 11;
  repeated StateDevice revoked = 12;
  bool key_due = 13;
  bool purged = 14;
  repeated MemberKey keys = 15;
  uint32 minimum_version = 16;
  uint32 carry = 17;
  uint32 generation = 18;
  repeated uint64 checkpoints = 19;
  Floor floor = 20;
  HistoryPolicy history = 21;
  bytes lock = 22;
  repeated ClosedPast closings = 23;
  Site site = 24;
}
message ClosedPast { uint64 place = 1; uint64 epoch = 2; }
message StateDevice { bytes user = 1; bytes device = 2; }
message StateShare {
  string title = 1;
  uint32 public_permission = 2;
  repeated StateParticipant participants = 3;
  repeated ShareLink links = 4;
  bool access_requests = 5;
  repeated bytes blocked = 6;
  SharePolicy policy = 7;
  Stamp changed = 8;
  bytes offered = 9;
}
message StateParticipant {
  bytes user = 1;
  uint32 role = 2;
  uint32 permission = 3;
  bool accepted = 4;
  uint64 first_epoch = 5;
}
message Stamp { uint64 sequence = 1; bytes user = 2; bytes device = 3; int64 time = 4; }
message StateRecord {
  bytes id = 1;
  Kind kind = 2;
  string type_name = 3;
  Place place = 4;
  Content content = 5;
  optional bytes target = 6;
  Attributes attributes = 7;
  repeated Field fields = 8;
  Stamp created = 9;
  Stamp changed = 10;
}
message StateDeletion { bytes id = 1; uint64 sequence = 2; }
message StatePart {
  repeated StateRecord records = 1;
  repeated StateDeletion deletions = 2;
  repeated ChunkEntry chunks = 3;
  repeated bytes packs = 4;
  repeated StateVersion versions = 5;
}

// Floors
message Snapshot {
  uint32 format = 1;
  bytes entry = 2;
  uint64 place = 3;
  bytes header = 4;
  repeated bytes lists = 5;
  bytes places = 6;
  bytes first = 7;
  repeated HiddenPast hidden = 8;
}
message HiddenPast { uint64 epoch = 1; bytes versions = 2; bytes chunks = 3; }
message StateVersion { StateRecord record = 1; Stamp ended = 2; uint32 ending = 3; }

// The account zone
message Keyring { repeated EpochKey keys = 1; }
message EpochKey { uint64 epoch = 1; bytes key = 2; }

// CONTENTS OF FILES
message ChunkPlace {
  oneof position { bytes inline = 1; PackRange pack = 2; }
  bytes key = 3;
  Compression compression = 4;
  repeated ChunkPiece pieces = 5;
}
message ChunkPiece { bytes before = 1; uint32 size = 2; bytes added = 3; }
message PackRange { bytes owner = 1; uint64 offset = 2; uint32 length = 3; }

// INVITATIONS
message InboxMessage { uint32 format = 1; bytes sealed = 2; }
message SignedMessage {
  bytes body = 1;
  bytes signature = 2;
  optional bytes padding = 3;
  uint32 kind = 4;
  optional bytes passed_on = 5;
}
message Invitation {
  bytes id = 1;
  bytes container = 2;
  bytes zone = 3;
  bytes owner = 4;
  Keyring keyring = 5;
  string title = 6;
  uint32 permission = 7;
  bytes user = 8;
  bytes device = 9;
  int64 time = 10;
  Anchor zone_head = 11;
  ChainHead chain_head = 12;
  bytes nonce = 13;
}
message Anchor { uint64 place = 1; bytes digest = 2; }
message Door { uint32 format = 1; bytes owner = 2; bytes nonce = 3; }
message AccessRequest {
  bytes id = 1;
  bytes container = 2;
  bytes zone = 3;
  string text = 4;
  bytes user = 5;
  bytes device = 6;
  int64 time = 7;
}
"""

SCHEMAS = Schemas(_TEXT)


def make(message: str, /, **values: Any) -> Message:
    """A message to encode."""
    return SCHEMAS.make(message, **values)


def encode(message: Message) -> bytes:
    """The canonical encoding of a message."""
    return SCHEMAS.encode(message)


def decode(name: str, data: bytes, canonical: bool = True) -> Message:
    """A message from its bytes."""
    return SCHEMAS.decode(name, data, canonical)
