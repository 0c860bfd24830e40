package dev.outboard.dpa.flexio;

import dev.outboard.dpa.json.JsonWriter;
import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.CrashReport;
import dev.outboard.dpa.machine.MemoryOperation;
import dev.outboard.dpa.machine.MemoryRegion;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.ThreadStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/// DPA-FXP-5: what a core file tells of a process.
///
/// @param threads in the order of their making
record CoreDump(FlexioProcess process, List<ThreadStatus> threads, List<MemoryRegion> memory) {
    private static final String FORMAT = "outboard-dpa-core";
    private static final int VERSION = 1;
    private static final int PAGE_BYTES = 4096;
    private static final MemorySegment ZEROS = MemorySegment.ofArray(new byte[PAGE_BYTES]);

    /// Writes it as JSON.
    ///
    /// @throws java.io.UncheckedIOException if it cannot be written
    void write(Appendable out) {
        JsonWriter.object(
                out,
                json -> {
                    json.member("format", FORMAT);
                    json.member("version", VERSION);
                    json.member("program", process.program());
                    writeMode(json);
                    FlexioErrorState state = process.errorState();
                    json.member(
                            "status",
                            status -> {
                                status.member("kind", state.kind().name());
                                status.member("code", state.exitStatus());
                                status.member("text", state.text());
                            });
                    process.crashReport()
                            .ifPresent(crash -> json.member("crash", inner -> write(inner, crash)));
                    json.array("threads", threads, CoreDump::write);
                    json.array("memory", memory, CoreDump::write);
                });
    }

    private void writeMode(JsonWriter json) {
        RunMode mode = process.process().mode();
        json.member("mode", mode.word());
        if (mode instanceof RunMode.Turns turns) {
            turns.weak().ifPresent(profile -> json.member("profile", profile.name()));
            json.member("seed", turns.seed());
        } else {
            json.member("seed", process.device().machine().options().seed());
        }
    }

    private static void write(JsonWriter json, CrashReport crash) {
        json.member("fault", crash.fault().name());
        json.member("thread", crash.thread());
        json.member("unit", crash.unit());
        json.member("address", hex(crash.address()));
        json.member("lengthBytes", crash.lengthBytes());
        json.member("detail", crash.detail());
        CodePlace place = crash.place();
        json.member(
                "place",
                inner -> {
                    inner.member("file", place.file());
                    inner.member("line", place.line());
                    inner.member("column", place.column());
                    inner.member("function", place.function());
                });
        json.array("latest", crash.latest(), CoreDump::write);
    }

    private static void write(JsonWriter json, MemoryOperation operation) {
        json.member("kind", operation.kind().name());
        json.member("address", hex(operation.address()));
        json.member("lengthBytes", operation.lengthBytes());
    }

    private static void write(JsonWriter json, ThreadStatus thread) {
        json.member("name", thread.name());
        json.member("state", thread.state().name());
        json.member("unit", thread.unit());
    }

    private static void write(JsonWriter json, MemoryRegion region) {
        json.member("name", region.name());
        json.member("address", hex(region.address()));
        json.member("lengthBytes", region.bytes().byteSize());
        json.array(
                "pages",
                pages(region.bytes()),
                (page, offset) -> {
                    page.member("address", hex(region.address() + offset));
                    byte[] bytes = page(region.bytes(), offset).toArray(ValueLayout.JAVA_BYTE);
                    page.member("bytes", HexFormat.of().formatHex(bytes));
                });
    }

    /// The offsets of those that hold something else than zeros.
    private static List<Long> pages(MemorySegment bytes) {
        List<Long> offsets = new ArrayList<>();
        for (long offset = 0; offset < bytes.byteSize(); offset += PAGE_BYTES) {
            MemorySegment page = page(bytes, offset);
            if (page.mismatch(ZEROS.asSlice(0, page.byteSize())) >= 0) {
                offsets.add(offset);
            }
        }
        return offsets;
    }

    private static MemorySegment page(MemorySegment bytes, long offset) {
        return bytes.asSlice(offset, Math.min(PAGE_BYTES, bytes.byteSize() - offset));
    }

    private static String hex(long address) {
        return "0x%x".formatted(address);
    }
}
