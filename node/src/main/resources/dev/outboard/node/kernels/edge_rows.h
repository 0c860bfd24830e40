/*
 * The rows of an edge detection in device code: of three rows a thread keeps the luminance, a byte
 * per pixel and one more on either side. EdgeRows.java is the same in Java.
 */
#ifndef EDGE_ROWS_H
#define EDGE_ROWS_H

#include <stdint.h>

#define WORD 8

/* How long a row of luminance is, in bytes. */
static inline uint64_t edge_row_bytes(uint64_t width)
{
    return (width + 2 + WORD - 1) & -WORD;
}

/* Luminance as in ITU-R BT.601, in 256ths. */
static inline uint64_t edge_weight(uint64_t channels, uint64_t channel)
{
    if (channels == 1) {
        return 256;
    }
    return channel == 0 ? 77 : channel == 1 ? 150 : 29;
}

/* Loads the luminance of row y of an image whose first row begins at a multiple of 8. */
static inline void edge_row_load(
        uint64_t pixels, uint64_t width, uint64_t channels, uint64_t y, uint8_t *row)
{
    const uint64_t *words = (const uint64_t *)pixels;
    uint64_t offset = y * width * channels;
    uint64_t word = words[offset / WORD];
    for (uint64_t x = 1; x <= width; x++) {
        uint64_t weighted = 0;
        for (uint64_t channel = 0; channel < channels; channel++, offset++) {
            if (offset % WORD == 0) {
                word = words[offset / WORD];
            }
            weighted += (word >> offset % WORD * 8 & 0xff) * edge_weight(channels, channel);
        }
        row[x] = (weighted + 128) >> 8;
    }
    row[0] = row[1];
    row[width + 1] = row[width];
}

static inline int edge_sum(int a, int b, int c)
{
    return a + 2 * b + c;
}

static inline int edge_distance(int a, int b)
{
    return a < b ? b - a : a - b;
}

/* Stores the edges between three rows of luminance, a byte per pixel. */
static inline void edge_row_store(
        uint8_t *edges, uint64_t width, const uint8_t *above, const uint8_t *here,
        const uint8_t *below)
{
    for (uint64_t x = 0; x < width; x++) {
        int left = edge_sum(above[x], here[x], below[x]);
        int right = edge_sum(above[x + 2], here[x + 2], below[x + 2]);
        int top = edge_sum(above[x], above[x + 1], above[x + 2]);
        int bottom = edge_sum(below[x], below[x + 1], below[x + 2]);
        int sum = edge_distance(left, right) + edge_distance(top, bottom);
        edges[x] = sum < 255 ? sum : 255;
    }
}

#endif
