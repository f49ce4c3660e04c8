#ifndef WAYBILL_COPENSSL_SHIM_H
#define WAYBILL_COPENSSL_SHIM_H

/* SHA256_CTX and MD5_CTX are plain values. A context of EVP would cost an allocation and a look-up of the algorithm for each
 * hash. OpenSSL 3.0 calls these types deprecated, but still has them. */
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/md5.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

/* The password of a key. Without a callback, OpenSSL would ask for it at the terminal. */
struct copenssl_password {
  const char *text; /* NULL for none */
  int length;
  int was_asked;
};

static int copenssl_give_password(char *buffer, int size, int is_writing, void *context) {
  struct copenssl_password *password = context;
  (void)is_writing;
  password->was_asked = 1;
  if (password->text == NULL || password->length > size) return -1;
  memcpy(buffer, password->text, (size_t)password->length);
  return password->length;
}

/* The first private key in a PEM text; NULL if there is none that can be read. */
static inline EVP_PKEY *copenssl_read_key(const void *bytes, int length, struct copenssl_password *password) {
  BIO *source = BIO_new_mem_buf(bytes, length);
  EVP_PKEY *key = source ? PEM_read_bio_PrivateKey(source, NULL, copenssl_give_password, password) : NULL;
  BIO_free(source);
  return key;
}

/* The first certificate in a PEM text; NULL if there is none that can be read. */
static inline X509 *copenssl_read_certificate(const void *bytes, int length) {
  struct copenssl_password none = {0};
  BIO *source = BIO_new_mem_buf(bytes, length);
  X509 *certificate = source ? PEM_read_bio_X509(source, NULL, copenssl_give_password, &none) : NULL;
  BIO_free(source);
  return certificate;
}

/* Seconds since the Unix epoch; `otherwise` for a time that cannot be read. */
static inline int64_t copenssl_seconds(const ASN1_TIME *time, int64_t otherwise) {
  struct tm parts;
  return ASN1_TIME_to_tm(time, &parts) == 1 ? (int64_t)timegm(&parts) : otherwise;
}

static inline int64_t copenssl_not_before(const X509 *certificate) {
  return copenssl_seconds(X509_get0_notBefore(certificate), INT64_MIN);
}

static inline int64_t copenssl_not_after(const X509 *certificate) {
  return copenssl_seconds(X509_get0_notAfter(certificate), INT64_MAX);
}

/* Writes the text of the first error in OpenSSL's queue, an empty text if there is none, and empties the queue. */
static inline void copenssl_error(char *buffer, size_t size) {
  unsigned long code = ERR_peek_error();
  const char *words = code ? ERR_reason_error_string(code) : NULL;
  buffer[0] = 0;
  if (words) {
    strncpy(buffer, words, size - 1);
    buffer[size - 1] = 0;
  }
  ERR_clear_error();
}

/* Signs bytes with the named digest (NULL if the key implies one). Returns the length of the signature; 0 for a failure. With PSS
 * the salt is as long as the digest (RFC 7518, section 3.5); OpenSSL's default is the longest possible. */
static inline size_t copenssl_sign(
  EVP_PKEY *key, const char *digest, int is_pss, const void *bytes, size_t length, unsigned char *signature, size_t room) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  const EVP_MD *md = digest ? EVP_get_digestbyname(digest) : NULL;
  EVP_PKEY_CTX *options = NULL;
  size_t count = room;
  int is_signed = context && (digest == NULL || md) && EVP_DigestSignInit(context, &options, md, NULL, key) == 1 &&
                  (!is_pss || (EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1 &&
                               EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) == 1)) &&
                  EVP_DigestSign(context, signature, &count, bytes, length) == 1;
  EVP_MD_CTX_free(context);
  return is_signed ? count : 0;
}

/* Writes the two numbers of an ECDSA signature one after the other, each in half of the size (RFC 7518, section 3.4). Returns 0
 * if the bytes are not such a signature. */
static inline int copenssl_raw_ecdsa(const unsigned char *signature, size_t length, unsigned char *raw, size_t size) {
  const unsigned char *start = signature;
  ECDSA_SIG *parts = d2i_ECDSA_SIG(NULL, &start, (long)length);
  int half = (int)(size / 2);
  int is_written = parts && BN_bn2binpad(ECDSA_SIG_get0_r(parts), raw, half) == half &&
                   BN_bn2binpad(ECDSA_SIG_get0_s(parts), raw + half, half) == half;
  ECDSA_SIG_free(parts);
  return is_written;
}

#endif
