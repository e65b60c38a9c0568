"""Notation: H, C, n, sign, seal, box, and the other functions of bytes on the page."""

import base64
import hashlib

import nacl.bindings as sodium
import nacl.exceptions

from .problems import Invalid


def n(number: int) -> bytes:
    """`n(x)`: the number as 8 bytes, big-endian."""
    return number.to_bytes(8, "big")


def context_bytes(context: str) -> bytes:
    """`C(context)`: one byte with the length of the ASCII text, and the text."""
    text = context.encode("ascii")
    return bytes([len(text)]) + text


def H(context: str, *parts: bytes) -> bytes:
    """`H(context, part ...)`: BLAKE2b with 32 bytes of output, of C(context) and the parts."""
    digest = hashlib.blake2b(context_bytes(context), digest_size=32)
    for part in parts:
        digest.update(part)
    return digest.digest()


def hex16(digest: bytes) -> str:
    """The first 16 bytes as 32 lower-case hexadecimal digits."""
    return digest[:16].hex()


def sign_public(seed: bytes) -> bytes:
    """The public Ed25519 key that belongs to the seed."""
    return sodium.crypto_sign_seed_keypair(seed)[0]


def sign(seed: bytes, context: str, *parts: bytes) -> bytes:
    """`sign(device, context, part ...)`: 64 bytes, signed by the key of that seed."""
    secret = sodium.crypto_sign_seed_keypair(seed)[1]
    message = context_bytes(context) + b"".join(parts)
    return sodium.crypto_sign(message, secret)[:64]


def is_signed(public: bytes, signature: bytes, context: str, *parts: bytes) -> bool:
    """Returns true if the signature was made with the key that belongs to that public one."""
    if len(signature) != 64 or len(public) != 32:
        return False
    message = context_bytes(context) + b"".join(parts)
    try:
        sodium.crypto_sign_open(signature + message, public)
        return True
    except (nacl.exceptions.CryptoError, ValueError):
        return False


def seal(key: bytes, nonce: bytes, context: str, parts: bytes, plain: bytes) -> bytes:
    """`seal(key, nonce, context, part ...: plain)`: XChaCha20-Poly1305, the tag at the end."""
    associated = context_bytes(context) + parts
    return sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(plain, associated, nonce, key)


def unseal(key: bytes, nonce: bytes, context: str, parts: bytes, sealed: bytes) -> bytes:
    """Opens what `seal` sealed."""
    associated = context_bytes(context) + parts
    try:
        return sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(sealed, associated, nonce, key)
    except (nacl.exceptions.CryptoError, ValueError) as error:
        raise Invalid("a seal that doesn't open") from error


def box_public(secret: bytes) -> bytes:
    """The public X25519 key of a secret key."""
    return sodium.crypto_scalarmult_base(secret)


def box(public: bytes, plain: bytes) -> bytes:
    """`box(public, plain)`: libsodium's anonymous sealed box, 48 bytes longer than the plain."""
    return sodium.crypto_box_seal(plain, public)


def unbox(secret: bytes, sealed: bytes) -> bytes | None:
    """Opens a box. Returns None if that secret key doesn't open it."""
    try:
        return sodium.crypto_box_seal_open(sealed, box_public(secret), secret)
    except (nacl.exceptions.CryptoError, ValueError, TypeError):
        return None


def epoch_box(next_key: bytes, recipient: bytes) -> bytes | None:
    """The only valid box of the next epoch's key for that key. None for a key that libsodium
    refuses."""
    seed = H("cairn epoch box v1", next_key, recipient)
    public, secret = sodium.crypto_box_seed_keypair(seed)
    nonce = hashlib.blake2b(public + recipient, digest_size=24).digest()
    try:
        return public + sodium.crypto_box(next_key, nonce, recipient, secret)
    except (nacl.exceptions.CryptoError, ValueError, RuntimeError):
        return None


def padded_length(length: int) -> int:
    """Padmé: the next multiple of 2^(E - S) for a length above 256, and 256 for shorter ones."""
    if length <= 256:
        return 256
    e = length.bit_length() - 1
    s = e.bit_length()
    unit = 1 << (e - s)
    return (length + unit - 1) // unit * unit


def base32(data: bytes) -> str:
    """Base 32 (RFC 4648) in lower case without padding."""
    return base64.b32encode(data).decode("ascii").lower().rstrip("=")


def unbase32(text: str) -> bytes:
    """The bytes of a base 32 text. It must have no bits left over, and may be in upper case."""
    upper = text.upper()
    try:
        data = base64.b32decode(upper + "=" * (-len(upper) % 8))
    except ValueError as error:
        raise Invalid("no base 32") from error
    if base32(data).upper() != upper:
        raise Invalid("base 32 with bits left over")
    return data
