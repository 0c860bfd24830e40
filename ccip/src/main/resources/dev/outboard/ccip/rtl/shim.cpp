// The native side of a Verilated AFU: one shim for all of them. It keeps the model, its clocks and the wires
// of the port as two flat structures, and packs these into the images of t_if_ccip_Rx and t_if_ccip_Tx.
//
// Compiled with Verilator's output, whose class is Vafu. Whoever loads the library calls the functions at the
// end of this file; an AFU belongs to one caller at a time.

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <set>
#include <string>

#include "Vafu.h"
#include "fatal.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

namespace {

// What the wires to the AFU carry.
struct RxWires {
    uint64_t c0_data[8];
    uint32_t c0_hdr;
    uint32_t c1_hdr;
    // 0 c0TxAlmFull, 1 c1TxAlmFull, 2 c0.rspValid, 3 c0.mmioRdValid, 4 c0.mmioWrValid, 5 c1.rspValid,
    // 6 softReset, 7 error, 9:8 pwrState
    uint32_t wires;
    uint32_t unused;
};
static_assert(sizeof(RxWires) == 80, "the loader knows this layout");

// What the wires from the AFU carry. Headers and data count only where `valid` says so.
struct TxWires {
    uint64_t c1_data[8];
    uint64_t c0_hdr_low;
    uint64_t c1_hdr_low;
    uint64_t c2_data;
    uint32_t c0_hdr_high;
    uint32_t c1_hdr_high;
    uint32_t c2_tid;
    // 0 c0.valid, 1 c1.valid, 2 c2.mmioRdValid
    uint32_t valid;
    // How many findings wait to be taken.
    uint32_t findings;
    uint32_t unused;
};
static_assert(sizeof(TxWires) == 112, "the loader knows this layout");

constexpr int RX_WORDS = 18;
constexpr int TX_WORDS = 24;

// A design that calls $stop, $fatal or $finish, or does not settle, ends its own model and nothing else.
struct Ended {
    std::string reason;
};

// What is wrong with the design and no reason to end it.
struct Finding {
    // 0 an assertion failed or $error was called, 1 $finish was called before the reset ended, 2 an output changed at
    // an edge of another clock than pClk; then the text is the number of a bit of t_if_ccip_Tx.
    int32_t kind;
    std::string text;
};

// What the design printed last: the text of $fatal and $error, which name only their place when they end it.
thread_local std::string printed;

// Whether the AFU that the thread works on is one of those that print nothing.
thread_local bool muted;

class Afu;

// The AFU that the thread works on.
thread_local Afu* current;

#if VM_TRACE
// Where the signals inside a design are written. What goes wrong is kept for the end: Verilator's own file would end
// the design, also when it is deleted, and the JVM with it.
class TraceFile final : public VerilatedVcdFile {
    std::FILE* file = nullptr;

public:
    int error = 0;

    bool open(const std::string& name) override {
        file = std::fopen(name.c_str(), "wb");
        if (file == nullptr) error = errno;
        return file != nullptr;
    }

    void close() override {
        if (file != nullptr && std::fclose(file) != 0 && error == 0) error = errno;
        file = nullptr;
    }

    ssize_t write(const char* bytes, ssize_t length) override {
        const size_t all = static_cast<size_t>(length);
        if (error == 0 && std::fwrite(bytes, 1, all, file) != all) error = errno;
        return length;
    }
};

// The signals inside a design as waveforms. A value is written when the time after it begins: by then all that
// happens at a time has happened.
class Trace {
    TraceFile file;
    VerilatedVcdC changes{&file};
    const uint64_t megahertz;
    uint64_t halfPeriods;
    uint64_t now;

    uint64_t picoseconds() const { return halfPeriods * 500000 / megahertz; }

public:
    Trace(Vafu* model, const char* name, uint64_t cycle, uint64_t megahertz)
        : megahertz{megahertz}, halfPeriods{2 * cycle}, now{picoseconds()} {
        changes.set_time_unit("1ps");
        changes.set_time_resolution("1ps");
        model->trace(&changes, 99);
        changes.open(name);
    }

