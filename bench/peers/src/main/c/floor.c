// What this machine can do at best for the work of a RoCEv2 stack in user space: the same packets
// through the same system calls, with checksum and copy, and without a protocol around them.
//
//   floor udp    poll|block BYTES MILLIS   plain UDP there and back: nanoseconds
//   floor rpc    poll|block BYTES MILLIS   WRITE with immediate + ACK there and back: nanoseconds
//   floor tail   poll|block BYTES MILLIS   the same, how long 99 of 100 take at most
//   floor stream poll|block BYTES MILLIS   WRITEs of BYTES in packets of 4096: bytes per second
//   floor rate   poll|block BYTES FLIGHT MILLIS   WRITEs of BYTES, one per packet and so many
//                                          unacknowledged at most: messages per second
//   floor clients poll|block BYTES CLIENTS MILLIS   the same as rpc from so many addresses to one
//                                          server: round trips per second
//
// Two processes, one of them forked, each with memory of its own. What is measured goes on for a
// tenth of the time before. The result is one number on standard output.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#if defined(__PCLMUL__) && defined(__SSE4_1__)
#include <immintrin.h>
#endif

enum {
    BTH = 12, RETH = 16, AETH = 4, IMMEDIATE = 4, ICRC = 4,
    ACK_BYTES = BTH + AETH + ICRC,
    MTU = 4096,
    MAX_CALL_BYTES = 65507,
    MAX_CALL_PACKETS = 64,
    WINDOW_CALLS = 8,           // unacknowledged calls
    COPY_LIMIT = 256,           // so short a payload is cheaper to copy than to point to
    WARM_UP_SHARE = 10,
    BUFFER = 1 << 16,
    MAX_SAMPLES = 1 << 22,
    MAX_CLIENTS = 512,
};

static int blocking;
static int64_t nanos;           // how long to measure

static void die(const char *what) {
    perror(what);
    exit(1);
}

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

// ---- CRC-32 ------------------------------------------------------------------------------------

static uint32_t table[8][256];

static void make_table(void) {
    for (int i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xEDB88320 : c >> 1;
        table[0][i] = c;
    }
    for (int i = 0; i < 256; i++)
        for (int k = 1; k < 8; k++)
            table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 0xFF];
}

static uint32_t crc_table(uint32_t crc, const uint8_t *p, size_t n) {
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t w;
        memcpy(&w, p, 8);
        w ^= crc;
        crc = table[7][w & 0xFF] ^ table[6][w >> 8 & 0xFF] ^ table[5][w >> 16 & 0xFF]
            ^ table[4][w >> 24 & 0xFF] ^ table[3][w >> 32 & 0xFF] ^ table[2][w >> 40 & 0xFF]
            ^ table[1][w >> 48 & 0xFF] ^ table[0][w >> 56];
    }
    while (n--) crc = crc >> 8 ^ table[0][(crc ^ *p++) & 0xFF];
    return crc;
}

