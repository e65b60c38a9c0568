// SPDX-License-Identifier: Apache-2.0
// The loops that `make bench-choices` measures. Each times itself with the processor time of its
// thread, so that other work on the machine and the cost of a call from Python don't count.
#define _GNU_SOURCE
#include <openssl/evp.h>
#include <sodium.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zdict.h>
#include <zstd.h>

double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

const char *versions(void) {
  static char text[200];
  strcpy(text, "libsodium ");
  strcat(text, sodium_version_string());
  strcat(text, ", OpenSSL ");
  strcat(text, OpenSSL_version(OPENSSL_VERSION_STRING));
  strcat(text, ", zstd ");
  strcat(text, ZSTD_versionString());
  return sodium_init() < 0 ? "" : text;
}

void fill_random(uint64_t seed, uint8_t *out, size_t count) {
  for (size_t i = 0; i + 8 <= count; i += 8) {
    uint64_t z = seed += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    z ^= z >> 31;
    memcpy(out + i, &z, 8);
  }
}

// MARK: Ciphers. Every message has a key of its own, as every chunk has.

typedef int (*sodium_seal)(uint8_t *, unsigned long long *, const uint8_t *, unsigned long long,
                           const uint8_t *, unsigned long long, const uint8_t *, const uint8_t *,
                           const uint8_t *);

// Returns the nanoseconds for a message. `seal` is a function of libsodium, or of another copy of
// libsodium.
double aead_sodium(void *seal, size_t size, size_t count) {
  uint8_t *plain = calloc(1, size), *sealed = malloc(size + 32), key[32] = {1}, nonce[32] = {0};
  uint8_t with[47] = {0};
  double start = now();
  for (size_t i = 0; i < count; i++) {
    memcpy(key, &i, sizeof i);
    ((sodium_seal)seal)(sealed, NULL, plain, size, with, sizeof with, NULL, nonce, key);
  }
  double took = now() - start;
  free(plain);
  free(sealed);
  return took / count;
}

void *xchacha(void) { return (void *)crypto_aead_xchacha20poly1305_ietf_encrypt; }

double aead_openssl(const char *name, size_t size, size_t count) {
  EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, NULL);
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  if (!cipher || !EVP_EncryptInit_ex(context, cipher, NULL, NULL, NULL)) return -1;
  uint8_t *plain = calloc(1, size), *sealed = malloc(size + 32), key[32] = {1}, nonce[12] = {0};
  uint8_t with[47] = {0}, tag[16];
  int done = 0;
  double start = now();
  for (size_t i = 0; i < count; i++) {
    memcpy(key, &i, sizeof i);
    EVP_EncryptInit_ex(context, NULL, NULL, key, nonce);
    EVP_EncryptUpdate(context, NULL, &done, with, sizeof with);
    EVP_EncryptUpdate(context, sealed, &done, plain, size);
    EVP_EncryptFinal_ex(context, sealed + done, &done);
    EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag);
  }
  double took = now() - start;
  EVP_CIPHER_CTX_free(context);
  EVP_CIPHER_free(cipher);
  free(plain);
  free(sealed);
  return took / count;
}

// The commitment of an entry hashes a context, the key, a zone, an epoch and a nonce.
double commitment(size_t count) {
  uint8_t parts[24 + 32 + 32 + 8 + 24] = {0}, digest[32];
  double start = now();
  for (size_t i = 0; i < count; i++) {
    memcpy(parts + 24, &i, sizeof i);
    crypto_generichash(digest, 32, parts, sizeof parts, NULL, 0);
  }
  return (now() - start) / count;
}

// MARK: Hashes

double hash_blake2b(size_t size, size_t count) {
  uint8_t *plain = calloc(1, size), digest[32];
  double start = now();
  for (size_t i = 0; i < count; i++) crypto_generichash(digest, 32, plain, size, NULL, 0);
  double took = now() - start;
  free(plain);
  return took / count;
}