    // The time of the next rising or falling edge of pClk.
    uint64_t atEdge(bool rises) {
        halfPeriods = rises ? (halfPeriods / 2 + 1) * 2 : halfPeriods | 1;
        return picoseconds();
    }

    // What comes is at this time.
    void at(Vafu* model, uint64_t later) {
        if (later <= now) return;
        // What is driven may have passed through logic without a clock.
        model->eval();
        changes.dump(now);
        now = later;
    }

    // The errno of what went wrong, or 0.
    int end() {
        changes.dump(now);
        changes.close();
        return file.error;
    }

    int error() const { return file.error; }
};
#endif

class Afu {
    VerilatedContext context;
    const bool prints;
    Vafu* const model;
    uint64_t edges = 0;
    bool inReset = false;
    bool hadReset = false;
    std::deque<Finding> findings;
    // The places in the design that have one already: an assertion that fails in each cycle is one finding.
    std::set<std::string> places;
    std::set<std::string> printedErrors;
#if VM_TRACE
    std::unique_ptr<Trace> trace;
#endif

    static Vafu* create(VerilatedContext& context, uint64_t seed, bool zero) {
        const uint32_t mixed = static_cast<uint32_t>((seed ^ seed >> 29) * 0x9E3779B97F4A7C15u >> 32);
        Verilated::threadContextp(&context);
        context.threads(1);
        // What is said before the reset has ended is said about registers that nothing has set.
        context.assertOn(false);
        context.randReset(zero ? 0 : 2);
        // 0 would let Verilator choose.
        context.randSeed(static_cast<int>(mixed == 0 ? 1 : mixed));
#if VM_TRACE
        context.traceEverOn(true);
#endif
        return new Vafu{&context};
    }

public:
    RxWires rx{};
    TxWires tx{};
    std::string reason;

    uint64_t evaluations = 0;
    // Of the finding that was taken last.
    std::string text;

    Afu(uint64_t seed, bool zero, bool prints) : prints{prints}, model{create(context, seed, zero)} {
        enter();
        model->pck_cp2af_softReset = 1;
        try {
            evaluate();
        } catch (const Ended& ended) {
            reason = ended.reason;
        }
    }

    ~Afu() {
        enter();
        delete model;
        current = nullptr;
        Verilated::threadContextp(Verilated::defaultContextp());
    }

    // Verilator's library finds the model that a thread works on by the thread: there may be several models.
    void enter() {
        Verilated::threadContextp(&context);
        muted = !prints;
        current = this;
    }

    bool beforeResetEnded() const { return !hadReset; }

    // Whether this is the first error of its place, which it begins with.
    bool isNew(const std::string& error) {
        return printedErrors.insert(error.substr(0, error.find(": Assertion"))).second;
    }

    void find(int32_t kind, const std::string& place, const std::string& what) {
        if (!places.insert(place).second) return;
        findings.push_back({kind, what});
        tx.findings = static_cast<uint32_t>(findings.size());
    }

    // The kind of the oldest finding, whose text is then in `text`; -1 when there is none.
    int32_t take() {
        if (findings.empty()) return -1;
        const int32_t kind = findings.front().kind;
        text = findings.front().text;
        findings.pop_front();
        tx.findings = static_cast<uint32_t>(findings.size());
        return kind;
    }

    // Writes the signals inside from now on, where this cycle begins. Returns 0, -1 if the design was compiled without
    // them, or an errno.
    int32_t beginTrace(const char* name, uint64_t cycle, uint64_t megahertz) {
#if VM_TRACE
        trace = std::make_unique<Trace>(model, name, cycle, megahertz);
        const int32_t error = trace->error();
        if (error != 0) trace.reset();
        return error;
#else
        return -1;
#endif
    }

    // Returns 0, or the errno of what went wrong since the trace began.
    int32_t endTrace() {
        int32_t error = 0;
#if VM_TRACE
        if (trace) error = trace->end();
        trace.reset();
#endif
        return error;
    }