#if defined(__PCLMUL__) && defined(__SSE4_1__)
// Carry-less multiplication folds 64 bytes at a time; the constants are powers of x modulo the
// polynomial, bits reflected.
static __m128i fold(__m128i x, __m128i k, __m128i next) {
    __m128i low = _mm_clmulepi64_si128(x, k, 0x00);
    __m128i high = _mm_clmulepi64_si128(x, k, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

static __m128i load(const uint8_t *p) {
    return _mm_loadu_si128((const __m128i *) p);
}

static uint32_t crc_folded(uint32_t crc, const uint8_t *p, size_t n) {
    const __m128i by4 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
    const __m128i by1 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
    const __m128i half = _mm_set_epi64x(0, 0x163cd6124);
    const __m128i barrett = _mm_set_epi64x(0x1f7011641, 0x1db710641);
    const __m128i words = _mm_setr_epi32(~0, 0, ~0, 0);
    __m128i a = _mm_xor_si128(load(p), _mm_cvtsi32_si128((int) crc));
    __m128i b = load(p + 16), c = load(p + 32), d = load(p + 48);
    for (p += 64, n -= 64; n >= 64; p += 64, n -= 64) {
        a = fold(a, by4, load(p));
        b = fold(b, by4, load(p + 16));
        c = fold(c, by4, load(p + 32));
        d = fold(d, by4, load(p + 48));
    }
    a = fold(fold(fold(a, by1, b), by1, c), by1, d);
    for (; n >= 16; p += 16, n -= 16) a = fold(a, by1, load(p));
    a = _mm_xor_si128(_mm_srli_si128(a, 8), _mm_clmulepi64_si128(a, by1, 0x10));
    __m128i upper = _mm_srli_si128(a, 4);
    a = _mm_xor_si128(_mm_clmulepi64_si128(_mm_and_si128(a, words), half, 0x00), upper);
    __m128i q = _mm_clmulepi64_si128(_mm_and_si128(a, words), barrett, 0x10);
    q = _mm_clmulepi64_si128(_mm_and_si128(q, words), barrett, 0x00);
    crc = (uint32_t) _mm_extract_epi32(_mm_xor_si128(a, q), 1);
    return crc_table(crc, p, n);
}

static uint32_t crc32(uint32_t crc, const uint8_t *p, size_t n) {
    return n < 64 ? crc_table(crc, p, n) : crc_folded(crc, p, n);
}
#else
static uint32_t crc32(uint32_t crc, const uint8_t *p, size_t n) {
    return crc_table(crc, p, n);
}
#endif

// The headers ahead of the BTH are the same in all packets of a length: their CRC is a constant.
static const uint32_t SEED = 0xDEBB20E3;

// ---- sockets -----------------------------------------------------------------------------------

static int ends[2];
static struct sockaddr_in names[2];
static struct sockaddr_in sender;   // of what was received last

static int open_end(int i) {
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    int discover = IP_PMTUDISC_PROBE, one = 1, buffer = 4 << 20;
    socklen_t length = sizeof names[i];
    names[i] = (struct sockaddr_in) {.sin_family = AF_INET};
    names[i].sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || bind(fd, (void *) &names[i], length)) die("bind");
    getsockname(fd, (void *) &names[i], &length);
    setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &discover, sizeof discover);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    setsockopt(fd, IPPROTO_UDP, UDP_GRO, &one, sizeof one);
    return fd;
}

// One call with `segment` bytes per datagram; 0 for a single one.
static void transmit(int end, struct iovec *spans, int count, int segment) {
    char control[CMSG_SPACE(sizeof(uint16_t))] = {0};
    struct msghdr m = {.msg_name = &names[!end], .msg_namelen = sizeof names[0],
                       .msg_iov = spans, .msg_iovlen = (size_t) count};
    if (segment) {
        m.msg_control = control;
        m.msg_controllen = sizeof control;
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_UDP;
        c->cmsg_type = UDP_SEGMENT;
        c->cmsg_len = CMSG_LEN(sizeof(uint16_t));
        *(uint16_t *) CMSG_DATA(c) = (uint16_t) segment;
    }
    while (sendmsg(ends[end], &m, 0) < 0)
        if (errno != EAGAIN && errno != ENOBUFS) die("sendmsg");
}

// Waits for a message; `*segment` is the size of its datagrams. 0 when `wait` is not set and there
// is none.
static int receive(int end, uint8_t *into, int *segment, int wait) {
    char control[64];
    struct iovec span = {into, BUFFER};
    for (;;) {
        struct msghdr m = {.msg_name = &sender, .msg_namelen = sizeof sender, .msg_iov = &span,
                           .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
        ssize_t n = recvmsg(ends[end], &m, wait && blocking ? 0 : MSG_DONTWAIT);
        if (n >= 0) {
            *segment = (int) n;
            for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c))
                if (c->cmsg_level == SOL_UDP && c->cmsg_type == UDP_GRO)
                    *segment = *(int *) CMSG_DATA(c);
            return (int) n;
        }
        if (errno != EAGAIN) die("recvmsg");
        if (!wait) return 0;
    }
}

