package dev.outboard.console.dpa;

import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.CrashReport;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.MemoryOperation;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.ThreadStatus;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What a core file holds, as `core-file.schema.json` describes it. Each record refuses what it
/// cannot be read without.
record CoreFile(
        String format,
        int version,
        String program,
        String mode,
        @Nullable Profile profile,
        long seed,
        Status status,
        @Nullable Crash crash,
        List<ThreadStatus> threads,
        List<Region> memory) {
    private static final String FORMAT = "outboard-dpa-core";
    private static final int VERSION = 1;

    CoreFile {
        if (!FORMAT.equals(format)) {
            throw new IllegalArgumentException(
                    "its format is %s, that of core files %s".formatted(format, FORMAT));
        }
        if (version != VERSION) {
            throw new IllegalArgumentException(
                    "its version is %d, this command reads version %d".formatted(version, VERSION));
        }
        need(program, "program");
        need(mode, "mode");
        need(status, "status");
        need(threads, "threads");
        need(memory, "memory");
    }

    private static void need(@Nullable Object member, String name) {
        if (member == null) {
            throw new IllegalArgumentException("%s is missing".formatted(name));
        }
    }

    /// How the process has ended, if it has.
    record Status(String kind, int code, String text) {
        Status {
            need(kind, "kind");
            need(text, "text");
        }
    }

    /// What a thread did that ended the process.
    record Crash(
            Fault fault,
            String thread,
            int unit,
            String address,
            int lengthBytes,
            String detail,
            CodePlace place,
            List<Operation> latest) {
        Crash {
            need(fault, "fault");
            need(thread, "thread");
            number(address);
            need(detail, "detail");
            need(place, "place");
            need(latest, "latest");
        }

        CrashReport report() {
            long address = number(this.address);
            List<MemoryOperation> latest = operations();
            return new CrashReport(
                    fault, thread, unit, address, lengthBytes, detail, place, latest);
        }

        private List<MemoryOperation> operations() {
            return latest.stream().map(Operation::operation).toList();
        }
    }

    /// What a thread has done to memory.
    record Operation(MemoryOperation.Kind kind, String address, int lengthBytes) {
        Operation {
            need(kind, "kind");
            number(address);
        }

        private MemoryOperation operation() {
            return new MemoryOperation(kind, number(address), lengthBytes);
        }
    }

    /// A piece of memory.
    record Region(String name, String address, long lengthBytes, List<Page> pages) {
        Region {
            need(name, "name");
            number(address);
            need(pages, "pages");
        }

        long first() {
            return number(address);
        }

        private boolean holds(long place) {
            return place >= first() && place - first() < lengthBytes;
        }

        /// Its bytes from a place on, as many as are wanted or there are.
        byte[] read(long place, int most) {
            int length = (int) Math.min(most, lengthBytes - (place - first()));
            byte[] read = new byte[length];
            for (Page page : pages) {
                byte[] bytes = HexFormat.of().parseHex(page.bytes);
                long offset = number(page.address) - place;
                for (int i = 0; i < bytes.length; i++) {
                    if (offset + i >= 0 && offset + i < length) {
                        read[(int) offset + i] = bytes[i];
                    }
                }
            }
            return read;
        }
    }

    /// A page that does not hold zeros alone.
    record Page(String address, String bytes) {
        Page {
            number(address);
            need(bytes, "bytes");
            if (!bytes.matches("([0-9a-f]{2})*")) {
                throw new IllegalArgumentException("bytes are no pairs of hexadecimal digits");
            }
        }
    }

    private static long number(@Nullable String address) {
        if (address == null || !address.matches("0x[0-9a-f]{1,16}")) {
            throw new IllegalArgumentException(
                    "address is %s; valid is 0x and hexadecimal digits".formatted(address));
        }
        return Long.parseUnsignedLong(address.substring(2), 16);
    }

    /// The region that an address lies in.
    Optional<Region> region(long address) {
        return memory.stream().filter(region -> region.holds(address)).findFirst();
    }
}