double hash_openssl(const char *name, size_t size, size_t count) {
  EVP_MD *hash = EVP_MD_fetch(NULL, name, NULL);
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  if (!hash) return -1;
  uint8_t *plain = calloc(1, size), digest[64];
  double start = now();
  for (size_t i = 0; i < count; i++) {
    EVP_DigestInit_ex2(context, hash, NULL);
    EVP_DigestUpdate(context, plain, size);
    EVP_DigestFinal_ex(context, digest, NULL);
  }
  double took = now() - start;
  EVP_MD_CTX_free(context);
  EVP_MD_free(hash);
  free(plain);
  return took / count;
}

void digest(const uint8_t *bytes, size_t count, uint8_t *out) {
  crypto_generichash(out, 16, bytes, count, NULL, 0);
}

// MARK: Compression. Pieces are chunks: each is compressed by itself.

typedef struct {
  size_t plain, stored;      // bytes
  double compress, expand;   // nanoseconds
  size_t tried, kept;        // pieces
} totals;

// Keeps a compressed piece that is shorter by 1/2^keep (0: by a byte). With a probe, a whole piece
// is compressed only if its first `probe` bytes shrink by a thirty-second part.
int pieces_zstd(const uint8_t *base, const uint64_t *starts, const uint64_t *sizes, size_t count,
                int level, const uint8_t *dictionary, size_t dictionary_size, size_t probe,
                int keep, uint64_t *stored, totals *sum) {
  ZSTD_CCtx *maker = ZSTD_createCCtx();
  ZSTD_DCtx *opener = ZSTD_createDCtx();
  ZSTD_CDict *with = dictionary ? ZSTD_createCDict(dictionary, dictionary_size, level) : NULL;
  ZSTD_DDict *by = dictionary ? ZSTD_createDDict(dictionary, dictionary_size) : NULL;
  size_t room = ZSTD_compressBound(8 << 20), wrong = 0;
  uint8_t *out = malloc(room), *back = malloc(8 << 20);
  memset(sum, 0, sizeof *sum);
  for (size_t i = 0; i < count; i++) {
    const uint8_t *plain = base + starts[i];
    size_t size = sizes[i], found = size;
    double start = now();
    int go = 1;
    if (probe && size > 2 * probe) {
      size_t first = ZSTD_compressCCtx(maker, out, room, plain, probe, level);
      go = !ZSTD_isError(first) && first <= probe - probe / 32;
    }
    if (go) {
      found = with ? ZSTD_compress_usingCDict(maker, out, room, plain, size, with)
                   : ZSTD_compressCCtx(maker, out, room, plain, size, level);
      sum->tried++;
    }
    size_t least = keep ? size >> keep : 0;
    int kept = go && !ZSTD_isError(found) && found < size && found <= size - least;
    sum->compress += now() - start;
    if (kept) {
      start = now();
      size_t opened = by ? ZSTD_decompress_usingDDict(opener, back, 8 << 20, out, found, by)
                         : ZSTD_decompressDCtx(opener, back, 8 << 20, out, found);
      sum->expand += now() - start;
      wrong += opened != size || memcmp(back, plain, size) != 0;
    }
    sum->kept += kept;
    sum->plain += size;
    sum->stored += kept ? found : size;
    if (stored) stored[i] = kept ? found : size;
  }
  ZSTD_freeCCtx(maker);
  ZSTD_freeDCtx(opener);
  ZSTD_freeCDict(with);
  ZSTD_freeDDict(by);
  free(out);
  free(back);
  return wrong == 0;
}

typedef int (*lz4_make)(const uint8_t *, uint8_t *, int, int);
typedef int (*lz4_open)(const uint8_t *, uint8_t *, int, int);