// ---- packets -----------------------------------------------------------------------------------

static size_t space;
static uint8_t *region;         // what is written to; of this process alone
static uint8_t buffers[2][BUFFER];
static uint64_t bad;

static void seal(uint8_t *packet, int covered) {
    uint32_t crc = ~crc32(SEED, packet, covered);
    memcpy(packet + covered, &crc, ICRC);
}

// Checks a packet and stores its payload; `headers` bytes go ahead of it.
static int accept_packet(const uint8_t *packet, int length, int headers, size_t at) {
    uint32_t crc;
    memcpy(&crc, packet + length - ICRC, ICRC);
    if (~crc32(SEED, packet, length - ICRC) != crc) bad++;
    int payload = length - ICRC - headers;
    if (payload > 0) memcpy(region + at, packet + headers, payload);
    return payload;
}

// Memory whose pages are there: no access has to wait for one.
static void *present(size_t bytes) {
    void *p = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) die("mmap");
    return memset(p, 1, bytes);
}

// Whether this is the new process. It ends with the other one, even if that ended before it ran.
static int forked(void) {
    pid_t parent = getpid(), child = fork();
    if (child < 0) die("fork");
    // Not before: a page from before the fork is copied on the first write.
    region = present(space);
    if (child > 0) return 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    return 1;
}

static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;
    return (x > y) - (x < y);
}

// ---- plain UDP ---------------------------------------------------------------------------------

static void udp_turn(int end, int bytes, int first) {
    static uint8_t message[BUFFER];
    struct iovec span = {message, (size_t) bytes};
    int segment;
    if (first) transmit(end, &span, 1, 0);
    receive(end, buffers[end], &segment, 1);
    if (!first) transmit(end, &span, 1, 0);
}

// ---- the packets of an empty RPC ---------------------------------------------------------------

// The answer to a WRITE with immediate is a WRITE with immediate and, behind it in the same call,
// the ACK of what came. The first message of all has no ACK behind it.
static void rpc_send(int end, int bytes, int with_ack) {
    static uint8_t packets[BUFFER];
    int headers = BTH + RETH + IMMEDIATE, write = headers + bytes + ICRC;
    memcpy(packets + headers, region, bytes);
    seal(packets, write - ICRC);
    if (with_ack) seal(packets + write, ACK_BYTES - ICRC);
    struct iovec span = {packets, (size_t) (write + (with_ack ? ACK_BYTES : 0))};
    transmit(end, &span, 1, with_ack ? write : 0);
}

static void rpc_receive(int end) {
    int segment, n = receive(end, buffers[end], &segment, 1);
    for (int at = 0; at < n; at += segment) {
        int length = n - at < segment ? n - at : segment;
        accept_packet(buffers[end] + at, length,
                      length == ACK_BYTES ? BTH + AETH : BTH + RETH + IMMEDIATE, 0);
    }
}

static void rpc_turn(int end, int bytes, int first) {
    static int sent;
    if (first) rpc_send(end, bytes, sent++ > 0);
    rpc_receive(end);
    if (!first) rpc_send(end, bytes, 1);
}

static double percentile(int percent, void (*turn)(int, int, int), int bytes, int64_t *samples,
                         int64_t time) {
    int64_t start = now(), before = start;
    int count = 0;
    while (before - start < time && count < MAX_SAMPLES) {
        turn(0, bytes, 1);
        int64_t after = now();
        samples[count++] = after - before;
        before = after;
    }
    qsort(samples, count, sizeof *samples, compare);
    return (double) samples[(int64_t) count * percent / 100];
}

