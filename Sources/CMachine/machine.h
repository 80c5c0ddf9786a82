// Instructions of the processor that Swift has no words for. Each says whether this machine has it.
#pragma once
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)

static inline int hearth_has_crc32c(void) {
    return __builtin_cpu_supports("sse4.2") != 0;
}

// Goes on with the inner state of a CRC-32C, which is inverted at the beginning and at the end.
__attribute__((target("sse4.2"))) static inline uint32_t hearth_crc32c(
    uint32_t state, const unsigned char *bytes, size_t count) {
    uint64_t crc = state;
    while (count >= 8) {
        uint64_t word;
        __builtin_memcpy(&word, bytes, 8);
        crc = __builtin_ia32_crc32di(crc, word);
        bytes += 8;
        count -= 8;
    }
    while (count > 0) {
        crc = __builtin_ia32_crc32qi((uint32_t)crc, *bytes);
        bytes += 1;
        count -= 1;
    }
    return (uint32_t)crc;
}

#else

static inline int hearth_has_crc32c(void) {
    return 0;
}

static inline uint32_t hearth_crc32c(uint32_t state, const unsigned char *bytes, size_t count) {
    (void)bytes;
    (void)count;
    return state;
}

#endif
