/* Between the byte order of the DPA, little-endian, and that of queue entries, big-endian. */
#ifndef FLEXIO_DEV_ENDIANITY_H
#define FLEXIO_DEV_ENDIANITY_H

#include <stdint.h>

#define cpu_to_be16(value) __builtin_bswap16((uint16_t)(value))
#define cpu_to_be32(value) __builtin_bswap32((uint32_t)(value))
#define cpu_to_be64(value) __builtin_bswap64((uint64_t)(value))
#define be16_to_cpu(value) __builtin_bswap16((uint16_t)(value))
#define be32_to_cpu(value) __builtin_bswap32((uint32_t)(value))
#define be64_to_cpu(value) __builtin_bswap64((uint64_t)(value))

#define cpu_to_le16(value) ((uint16_t)(value))
#define cpu_to_le32(value) ((uint32_t)(value))
#define cpu_to_le64(value) ((uint64_t)(value))
#define le16_to_cpu(value) ((uint16_t)(value))
#define le32_to_cpu(value) ((uint32_t)(value))
#define le64_to_cpu(value) ((uint64_t)(value))

#endif