static double round_trips(int percent, void (*turn)(int, int, int), int bytes) {
    if (forked())
        for (;;) turn(1, bytes, 0);
    int64_t *samples = present(MAX_SAMPLES * sizeof *samples);
    percentile(percent, turn, bytes, samples, nanos / WARM_UP_SHARE);
    return percentile(percent, turn, bytes, samples, nanos);
}

// ---- many clients ------------------------------------------------------------------------------

static void serve(int bytes) {
    for (;;) {
        rpc_receive(1);
        names[0] = sender;
        rpc_send(1, bytes, 1);
    }
}

static double answers(int waiter, int bytes, int64_t time) {
    struct epoll_event ready[MAX_CLIENTS];
    int64_t start = now(), end, done = 0;
    do {
        int n = epoll_wait(waiter, ready, MAX_CLIENTS, blocking ? -1 : 0);
        for (int i = 0; i < n; i++) {
            ends[0] = ready[i].data.fd;
            rpc_receive(0);
            rpc_send(0, bytes, 1);
        }
        done += n;
        end = now();
    } while (end - start < time);
    return done * 1e9 / (double) (end - start);
}

// All clients are driven by one process, one request in flight each.
static double clients(int bytes, int count) {
    if (forked()) serve(bytes);
    int waiter = epoll_create1(0);
    if (waiter < 0) die("epoll_create1");
    for (int i = 0; i < count; i++) {
        ends[0] = open_end(0);
        struct epoll_event wanted = {.events = EPOLLIN, .data.fd = ends[0]};
        if (epoll_ctl(waiter, EPOLL_CTL_ADD, ends[0], &wanted)) die("epoll_ctl");
        rpc_send(0, bytes, 0);
    }
    answers(waiter, bytes, nanos / WARM_UP_SHARE);
    return answers(waiter, bytes, nanos);
}

// ---- streams -----------------------------------------------------------------------------------

// Where in a WRITE the next packet is; again and again to the same memory. Its first packet says
// where it goes.
static int stream_headers(size_t at) {
    return at ? BTH : BTH + RETH;
}

// The receiver answers every call it got with an ACK that says how many packets came in all.
static void stream_receiver(int end, size_t bytes) {
    static uint8_t ack[ACK_BYTES];
    uint64_t packets = 0;
    size_t at = 0;
    for (;;) {
        int segment, n = receive(end, buffers[end], &segment, 1);
        for (int i = 0; i < n; i += segment) {
            int length = n - i < segment ? n - i : segment;
            at += accept_packet(buffers[end] + i, length, stream_headers(at), at);
            if (at >= bytes) at = 0;
            packets++;
        }
        memcpy(ack, &packets, sizeof packets);
        seal(ack, ACK_BYTES - ICRC);
        struct iovec span = {ack, ACK_BYTES};
        transmit(end, &span, 1, 0);
    }
}

static uint64_t acknowledged(int end, uint64_t before, int wait) {
    int segment, n = receive(end, buffers[end], &segment, wait);
    if (n < ACK_BYTES) return before;
    accept_packet(buffers[end], ACK_BYTES, BTH + AETH, 0);
    memcpy(&before, buffers[end] + (n - ACK_BYTES), sizeof before);
    return before;
}

// Continues the last of `count` spans, or adds one.
static int add_span(struct iovec *spans, int count, uint8_t *p, size_t n) {
    if (count && (uint8_t *) spans[count - 1].iov_base + spans[count - 1].iov_len == p) {
        spans[count - 1].iov_len += n;
        return count;
    }
    spans[count] = (struct iovec) {p, n};
    return count + 1;
}

