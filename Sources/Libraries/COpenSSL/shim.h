#ifndef WAYBILL_COPENSSL_SHIM_H
#define WAYBILL_COPENSSL_SHIM_H

/* SHA256_CTX and MD5_CTX are plain values. A context of EVP would cost an allocation and a look-up of the algorithm for each
 * hash. OpenSSL 3.0 calls these types deprecated, but still has them. */
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/md5.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

/* Gives no password, and records that one was asked for. Without a callback, OpenSSL would ask for it at the terminal. */
static int copenssl_no_password(char *buffer, int size, int is_writing, void *was_asked) {
  (void)buffer, (void)size, (void)is_writing;
  *(int *)was_asked = 1;
  return -1;
}

/* The first private key in a PEM text; NULL if there is none that can be read. */
static inline EVP_PKEY *copenssl_read_key(const void *bytes, int length, int *is_encrypted) {
  BIO *source = BIO_new_mem_buf(bytes, length);
  EVP_PKEY *key = source ? PEM_read_bio_PrivateKey(source, NULL, copenssl_no_password, is_encrypted) : NULL;
  BIO_free(source);
  return key;
}

/* The first certificate in a PEM text; NULL if there is none that can be read. */
static inline X509 *copenssl_read_certificate(const void *bytes, int length) {
  int is_encrypted = 0;
  BIO *source = BIO_new_mem_buf(bytes, length);
  X509 *certificate = source ? PEM_read_bio_X509(source, NULL, copenssl_no_password, &is_encrypted) : NULL;
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

#endif
