package dev.outboard.dpa.debug;

import dev.outboard.dpa.debug.GdbPacket.MalformedException;
import dev.outboard.dpa.debug.Watchpoint.On;
import dev.outboard.dpa.machine.Fault;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What gdb asks for by its remote protocol, and what it is answered. It has no socket: it is given
/// the bytes that have come, and gives those that are to be sent. Whatever comes, it throws
/// nothing. It belongs to the thread that runs the program.
///
/// ```java
/// session.stopped(stop);
/// while (session.resume().isEmpty()) {
///     send(session.toSend());
///     session.receive(buffer, read(buffer));
/// }
/// ```
public final class GdbSession {
    /// How many bytes may wait that gdb has sent while the program runs.
    static final int MOST_WAITING_BYTES = 64 << 10;

    private static final int REGISTERS = 32;
    private static final int MOST_MEMORY_BYTES = GdbFrames.MOST_BYTES / 2 - 64;
    private static final String OK = "OK";
    private static final String UNKNOWN = "";
    private static final String NO_MEMORY = "E0e";
    private static final String MALFORMED = "E16";
    private static final int PC = 32;

    // Signals, by the numbers that gdb has for them.
    private static final int INTERRUPT = 2;
    private static final int ILLEGAL = 4;
    private static final int TRAP = 5;
    private static final int BUS_ERROR = 10;
    private static final int SEGMENTATION = 11;
    private static final int BAD_CALL = 12;
    private static final int TIME_LIMIT = 24;

    // How a program has ended.
    private static final char EXIT = 'W';
    private static final char DEATH = 'X';

    private final Debugger debugger;
    private final String description = GdbDescription.text();
    private final GdbFrames frames = new GdbFrames();
    private final Deque<Byte> waiting = new ArrayDeque<>();
    private final ByteArrayOutputStream output = new ByteArrayOutputStream();
    private boolean acknowledges = true;
    private boolean isBreakWanted;
    private boolean isDetached;
    private byte[] latest = new byte[0];

    /// While the program stands still.
    private @Nullable Stop stop;

    /// Whether gdb waits to hear why the program has stopped.
    private boolean isStopAwaited;

    /// Whose registers gdb asks for.
    private int selected;

    private @Nullable Resume resume;

    /// A session that begins.
    public GdbSession(Debugger debugger) {
        this.debugger = debugger;
    }

    // What happens to the program

    /// The program has stopped.
    public void stopped(Stop stop) {
        this.stop = stop;
        selected = stop.thread();
        resume = null;
        isBreakWanted = false;
        if (isStopAwaited) {
            isStopAwaited = false;
            send(reason(stop));
        }
        work();
    }

    /// The program has ended by itself.
    ///
    /// @param code 0 to 255
    public void exited(int code) {
        end(EXIT, code);
    }

    /// The program was ended because of what it did when it stopped last.
    public void crashed() {
        end(DEATH, signal(Optional.ofNullable(stop).flatMap(Stop::fault)));
    }

    private void end(char how, int value) {
        if (isStopAwaited) {
            isStopAwaited = false;
            send("%c%02x".formatted(how, value & 0xff));
        }
    }

    /// How the program goes on, as soon as gdb has said it after the last stop.
    public Optional<Resume> resume() {
        return Optional.ofNullable(resume);
    }

    /// Whether gdb wants the program to stop that runs.
    public boolean isBreakWanted() {
        return isBreakWanted;
    }

    /// Whether gdb has left the program alone.
    public boolean isDetached() {
        return isDetached;
    }

    // Bytes

    /// Takes what has come from gdb.
    ///
    /// @param count how many of the bytes it is
    public void receive(byte[] bytes, int count) {
        for (int i = 0; i < count && waiting.size() < MOST_WAITING_BYTES; i++) {
            waiting.add(bytes[i]);
        }
        work();
    }

    /// What is to be sent to gdb, once.
    public byte[] toSend() {
        byte[] bytes = output.toByteArray();
        output.reset();
        return bytes;
    }

    /// Packets wait until the program has stopped.
    private void work() {
        while (!waiting.isEmpty()) {
            boolean isRunning = stop == null || resume != null;
            if (isRunning && waiting.peek() == '$') {
                return;
            }
            switch (frames.take(waiting.remove() & 0xff)) {
                case NONE -> {
                    /* More has to come. */
                }
                case PACKET -> take(frames.packet());
                case DAMAGED -> output.write('-');
                case REPEAT -> output.writeBytes(latest);
                case BREAK -> isBreakWanted = true;
            }
        }
    }

