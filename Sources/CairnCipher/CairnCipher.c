// SPDX-License-Identifier: Apache-2.0
#include "CairnCipher.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>

// Documented functions of libcrypto's stable interface (openssl/evp.h). They are declared here, so
// a build needs no headers of OpenSSL: the library is opened on first use, and may be missing.
typedef struct evp_cipher_st EVP_CIPHER;
typedef struct evp_cipher_ctx_st EVP_CIPHER_CTX;

#define GET_TAG 0x10  // EVP_CTRL_AEAD_GET_TAG
#define SET_TAG 0x11  // EVP_CTRL_AEAD_SET_TAG
#define TAG_COUNT 16

static struct {
  EVP_CIPHER *(*fetch)(void *, const char *, const char *);
  EVP_CIPHER_CTX *(*begin)(void);
  void (*end)(EVP_CIPHER_CTX *);
  int (*control)(EVP_CIPHER_CTX *, int, int, void *);
  int (*start)(EVP_CIPHER_CTX *, const EVP_CIPHER *, void *, const uint8_t *, const uint8_t *, int);
  int (*update)(EVP_CIPHER_CTX *, uint8_t *, int *, const uint8_t *, int);
  int (*finish)(EVP_CIPHER_CTX *, uint8_t *, int *);
} crypto;
static EVP_CIPHER *cipher;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void begin(void) {
  void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
#define FIND(member, name)                                                                       \
  *(void **)&crypto.member = dlsym(library, name);                                               \
  if (crypto.member == NULL) return;
  FIND(fetch, "EVP_CIPHER_fetch")
  FIND(begin, "EVP_CIPHER_CTX_new")
  FIND(end, "EVP_CIPHER_CTX_free")
  FIND(control, "EVP_CIPHER_CTX_ctrl")
  FIND(start, "EVP_CipherInit_ex")
  FIND(update, "EVP_CipherUpdate")
  FIND(finish, "EVP_CipherFinal_ex")
  cipher = crypto.fetch(NULL, "ChaCha20-Poly1305", NULL);
}

int cairn_cipher_is_available(void) {
  pthread_once(&once, begin);
  return cipher != NULL;
}

// Passes the associated data and then the bytes through the cipher.
static int pass(EVP_CIPHER_CTX *context, uint8_t *out, const uint8_t *in, size_t count,
                const uint8_t *associated, size_t associated_count) {
  int length = 0;
  if (crypto.update(context, NULL, &length, associated, (int)associated_count) != 1) return 0;
  // A length of 0 with a null pointer is another call for OpenSSL.
  if (count == 0) return 1;
  return crypto.update(context, out, &length, in, (int)count) == 1 && length == (int)count;
}

int cairn_cipher_seal(uint8_t *out, const uint8_t *plain, size_t count, const uint8_t *associated,
                      size_t associated_count, const uint8_t *nonce, const uint8_t *key) {
  if (!cairn_cipher_is_available() || count > INT_MAX || associated_count > INT_MAX) return 0;
  EVP_CIPHER_CTX *context = crypto.begin();
  if (context == NULL) return 0;
  uint8_t none[TAG_COUNT];
  int length = 0;
  int is_sealed = crypto.start(context, cipher, NULL, key, nonce, 1) == 1 &&
                  pass(context, out, plain, count, associated, associated_count) &&
                  crypto.finish(context, none, &length) == 1 && length == 0 &&
                  crypto.control(context, GET_TAG, TAG_COUNT, out + count) == 1;
  // This wipes the key.
  crypto.end(context);
  return is_sealed;
}

int cairn_cipher_open(uint8_t *out, const uint8_t *sealed, size_t count, const uint8_t *associated,
                      size_t associated_count, const uint8_t *nonce, const uint8_t *key) {
  if (!cairn_cipher_is_available() || count > INT_MAX || associated_count > INT_MAX) return -1;
  EVP_CIPHER_CTX *context = crypto.begin();
  if (context == NULL) return -1;
  uint8_t none[TAG_COUNT];
  int length = 0, result = -1;
  if (crypto.start(context, cipher, NULL, key, nonce, 0) == 1 &&
      crypto.control(context, SET_TAG, TAG_COUNT, (void *)(sealed + count)) == 1 &&
      pass(context, out, sealed, count, associated, associated_count))
    result = crypto.finish(context, none, &length) == 1;
  crypto.end(context);
  return result;
}