// Does the same with the two functions of liblz4 in the arguments.
int pieces_lz4(const uint8_t *base, const uint64_t *starts, const uint64_t *sizes, size_t count,
               void *make, void *open, totals *sum) {
  int room = (8 << 20) + (8 << 20) / 128;
  size_t wrong = 0;
  uint8_t *out = malloc(room), *back = malloc(8 << 20);
  memset(sum, 0, sizeof *sum);
  for (size_t i = 0; i < count; i++) {
    int size = sizes[i];
    double start = now();
    int found = ((lz4_make)make)(base + starts[i], out, size, room);
    sum->compress += now() - start;
    int kept = found > 0 && found <= size - size / 32 && found < size;
    if (kept) {
      start = now();
      int opened = ((lz4_open)open)(out, back, found, 8 << 20);
      sum->expand += now() - start;
      wrong += opened != size || memcmp(back, base + starts[i], size) != 0;
    }
    sum->tried++;
    sum->kept += kept;
    sum->plain += size;
    sum->stored += kept ? found : size;
  }
  free(out);
  free(back);
  return wrong == 0;
}

size_t train(uint8_t *dictionary, size_t room, const uint8_t *samples, const size_t *sizes,
             unsigned count) {
  size_t size = ZDICT_trainFromBuffer(dictionary, room, samples, sizes, count);
  return ZDICT_isError(size) ? 0 : size;
}

// Compresses one piece against `base`, as zstd --patch-from does. Returns the stored size, or 0 if
// it isn't possible. Each round uses the same contexts, as Cairn would, and the fastest counts.
size_t delta(const uint8_t *base, size_t base_size, const uint8_t *plain, size_t size, int level,
             double *compress, double *expand) {
  size_t room = ZSTD_compressBound(size), found = 0, opened = 0;
  uint8_t *out = malloc(room), *back = malloc(size);
  ZSTD_CCtx *maker = ZSTD_createCCtx();
  ZSTD_DCtx *opener = ZSTD_createDCtx();
  int window = 10;
  while (window < 27 && (1UL << window) < base_size + size) window++;
  ZSTD_CCtx_setParameter(maker, ZSTD_c_compressionLevel, level);
  if (base_size) ZSTD_CCtx_setParameter(maker, ZSTD_c_windowLog, window);
  *compress = *expand = 1e12;
  for (int round = 0; round < 3; round++) {
    double start = now();
    if (base_size) ZSTD_CCtx_refPrefix(maker, base, base_size);
    found = ZSTD_compress2(maker, out, room, plain, size);
    double took = now() - start;
    if (took < *compress) *compress = took;
    if (ZSTD_isError(found)) break;
    start = now();
    if (base_size) ZSTD_DCtx_refPrefix(opener, base, base_size);
    opened = ZSTD_decompressDCtx(opener, back, size, out, found);
    took = now() - start;
    if (took < *expand) *expand = took;
  }
  int right = opened == size && memcmp(back, plain, size) == 0;
  ZSTD_freeCCtx(maker);
  ZSTD_freeDCtx(opener);
  free(out);
  free(back);
  return right ? found : 0;
}

// MARK: Cuts, as cairn-container(5) has them

static uint64_t gear[256];

static void make_gear(void) {
  uint64_t state = 0x636169726e2d7631;
  for (int i = 0; i < 256; i++) {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    gear[i] = z ^ z >> 31;
  }
}

uint64_t gear_value(int index) {
  make_gear();
  return gear[index];
}

// Finds the ends of the chunks of `bytes`. Returns their number.
size_t cuts(const uint8_t *bytes, size_t count, size_t least, size_t normal, size_t most,
            uint64_t strict, uint64_t easy, uint64_t *ends, double *took) {
  make_gear();
  double start = now();
  size_t found = 0;
  for (size_t at = 0; at < count;) {
    const uint8_t *p = bytes + at;
    size_t end = count - at < most ? count - at : most, i = least, cut = end;
    if (end > least) {
      uint64_t hash = 0;
      size_t middle = normal < end ? normal : end;
      while (i < middle) {
        hash = (hash << 1) + gear[p[i++]];
        if (!(hash & strict)) break;
      }
      if (i == middle && (hash & strict)) {
        while (i < end) {
          hash = (hash << 1) + gear[p[i++]];
          if (!(hash & easy)) break;
        }
      }
      cut = i;
    }
    at += cut;
    ends[found++] = at;
  }
  *took = now() - start;
  return found;
}