    private void take(String packet) {
        if (acknowledges) {
            output.write('+');
        }
        String answer;
        try {
            answer = answer(new GdbPacket(packet));
        } catch (MalformedException e) {
            answer = MALFORMED;
        }
        if (answer != null) {
            send(answer);
        }
    }

    private void send(String packet) {
        latest = GdbFrames.frame(packet);
        output.writeBytes(latest);
    }

    // Packets

    /// @return null if there is no answer yet
    private @Nullable String answer(GdbPacket packet) throws MalformedException {
        Stop now = stop;
        if (packet.isAtEnd() || now == null) {
            return UNKNOWN;
        }
        char command = packet.character();
        return switch (command) {
            case '?' -> reason(now);
            case 'g' -> registers();
            case 'G' -> setRegisters(packet);
            case 'p' -> register(packet);
            case 'P' -> setRegister(packet);
            case 'm' -> memory(packet);
            case 'M' -> setMemory(packet, true);
            case 'X' -> setMemory(packet, false);
            case 'Z', 'z' -> point(packet, command == 'Z');
            case 'H' -> select(packet, now);
            case 'T' -> debugger.has(packet.thread(now.thread())) ? OK : MALFORMED;
            case 'c', 'C' -> goOn(Resume.GO);
            case 's', 'S' -> goOn(Resume.step(now.thread()));
            case 'v' -> named(packet, now);
            case 'q' -> query(packet, now);
            case 'Q' -> mode(packet);
            case 'D' -> detach();
            case 'k' -> {
                resume = Resume.END;
                yield null;
            }
            default -> UNKNOWN;
        };
    }

    private @Nullable String goOn(Resume how) {
        resume = how;
        isStopAwaited = true;
        return null;
    }

    private String detach() {
        debugger.clear();
        isDetached = true;
        resume = Resume.GO;
        return OK;
    }

    private static String reason(Stop stop) {
        int signal =
                switch (stop.reason()) {
                    case START, STEP, BREAKPOINT, WRITTEN, READ, ACCESSED -> TRAP;
                    case INTERRUPT -> INTERRUPT;
                    case FAULT -> signal(stop.fault());
                };
        String watched =
                switch (stop.reason()) {
                    case WRITTEN -> "watch:%x;".formatted(stop.address());
                    case READ -> "rwatch:%x;".formatted(stop.address());
                    case ACCESSED -> "awatch:%x;".formatted(stop.address());
                    default -> "";
                };
        return "T%02xthread:%x;%s".formatted(signal, stop.thread() + 1, watched);
    }

    /// The number that gdb has for the signal of such a fault.
    private static int signal(Optional<Fault> fault) {
        return switch (fault.orElse(Fault.BAD_LOAD)) {
            case ILLEGAL_INSTRUCTION -> ILLEGAL;
            case MISALIGNED_LOAD, MISALIGNED_STORE -> BUS_ERROR;
            case UNKNOWN_CALL -> BAD_CALL;
            case WATCHDOG -> TIME_LIMIT;
            default -> SEGMENTATION;
        };
    }

    // Registers and memory

    private String registers() {
        if (!debugger.has(selected)) {
            return MALFORMED;
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < REGISTERS; i++) {
            text.append(GdbPacket.hex(debugger.register(selected, i)));
        }
        return text.append(GdbPacket.hex(debugger.pc(selected))).toString();
    }

    private String setRegisters(GdbPacket packet) throws MalformedException {
        long[] values = new long[REGISTERS];
        for (int i = 0; i < REGISTERS; i++) {
            values[i] = packet.word();
        }
        long pc = packet.word();
        if (!debugger.has(selected)) {
            return MALFORMED;
        }
        for (int i = 0; i < REGISTERS; i++) {
            debugger.register(selected, i, values[i]);
        }
        return pc == debugger.pc(selected) || debugger.pc(selected, pc) ? OK : MALFORMED;
    }

    private String register(GdbPacket packet) throws MalformedException {
        int number = packet.number(PC);
        if (!debugger.has(selected)) {
            return MALFORMED;
        }
        long value = number == PC ? debugger.pc(selected) : debugger.register(selected, number);
        return GdbPacket.hex(value);
    }

    private String setRegister(GdbPacket packet) throws MalformedException {
        int number = packet.number(PC);
        packet.expect("=");
        long value = packet.word();
        if (!debugger.has(selected)) {
            return MALFORMED;
        }
        if (number == PC) {
            return value == debugger.pc(selected) || debugger.pc(selected, value) ? OK : MALFORMED;
        }
        debugger.register(selected, number, value);
        return OK;
    }