    // One rising edge of pClk, at which the AFU samples rx. Returns what it then drives as valid.
    uint32_t step() {
        driveRx();
        return edge();
    }

    // Edges at which rx stays as it is, until one drives something.
    uint64_t idle(uint64_t most) {
        driveRx();
        uint64_t passed = 0;
        while (passed < most) {
            ++passed;
            if (edge() != 0) break;
        }
        return passed;
    }

    // The level of each clock from now on, which is this time: 0 pClk, 1 pClkDiv2, 2 pClkDiv4, 3 uClk_usr,
    // 4 uClk_usrDiv2. Returns what the AFU drives as valid after a rising edge of pClk, else 0.
    uint32_t clocks(uint32_t levels, uint64_t picoseconds) {
        const bool rises = (levels & 1) > model->pClk;
        driveRx();
#if VM_TRACE
        if (trace) trace->at(model, (levels & 1) != model->pClk ? trace->atEdge(rises) : picoseconds);
#endif
        uint32_t before[TX_WORDS];
        if (!rises) {
            // An output that follows an input is another fault.
            evaluate();
            for (int i = 0; i < TX_WORDS; ++i) before[i] = model->pck_af2cp_sTx[i];
        }
        model->pClk = levels & 1;
        model->pClkDiv2 = levels >> 1 & 1;
        model->pClkDiv4 = levels >> 2 & 1;
        model->uClk_usr = levels >> 3 & 1;
        model->uClk_usrDiv2 = levels >> 4 & 1;
        context.timeInc(1);
        evaluate();
        if (rises) return sampleTx();
        const int changed = firstDifference(before);
        if (changed >= 0 && hadReset && !model->pck_cp2af_softReset) find(2, "clock", std::to_string(changed));
        return 0;
    }

    // The first bit of t_if_ccip_Tx that changes when Rx does, without a clock edge; -1 for none. Rx is as before
    // afterwards. All bits of Rx are changed at once, then in patterns: a path may depend on other bits.
    int combinationalPath() {
        uint32_t rxImage[RX_WORDS];
        uint32_t txImage[TX_WORDS];
        for (int i = 0; i < RX_WORDS; ++i) rxImage[i] = model->pck_cp2af_sRx[i];
        for (int i = 0; i < TX_WORDS; ++i) txImage[i] = model->pck_af2cp_sTx[i];
        int found = -1;
        for (const uint32_t flip : {0xFFFFFFFFu, 0x80000001u, 0x40000000u, 0x20000000u, 0x10000000u, 0x55555555u}) {
            for (int i = 0; i < RX_WORDS; ++i) model->pck_cp2af_sRx[i] = rxImage[i] ^ flip;
            model->pck_cp2af_sRx[RX_WORDS - 1] &= 0x3FFFFFFFu;
            evaluate();
            found = firstDifference(txImage);
            if (found >= 0) break;
        }
        for (int i = 0; i < RX_WORDS; ++i) model->pck_cp2af_sRx[i] = rxImage[i];
        evaluate();
        return found;
    }

private:
    // What the AFU sees was driven at the rising edge before: pClk falls in between.
    uint32_t edge() {
        atEdge(false);
        model->pClk = 0;
        evaluate();
        atEdge(true);
        model->pClk = 1;
        model->pClkDiv2 = (edges & 1) == 0;
        model->pClkDiv4 = (edges & 2) == 0;
        ++edges;
        context.timeInc(1);
        evaluate();
        return sampleTx();
    }

    void atEdge([[maybe_unused]] bool rises) {
#if VM_TRACE
        if (trace) trace->at(model, trace->atEdge(rises));
#endif
    }

    void evaluate() {
        ++evaluations;
        model->eval();
    }

