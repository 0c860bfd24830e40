/* What a program can say to its loader: markers in every place, and each kind of type. */
#define GLOBAL __attribute__((btf_decl_tag("dpa_global")))
#define RPC __attribute__((btf_decl_tag("dpa_rpc")))

__asm__(".pushsection .note.outboard, \"a\", @note\n"
        ".word 9, 4, 1\n"
        ".asciz \"Outboard\"\n"
        ".balign 4\n"
        ".word 1\n"
        ".popsection");

typedef unsigned long uint64_t;
enum color { RED, GREEN = 5, BLUE = -7 };

struct GLOBAL job {
    int size;
    uint64_t cells[2][3];
    int low : 3;
    unsigned high : 7;
    struct job *next;
    union { short half; char byte; };
};
struct behind { short size; } GLOBAL;
union GLOBAL word { int integer; char bytes[4]; };
union bits { int a; _Bool b; } GLOBAL;
GLOBAL typedef struct { int x; } first;
typedef struct { int x; } last GLOBAL;
typedef struct { int x; } GLOBAL inside;
GLOBAL struct without { int x; };
struct hidden;

volatile int total = 0x11223344;
static uint64_t table[64];
const char greeting[] = "hello";

static inline __attribute__((always_inline)) int doubled(int value) {
    total = value;
    return total * 2;
}

GLOBAL void worker(uint64_t argument, const char *text) {
    total = doubled((int)argument) + *text;
}

void GLOBAL
handler(struct job job, struct behind behind, union word word, union bits bits, enum color color)
{
    total = job.size + behind.size + word.integer + bits.b + color;
}

RPC uint64_t sum(first a, last b, inside c, struct without *d, struct hidden *e) {
    return (uint64_t)(a.x + b.x + c.x + d->x + (e != 0));
}

uint64_t RPC count(volatile int *const restrict cell, void (*callback)(int), unsigned char last) {
    callback(*cell);
    return table[last & 63]++;
}

GLOBAL void print(const char *format, ...) {
    total = *format;
}

void _start(void) {
    total = doubled(total);
    for (;;) {
    }
}
