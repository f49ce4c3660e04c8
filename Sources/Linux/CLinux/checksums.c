// CRC-32C and CRC-64/NVME. Each has several implementations with the same result; the fastest possible one is used:
// - by tables, CRC-64 8 bytes at a time ("slicing by 8"), on every processor;
// - CRC-32C by the processor's CRC instruction (SSE 4.2, or the CRC extension of ARMv8);
// - CRC-64 by carry-less multiplication (PCLMULQDQ), from 128 bytes on.
// `prepare` computes the tables and asks once what the processor supports. The last functions combine two CRCs.
#include "CLinux.h"

#include <pthread.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

// Both polynomials with their lowest power in the highest bit, because the least significant bit of each byte comes first.
static const uint32_t castagnoli = 0x82F63B78;
static const uint64_t nvme = 0x9A6C9329AC4BC9B5;

// The effect of a byte on the remainder; in table64[k] when k more bytes follow it ("slicing by 8").
static uint32_t table32[256];
static uint64_t table64[8][256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

#if defined(__x86_64__)
// The effect of 128 bits when 128 or 512 more bits follow them, for their first and for their last half.
static uint64_t over128[2], over512[2];
static int has_crc32c, has_multiply;

// x to the power of n, modulo the polynomial of CRC-64. A carry-less product of two reflected halves is one bit too low, so the
// powers that are needed are one less.
static uint64_t power(int n) {
  uint64_t value = (uint64_t)1 << 63;
  while (n-- > 0) value = value >> 1 ^ (value & 1 ? nvme : 0);
  return value;
}
#elif defined(__aarch64__)
static int has_crc32c;
#endif

static void prepare(void) {
  for (int byte = 0; byte < 256; byte++) {
    uint32_t small = byte;
    uint64_t large = byte;
    for (int bit = 0; bit < 8; bit++) {
      small = small >> 1 ^ (small & 1 ? castagnoli : 0);
      large = large >> 1 ^ (large & 1 ? nvme : 0);
    }
    table32[byte] = small;
    table64[0][byte] = large;
  }
  for (int k = 1; k < 8; k++) {
    for (int byte = 0; byte < 256; byte++) {
      table64[k][byte] = table64[k - 1][byte] >> 8 ^ table64[0][table64[k - 1][byte] & 0xFF];
    }
  }
#if defined(__x86_64__)
  over128[0] = power(128 + 63);
  over128[1] = power(128 - 1);
  over512[0] = power(512 + 63);
  over512[1] = power(512 - 1);
  __builtin_cpu_init();
  has_crc32c = __builtin_cpu_supports("sse4.2");
  has_multiply = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse2");
#elif defined(__aarch64__)
  has_crc32c = (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
#endif
}

static uint32_t crc32c_by_table(uint32_t rest, const unsigned char *bytes, size_t count) {
  while (count--) rest = rest >> 8 ^ table32[(rest ^ *bytes++) & 0xFF];
  return rest;
}

static uint64_t crc64_by_table(uint64_t rest, const unsigned char *bytes, size_t count) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  while (count >= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    word ^= rest;
    rest = table64[7][word & 0xFF] ^ table64[6][word >> 8 & 0xFF] ^ table64[5][word >> 16 & 0xFF] ^
           table64[4][word >> 24 & 0xFF] ^ table64[3][word >> 32 & 0xFF] ^ table64[2][word >> 40 & 0xFF] ^
           table64[1][word >> 48 & 0xFF] ^ table64[0][word >> 56];
    bytes += 8;
    count -= 8;
  }
#endif
  while (count--) rest = rest >> 8 ^ table64[0][(rest ^ *bytes++) & 0xFF];
  return rest;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc32c_by_instruction(
    uint32_t rest, const unsigned char *bytes, size_t count) {
  uint64_t wide = rest;
  while (count >= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    wide = _mm_crc32_u64(wide, word);
    bytes += 8;
    count -= 8;
  }
  rest = (uint32_t)wide;
  while (count--) rest = _mm_crc32_u8(rest, *bytes++);
  return rest;
}

__attribute__((target("pclmul,sse2"))) static inline __m128i fold(__m128i value, __m128i constants, __m128i next) {
  __m128i first = _mm_clmulepi64_si128(value, constants, 0x00);
  __m128i last = _mm_clmulepi64_si128(value, constants, 0x11);
  return _mm_xor_si128(_mm_xor_si128(first, last), next);
}

// "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction" (Intel, 2009): 64 bytes at a time are folded onto
// the next 64. Needs at least 64 bytes. Returns 16 bytes with the same remainder, and leaves fewer than 16 bytes of the input.
__attribute__((target("pclmul,sse2"))) static void fold_all(
    uint64_t rest, const unsigned char **start, size_t *length, unsigned char folded[16]) {
  const unsigned char *bytes = *start;
  size_t count = *length;
  const __m128i far = _mm_set_epi64x((long long)over512[1], (long long)over512[0]);
  const __m128i near = _mm_set_epi64x((long long)over128[1], (long long)over128[0]);
  __m128i lanes[4];
  for (int lane = 0; lane < 4; lane++) lanes[lane] = _mm_loadu_si128((const __m128i *)bytes + lane);
  lanes[0] = _mm_xor_si128(lanes[0], _mm_set_epi64x(0, (long long)rest));
  bytes += 64;
  count -= 64;
  while (count >= 64) {
    for (int lane = 0; lane < 4; lane++) {
      lanes[lane] = fold(lanes[lane], far, _mm_loadu_si128((const __m128i *)bytes + lane));
    }
    bytes += 64;
    count -= 64;
  }
  __m128i all = lanes[0];
  for (int lane = 1; lane < 4; lane++) all = fold(all, near, lanes[lane]);
  while (count >= 16) {
    all = fold(all, near, _mm_loadu_si128((const __m128i *)bytes));
    bytes += 16;
    count -= 16;
  }
  _mm_storeu_si128((__m128i *)folded, all);
  *start = bytes;
  *length = count;
}

// The rest at the end is short enough for the table.
static uint64_t crc64_by_multiplication(uint64_t rest, const unsigned char *bytes, size_t count) {
  if (count < 128) return crc64_by_table(rest, bytes, count);
  unsigned char folded[16];
  fold_all(rest, &bytes, &count, folded);
  return crc64_by_table(crc64_by_table(0, folded, sizeof folded), bytes, count);
}
#elif defined(__aarch64__)
__attribute__((target("+crc"))) static uint32_t crc32c_by_instruction(
    uint32_t rest, const unsigned char *bytes, size_t count) {
  while (count >= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    rest = __crc32cd(rest, word);
    bytes += 8;
    count -= 8;
  }
  while (count--) rest = __crc32cb(rest, *bytes++);
  return rest;
}
#endif

uint32_t clinux_crc32c(uint32_t crc, const void *bytes, size_t count) {
  pthread_once(&once, prepare);
#if defined(__x86_64__) || defined(__aarch64__)
  if (has_crc32c) return ~crc32c_by_instruction(~crc, bytes, count);
#endif
  return ~crc32c_by_table(~crc, bytes, count);
}

uint64_t clinux_crc64nvme(uint64_t crc, const void *bytes, size_t count) {
  pthread_once(&once, prepare);
#if defined(__x86_64__)
  if (has_multiply) return ~crc64_by_multiplication(~crc, bytes, count);
#endif
  return ~crc64_by_table(~crc, bytes, count);
}

uint32_t clinux_crc32c_plain(uint32_t crc, const void *bytes, size_t count) {
  pthread_once(&once, prepare);
  return ~crc32c_by_table(~crc, bytes, count);
}

uint64_t clinux_crc64nvme_plain(uint64_t crc, const void *bytes, size_t count) {
  pthread_once(&once, prepare);
  return ~crc64_by_table(~crc, bytes, count);
}

// The product of two remainders of at most 64 bits; `top` is the bit of the power 0.
static uint64_t product(uint64_t a, uint64_t b, uint64_t top, uint64_t polynomial) {
  uint64_t sum = 0;
  for (uint64_t bit = top; bit != 0; bit >>= 1) {
    if (a & bit) sum ^= b;
    b = b >> 1 ^ (b & 1 ? polynomial : 0);
  }
  return sum;
}

// A remainder times x to the power of 8 * count, as if `count` zero bytes followed.
static uint64_t shifted(uint64_t rest, uint64_t count, uint64_t top, uint64_t polynomial) {
  uint64_t factor = top >> 8;  // x to the power of 8, squared for each further bit of the count
  for (; count != 0; count >>= 1) {
    if (count & 1) rest = product(factor, rest, top, polynomial);
    factor = product(factor, factor, top, polynomial);
  }
  return rest;
}

uint32_t clinux_crc32c_combine(uint32_t first, uint32_t second, uint64_t count) {
  return (uint32_t)shifted(first, count, (uint64_t)1 << 31, castagnoli) ^ second;
}

uint64_t clinux_crc64nvme_combine(uint64_t first, uint64_t second, uint64_t count) {
  return shifted(first, count, (uint64_t)1 << 63, nvme) ^ second;
}
