/* The product of two matrices of 64 x 64 numbers. */
#include "works.h"

enum { SIZE = 64 };
static int32_t a[SIZE][SIZE];
static int32_t b[SIZE][SIZE];
static int32_t c[SIZE][SIZE];

uint64_t matrix(void)
{
    if (b[0][0] == 0) {
        for (int i = 0; i < SIZE; i++) {
            for (int j = 0; j < SIZE; j++) {
                a[i][j] = i * j + 1;
                b[i][j] = i - j + 1;
            }
        }
    }
    for (int i = 0; i < SIZE; i++) {
        for (int j = 0; j < SIZE; j++) {
            int32_t sum = 0;
            for (int k = 0; k < SIZE; k++) {
                sum += a[i][k] * b[k][j];
            }
            c[i][j] = sum;
        }
    }
    return (uint32_t)c[SIZE - 1][SIZE - 1];
}
