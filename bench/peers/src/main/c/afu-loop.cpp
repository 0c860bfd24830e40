// A Verilated AFU clocked by the least that keeps it going: a loop, and a memory that answers every read with the next
// cycle and takes every write at once. No channels, no order, no checks. What `outboard bench ccip` is compared with.
//
//   afu-loop LIBRARY copy|idle MILLISECONDS
//
// Prints simulated cycles per second.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <string>
#include <vector>

namespace {

// The layout of the library's wires; see its shim.
struct RxWires {
    uint64_t c0_data[8];
    uint32_t c0_hdr;
    uint32_t c1_hdr;
    uint32_t wires;
    uint32_t unused;
};

struct TxWires {
    uint64_t c1_data[8];
    uint64_t c0_hdr_low;
    uint64_t c1_hdr_low;
    uint64_t c2_data;
    uint32_t c0_hdr_high;
    uint32_t c1_hdr_high;
    uint32_t c2_tid;
    uint32_t valid;
};

enum Wire : uint32_t { C0_ALMOST_FULL = 1, C0_RESPONSE = 4, C0_MMIO_WRITE = 16, C1_RESPONSE = 32, RESET = 64 };
enum Valid : int32_t { C0_VALID = 1, C1_VALID = 2 };

constexpr uint32_t FENCE = 4;
constexpr uint32_t VH0 = 2u << 26;
constexpr uint32_t LINES = 1 << 14;
constexpr int CHECK_TIME = 4096;

struct Read {
    uint64_t address;
    uint32_t mdata;
    uint32_t lines;
    uint32_t next;
};

class Loop {
    void* const afu;
    int (*const step)(void*);
    RxWires* const rx;
    const TxWires* const tx;
    std::vector<uint64_t> memory = std::vector<uint64_t>(2 * LINES * 8);
    std::deque<Read> reads;
    std::deque<uint32_t> answers;
    uint64_t line = 0;

public:
    long cycles = 0;

    explicit Loop(void* library)
        : afu{reinterpret_cast<void* (*)(uint64_t, int32_t)>(dlsym(library, "afu_create"))(1, 1)},
          step{reinterpret_cast<int (*)(void*)>(dlsym(library, "afu_step"))},
          rx{reinterpret_cast<RxWires* (*)(void*)>(dlsym(library, "afu_rx"))(afu)},
          tx{reinterpret_cast<const TxWires* (*)(void*)>(dlsym(library, "afu_tx"))(afu)} {
        rx->wires = RESET;
        for (int i = 0; i < 256; i++) {
            step(afu);
        }
        rx->wires = 0;
        step(afu);
    }

    void idle() {
        rx->wires = 0;
        clock();
    }

    void write(uint32_t address, uint64_t value) {
        rx->c0_hdr = (address >> 2) << 12 | 1 << 10;
        rx->c0_data[0] = value;
        rx->wires = C0_MMIO_WRITE;
        clock();
    }

    // One cycle; whether a fence was answered in it.
    bool busy() {
        uint32_t wires = 0;
        if (reads.size() > 400) {
            wires |= C0_ALMOST_FULL;
        }
        bool fence = false;
        if (!reads.empty()) {
            Read& read = reads.front();
            std::memcpy(rx->c0_data, &memory[(read.address + read.next) * 8], 64);
            rx->c0_hdr = VH0 | read.next << 20 | read.mdata;
            wires |= C0_RESPONSE;
            if (++read.next == read.lines) {
                reads.pop_front();
            }
        }
        if (!answers.empty()) {
            rx->c1_hdr = answers.front();
            fence = answers.front() == FENCE << 16;
            answers.pop_front();
            wires |= C1_RESPONSE;
        }
        rx->wires = wires;
        const int valid = clock();
        if (valid & C0_VALID) {
            uint32_t last = tx->c0_hdr_high >> 4 & 3;
            reads.push_back({address(tx->c0_hdr_low), static_cast<uint32_t>(tx->c0_hdr_low & 0xFFFF), last + 1, 0});
        }
        if (valid & C1_VALID) {
            take();
        }
        return fence;
    }

private:
    int clock() {
        cycles++;
        return step(afu);
    }

    static uint64_t address(uint64_t hdr) { return hdr >> 16 & 0x3FFFFFFFFFF; }

    void take() {
        if ((tx->c1_hdr_high & 15) == FENCE) {
            answers.push_back(FENCE << 16);
            return;
        }
        bool first = tx->c1_hdr_high >> 7 & 1;
        line = first ? address(tx->c1_hdr_low) : line + 1;
        std::memcpy(&memory[line % (2 * LINES) * 8], tx->c1_data, 64);
        if (first) {
            answers.push_back(VH0 | 1 << 23 | (tx->c1_hdr_high >> 4 & 3) << 20 | (tx->c1_hdr_low & 0xFFFF));
        }
    }
};

}  // namespace

int main(int count, char** arguments) {
    if (count != 4) {
        std::fprintf(stderr, "afu-loop LIBRARY copy|idle MILLISECONDS\n");
        return 2;
    }
    void* library = dlopen(arguments[1], RTLD_NOW);
    if (library == nullptr) {
        std::fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    Loop loop{library};
    const bool copies = std::string{"copy"} == arguments[2];
    if (copies) {
        loop.write(0x40, 0);
        loop.write(0x48, LINES);
        loop.write(0x50, LINES);
    }
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const auto end = start + std::chrono::milliseconds{std::atol(arguments[3])};
    loop.cycles = 0;
    bool done = true;
    while (Clock::now() < end) {
        for (int i = 0; i < CHECK_TIME; i++) {
            if (!copies) {
                loop.idle();
            } else if (done) {
                // A few cycles until its status says so.
                for (int wait = 0; wait < 8; wait++) {
                    loop.idle();
                }
                loop.write(0x58, 1);
                done = false;
            } else {
                done = loop.busy();
            }
        }
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    std::printf("%.0f\n", static_cast<double>(loop.cycles) / seconds);
    return 0;
}
