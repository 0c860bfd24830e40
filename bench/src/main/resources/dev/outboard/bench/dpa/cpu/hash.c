/* Looks 4,096 words up in a table of 1,024 chains. */
#include "works.h"

enum { CHAINS = 1024, WORDS = 4096 };

struct word {
    struct word *next;
    uint64_t key;
    uint64_t value;
};

static struct word *chains[CHAINS];
static struct word words[WORDS];

static uint64_t mix(uint64_t key)
{
    key *= 0x9e3779b97f4a7c15;
    return key >> 32;
}

static void fill(void)
{
    for (uint64_t i = 0; i < WORDS; i++) {
        struct word *word = &words[i];
        uint64_t chain = mix(i) % CHAINS;
        word->key = i;
        word->value = i * i;
        word->next = chains[chain];
        chains[chain] = word;
    }
}

uint64_t hash(void)
{
    if (words[1].key == 0) {
        fill();
    }
    uint64_t sum = 0;
    for (uint64_t i = 0; i < WORDS; i++) {
        struct word *word = chains[mix(i) % CHAINS];
        while (word && word->key != i) {
            word = word->next;
        }
        sum += word ? word->value : 0;
    }
    return sum;
}