// Sends as many packets of the stream as one call takes, `most` at most: all as long as the first,
// the last one perhaps shorter.
static int stream_send(size_t bytes, size_t *at, int most) {
    static uint8_t own[BUFFER];     // headers, checksums and short payloads
    struct iovec spans[2 * MAX_CALL_PACKETS + 1];
    uint8_t *p = own;
    int count = 0, packets = 0, segment = 0, total = 0, length;
    do {
        int headers = stream_headers(*at);
        int payload = bytes - *at < MTU ? (int) (bytes - *at) : MTU;
        length = headers + payload + ICRC;
        if (!packets) segment = length;
        if (length > segment || total + length > MAX_CALL_BYTES) break;
        count = add_span(spans, count, p, headers);
        uint32_t crc;
        if (payload <= COPY_LIMIT) {
            memcpy(p + headers, region + *at, payload);
            count = add_span(spans, count, p + headers, payload);
            crc = ~crc32(SEED, p, headers + payload);
            p += headers + payload;
        } else {
            count = add_span(spans, count, region + *at, payload);
            crc = ~crc32(crc32(SEED, p, headers), region + *at, payload);
            p += headers;
        }
        memcpy(p, &crc, ICRC);
        count = add_span(spans, count, p, ICRC);
        p += ICRC;
        *at = *at + payload < bytes ? *at + payload : 0;
        total += length;
        packets++;
    } while (length == segment && packets < most);
    transmit(0, spans, count, segment);
    return packets;
}

// Bytes per second, with `flight` packets unacknowledged at most; 0 for as many as are good.
static double stream_for(size_t bytes, int flight, int64_t time) {
    static uint64_t sent, done;
    static size_t at;
    size_t payload = bytes < MTU ? bytes : MTU, packets = (bytes + MTU - 1) / MTU;
    size_t per_call = MAX_CALL_BYTES / (BTH + payload + ICRC);
    if (per_call > MAX_CALL_PACKETS) per_call = MAX_CALL_PACKETS;
    uint64_t window = flight ? (uint64_t) flight : WINDOW_CALLS * per_call;
    if (per_call > window) per_call = window;
    uint64_t before = sent;
    int64_t start = now(), end;
    do {
        while (sent + per_call - done > window) done = acknowledged(0, done, 1);
        sent += stream_send(bytes, &at, (int) per_call);
        end = now();
    } while (end - start < time);
    while (done < sent) done = acknowledged(0, done, 1);
    end = now();
    return (double) bytes * (sent - before) / packets * 1e9 / (end - start);
}

static double stream(size_t bytes, int flight) {
    if (forked()) stream_receiver(1, bytes);
    stream_for(bytes, flight, nanos / WARM_UP_SHARE);
    return stream_for(bytes, flight, nanos);
}

int main(int argc, char **argv) {
    int has_clients = argc > 1 && !strcmp(argv[1], "clients");
    int has_count = has_clients || (argc > 1 && !strcmp(argv[1], "rate"));
    int count = has_count && argc == 6 ? atoi(argv[4]) : 1;
    if (argc != (has_count ? 6 : 5) || count < 1 || count > MAX_CLIENTS) {
        fprintf(stderr, "floor udp|rpc|tail|stream poll|block BYTES MILLIS\n"
                        "floor rate poll|block BYTES FLIGHT MILLIS\n"
                        "floor clients poll|block BYTES CLIENTS MILLIS\n");
        return 2;
    }
    blocking = !strcmp(argv[2], "block");
    size_t bytes = strtoul(argv[3], 0, 10);
    nanos = atoi(argv[argc - 1]) * 1000000LL;
    make_table();
    space = bytes < BUFFER ? BUFFER : bytes;
    ends[0] = open_end(0);
    ends[1] = open_end(1);
    double result = 0;
    if (!strcmp(argv[1], "udp")) result = round_trips(50, udp_turn, (int) bytes);
    else if (!strcmp(argv[1], "rpc")) result = round_trips(50, rpc_turn, (int) bytes);
    else if (!strcmp(argv[1], "tail")) result = round_trips(99, rpc_turn, (int) bytes);
    else if (!strcmp(argv[1], "stream")) result = stream(bytes, 0);
    else if (has_clients) result = clients((int) bytes, count);
    else if (has_count) result = stream(bytes, count) / bytes;
    else return 2;
    printf("%.0f\n", result);
    return bad ? 1 : 0;
}