    void driveRx() {
        const uint32_t wires = rx.wires;
        uint32_t* const image = model->pck_cp2af_sRx.data();
        image[0] = (wires >> 5 & 1) | (rx.c1_hdr & 0xFFFFFFF) << 1 | (wires >> 4 & 1) << 29
                   | (wires >> 3 & 1) << 30 | (wires >> 2 & 1) << 31;
        std::memcpy(image + 1, rx.c0_data, sizeof rx.c0_data);
        image[17] = (rx.c0_hdr & 0xFFFFFFF) | (wires >> 1 & 1) << 28 | (wires & 1) << 29;
        const CData reset = wires >> 6 & 1;
        if (reset != inReset) {
            inReset = reset;
            hadReset |= !reset;
            context.assertOn(!reset);
        }
        model->pck_cp2af_softReset = reset;
        model->pck_cp2af_error = wires >> 7 & 1;
        model->pck_cp2af_pwrState = wires >> 8 & 3;
    }

    uint32_t sampleTx() {
        const uint32_t* const image = model->pck_af2cp_sTx.data();
        const uint32_t valid = (image[20] >> 27 & 1) | (image[2] >> 10 & 1) << 1 | (image[2] & 1) << 2;
        tx.valid = valid;
        if (valid & 1) {
            tx.c0_hdr_low = image[20] >> 28 | static_cast<uint64_t>(image[21]) << 4
                            | static_cast<uint64_t>(image[22]) << 36;
            tx.c0_hdr_high = (image[22] >> 28 | image[23] << 4) & 0x3FF;
        }
        if (valid & 2) {
            for (int i = 0; i < 8; ++i) tx.c1_data[i] = eleventhBitOf(image + 2 + 2 * i);
            tx.c1_hdr_low = eleventhBitOf(image + 18);
            tx.c1_hdr_high = image[20] >> 11 & 0xFFFF;
        }
        if (valid & 4) {
            tx.c2_data = image[0] | static_cast<uint64_t>(image[1]) << 32;
            tx.c2_tid = image[2] >> 1 & 0x1FF;
        }
        return valid;
    }

    // 64 bits from bit 11 of a word on.
    static uint64_t eleventhBitOf(const uint32_t* word) {
        return word[0] >> 11 | static_cast<uint64_t>(word[1]) << 21 | static_cast<uint64_t>(word[2]) << 53;
    }

    int firstDifference(const uint32_t* before) const {
        for (int i = 0; i < TX_WORDS; ++i) {
            const uint32_t changed = model->pck_af2cp_sTx[i] ^ before[i];
            if (changed != 0) return 32 * i + __builtin_ctz(changed);
        }
        return -1;
    }
};

constexpr int ENDED = -2;

// Runs a part of the simulation; ENDED when the design has ended it, now or before.
template <typename Part>
int64_t unlessEnded(Afu* afu, Part part) {
    if (!afu->reason.empty()) return ENDED;
    afu->enter();
    try {
        return static_cast<int64_t>(part());
    } catch (const Ended& ended) {
        afu->reason = ended.reason;
        return ENDED;
    }
}

constexpr const char* ERROR = "%Error: ";

bool isFatal(const std::string& place) {
    for (const char* const* fatal = FATAL_PLACES; *fatal != nullptr; ++fatal) {
        if (place == *fatal) return true;
    }
    return false;
}

[[noreturn]] void end(const char* file, int line, const std::string& what) {
    const std::string reason = std::string{file} + ":" + std::to_string(line) + ": " + what;
    throw Ended{reason};
}

}  // namespace

// What Verilator's library calls instead of printf, and instead of ending the process. Standard output belongs to the
// program that loaded this.

void outboard_print(const char* format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    // An error is printed once for each place, as it is found: an assertion may fail in every cycle.
    const char* const error = std::strstr(text, ERROR);
    if (!muted && (error == nullptr || current == nullptr || current->isNew(error))) std::fputs(text, stderr);
    printed = text;
    while (!printed.empty() && printed.back() == '\n') printed.pop_back();
}

void vl_finish(const char* file, int line, const char*) {
    if (current->beforeResetEnded()) {
        const std::string place = std::string{file} + ":" + std::to_string(line);
        current->find(1, place, place);
    } else {
        end(file, line, "the design called $finish");
    }
}

