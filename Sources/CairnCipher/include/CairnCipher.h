// SPDX-License-Identifier: Apache-2.0
//
// CairnCipher: ChaCha20-Poly1305 (RFC 8439) by OpenSSL's libcrypto 3, if it is installed. Its
// vector code needs less than half of libsodium's time for the same bytes. No policy beyond that.

#ifndef CAIRN_CIPHER_H
#define CAIRN_CIPHER_H

#include <stddef.h>
#include <stdint.h>

/// Opens libcrypto on the first call. Returns 1 if it is there and has the cipher, otherwise 0.
int cairn_cipher_is_available(void);

/// Seals `count` bytes into `count + 16` bytes at `out`: the ciphertext, then the tag. The key has
/// 32 bytes and the nonce 12. Returns 1, or 0 if libcrypto failed; then `out` is not a result.
int cairn_cipher_seal(uint8_t *out, const uint8_t *plain, size_t count, const uint8_t *associated,
                      size_t associated_count, const uint8_t *nonce, const uint8_t *key);

/// Opens `count` bytes of ciphertext, which are followed by their tag. Returns 1, 0 if they were
/// altered, or -1 if libcrypto failed. `out` holds the plaintext only after 1.
int cairn_cipher_open(uint8_t *out, const uint8_t *sealed, size_t count, const uint8_t *associated,
                      size_t associated_count, const uint8_t *nonce, const uint8_t *key);

#endif