    private String memory(GdbPacket packet) throws MalformedException {
        long address = packet.number();
        packet.expect(",");
        int lengthBytes = Math.min(packet.number(Integer.MAX_VALUE), MOST_MEMORY_BYTES);
        if (!debugger.has(selected)) {
            return MALFORMED;
        }
        byte[] bytes = debugger.read(selected, address, lengthBytes);
        return bytes.length == 0 && lengthBytes > 0 ? NO_MEMORY : GdbPacket.hex(bytes);
    }

    private String setMemory(GdbPacket packet, boolean isHex) throws MalformedException {
        long address = packet.number();
        packet.expect(",");
        int lengthBytes = packet.number(GdbFrames.MOST_BYTES);
        packet.expect(":");
        byte[] bytes = isHex ? packet.bytes(lengthBytes) : packet.rest();
        if (bytes.length != lengthBytes || !debugger.has(selected)) {
            return MALFORMED;
        }
        return debugger.write(selected, address, bytes) ? OK : NO_MEMORY;
    }

    // Breakpoints

    private String point(GdbPacket packet, boolean isSet) throws MalformedException {
        char type = packet.character();
        packet.expect(",");
        long address = packet.number();
        packet.expect(",");
        int kind = packet.number(Integer.MAX_VALUE);
        if (type == '0' || type == '1') {
            if (isSet) {
                return debugger.breakAt(address) ? OK : NO_MEMORY;
            }
            debugger.clear(address);
            return OK;
        }
        On on =
                switch (type) {
                    case '2' -> On.WRITE;
                    case '3' -> On.READ;
                    case '4' -> On.ACCESS;
                    default -> null;
                };
        if (on == null) {
            return UNKNOWN;
        }
        if (kind == 0) {
            return MALFORMED;
        }
        Watchpoint watch = new Watchpoint(address, kind, on);
        if (isSet) {
            return debugger.watch(watch) ? OK : NO_MEMORY;
        }
        debugger.clear(watch);
        return OK;
    }

    // Threads, and what there is

    private String select(GdbPacket packet, Stop now) throws MalformedException {
        char purpose = packet.character();
        int thread = packet.thread(now.thread());
        if (!debugger.has(thread)) {
            return MALFORMED;
        }
        if (purpose == 'g') {
            selected = thread;
        }
        return OK;
    }

    private @Nullable String named(GdbPacket packet, Stop now) throws MalformedException {
        if (packet.takes("Cont?")) {
            return "vCont;c;C;s;S";
        }
        if (packet.takes("Kill")) {
            resume = Resume.END;
            return OK;
        }
        return packet.takes("Cont") ? goOn(resume(packet, now)) : UNKNOWN;
    }

    /// The first step counts; a machine of threads in turns has only one that goes first.
    private static Resume resume(GdbPacket packet, Stop now) throws MalformedException {
        Resume how = Resume.GO;
        while (packet.takes(";")) {
            char action = packet.character();
            if (action == 'C' || action == 'S') {
                packet.number();
            } else if (action != 'c' && action != 's') {
                throw new MalformedException("no action '%c'".formatted(action));
            }
            int thread = packet.takes(":") ? packet.thread(now.thread()) : now.thread();
            boolean isStep = action == 's' || action == 'S';
            how = isStep && how.equals(Resume.GO) ? Resume.step(thread) : how;
        }
        return how;
    }

    private String query(GdbPacket packet, Stop now) throws MalformedException {
        if (packet.takes("Supported")) {
            return "PacketSize=%x;QStartNoAckMode+;qXfer:features:read+;vContSupported+"
                    .formatted(GdbFrames.MOST_BYTES);
        }
        if (packet.takes("Xfer:features:read:target.xml:")) {
            return part(packet);
        }
        if (packet.takes("fThreadInfo")) {
            return debugger.threads().stream()
                    .map(thread -> "%x".formatted(thread + 1))
                    .collect(Collectors.joining(",", "m", ""));
        }
        if (packet.takes("sThreadInfo")) {
            return "l";
        }
        if (packet.takes("Attached")) {
            return "0";
        }
        if (packet.takes("Symbol:")) {
            return OK;
        }
        return packet.takes("C") && packet.isAtEnd() ? "QC%x".formatted(now.thread() + 1) : UNKNOWN;
    }

    private String part(GdbPacket packet) throws MalformedException {
        int from = Math.min(packet.number(Integer.MAX_VALUE), description.length());
        packet.expect(",");
        int most = Math.min(packet.number(Integer.MAX_VALUE), MOST_MEMORY_BYTES);
        int to = Math.min(description.length(), from + most);
        return (to == description.length() ? "l" : "m") + description.substring(from, to);
    }

    private String mode(GdbPacket packet) {
        if (packet.takes("StartNoAckMode")) {
            acknowledges = false;
            return OK;
        }
        return UNKNOWN;
    }
}
