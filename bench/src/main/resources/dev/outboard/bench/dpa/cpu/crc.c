/* CRC-32 of 64 KiB by a table. */
#include "works.h"

static uint32_t table[256];
static uint8_t data[64 << 10];

static void fill(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++) {
            value = value >> 1 ^ (value & 1 ? 0xedb88320 : 0);
        }
        table[i] = value;
    }
    for (uint32_t i = 0; i < sizeof(data); i++) {
        data[i] = i * 7 ^ i >> 8;
    }
}

uint64_t crc(void)
{
    if (table[1] == 0) {
        fill();
    }
    uint32_t value = ~0u;
    for (uint32_t i = 0; i < sizeof(data); i++) {
        value = table[(value ^ data[i]) & 255] ^ value >> 8;
    }
    return ~value;
}