// $stop, $fatal, $error and assertions that fail: the last two are no end. What has printed that it is an error is one
// of them or $fatal.
void vl_stop_maybe(const char* file, int line, const char* instance, bool) {
    const size_t error = printed.find(ERROR);
    const std::string place = std::string{file} + ":" + std::to_string(line);
    if (error == std::string::npos || isFatal(place)) vl_stop(file, line, instance);
    if (!current->beforeResetEnded()) current->find(0, place, printed.substr(error + std::strlen(ERROR)));
    printed.clear();
}

void vl_stop(const char* file, int line, const char*) {
    const std::string text = printed;
    printed.clear();
    end(file, line, text.empty() ? "the design called $stop" : "the design gave up: " + text);
}

void vl_fatal(const char* file, int line, const char*, const char* message) { end(file, line, message); }

#define EXPORTED extern "C" __attribute__((visibility("default")))

// An AFU in reset, whose registers and memories hold 0 or what the seed gives. What the design displays is printed or
// not. It may have ended already: see afu_reason.
EXPORTED Afu* afu_create(uint64_t seed, int32_t zero, int32_t prints) { return new Afu{seed, zero != 0, prints != 0}; }

EXPORTED void afu_destroy(Afu* afu) { delete afu; }

EXPORTED RxWires* afu_rx(Afu* afu) { return &afu->rx; }

EXPORTED const TxWires* afu_tx(Afu* afu) { return &afu->tx; }

// Whether the design has logic on uClk_usr or uClk_usrDiv2. If not, afu_step and afu_idle do; else afu_clocks.
EXPORTED int32_t afu_has_user_clocks() { return OUTBOARD_USER_CLOCKS; }

// One edge of pClk: what is then valid (see TxWires), or ENDED (see afu_reason).
EXPORTED int32_t afu_step(Afu* afu) {
    return static_cast<int32_t>(unlessEnded(afu, [afu] { return afu->step(); }));
}

// Up to `most` edges at which rx stays as it is; how many passed until one drove something, or ENDED.
EXPORTED int64_t afu_idle(Afu* afu, uint64_t most) {
    return unlessEnded(afu, [afu, most] { return afu->idle(most); });
}

// Other levels of the clocks from a time on: what is valid after a rising edge of pClk, else 0, or ENDED.
EXPORTED int32_t afu_clocks(Afu* afu, uint32_t levels, uint64_t picoseconds) {
    return static_cast<int32_t>(
        unlessEnded(afu, [afu, levels, picoseconds] { return afu->clocks(levels, picoseconds); }));
}

// Writes the signals inside the design to a file from now on, when this cycle begins. Returns 0, -1 if they were not
// compiled in, an errno, or ENDED.
EXPORTED int32_t afu_begin_trace(Afu* afu, const char* name, uint64_t cycle, uint64_t megahertz) {
    return static_cast<int32_t>(
        unlessEnded(afu, [afu, name, cycle, megahertz] { return afu->beginTrace(name, cycle, megahertz); }));
}

// Completes that file: 0, or the errno of what went wrong since it was begun.
EXPORTED int32_t afu_end_trace(Afu* afu) {
    afu->enter();
    return afu->endTrace();
}

// The first bit of t_if_ccip_Tx that follows Rx without a clock edge, -1 when none does, or ENDED.
EXPORTED int32_t afu_combinational_path(Afu* afu) {
    return static_cast<int32_t>(unlessEnded(afu, [afu] { return afu->combinationalPath(); }));
}

// The text of an errno.
EXPORTED const char* afu_error_text(Afu* afu, int32_t error) {
    afu->text = std::strerror(error);
    return afu->text.c_str();
}

// Why the design ended its simulation; empty while it has not.
EXPORTED const char* afu_reason(Afu* afu) { return afu->reason.c_str(); }

// The kind of the oldest finding that was not taken, or -1; takes it.
EXPORTED int32_t afu_take_finding(Afu* afu) { return afu->take(); }

// The text of the finding that was taken last.
EXPORTED const char* afu_finding(Afu* afu) { return afu->text.c_str(); }

// How often the model was evaluated.
EXPORTED int64_t afu_evaluations(Afu* afu) { return static_cast<int64_t>(afu->evaluations); }
