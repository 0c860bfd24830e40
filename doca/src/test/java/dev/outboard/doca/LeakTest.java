package dev.outboard.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@Requirement("DJAVA-API-3")
class LeakTest {
    private static final long PATIENCE_NANOS = Duration.ofSeconds(60).toNanos();

    private final List<LogRecord> records = new CopyOnWriteArrayList<>();
    private final Logger logger = Logger.getLogger(Leak.class.getName());
    private final Handler handler = new RecordingHandler(records);

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
    }

    @AfterEach
    void stopListening() {
        logger.removeHandler(handler);
        logger.setUseParentHandlers(true);
        System.clearProperty(Leak.TRACKING);
    }

    @Test
    void aForgottenMmapIsReportedAndItsMemoryReleased() {
        DocaDev dev = TestDevices.open();
        long before = Leak.count();
        Remains remains = forgetMmap(dev);
        LogRecord warning = awaitWarning(remains.name);
        assertThat(warning.getMessage()).contains("never closed", "-D" + Leak.TRACKING);
        assertThat(Leak.count()).isGreaterThan(before);
        assertThat(remains.memory.scope().isAlive()).isFalse();
        dev.close();
    }

    @Test
    void theWarningSaysWhereItWasMadeIfTrackingIsOn() {
        System.setProperty(Leak.TRACKING, "true");
        forgetInventory();
        LogRecord warning = awaitWarning("inventory of 77 elements");
        StringWriter trace = new StringWriter();
        warning.getThrown().printStackTrace(new PrintWriter(trace));
        assertThat(trace.toString()).contains("forgetInventory");
    }

    @Test
    void aForgottenDeviceIsClosed() {
        DocaDevInfo info = TestDevices.loopback();
        forgetDevice(info);
        awaitCollection(() -> !OpenDevice.isOpen(info));
        awaitWarning(info.toString());
    }

    @Test
    void aForgottenDeviceStaysOpenAsLongAsSomethingUsesIt() {
        DocaDevInfo info = TestDevices.loopback();
        OpenDevice open = OpenDevice.acquire(info);
        open.use();
        open.forgetHandle();
        assertThat(OpenDevice.isOpen(info)).isTrue();
        open.release();
        assertThat(OpenDevice.isOpen(info)).isFalse();
    }

    @Test
    void whatIsClosedIsNoLeak() {
        DocaDev dev = TestDevices.open();
        Mmap mmap = Mmap.builder().device(dev).memrange(79).build();
        mmap.close();
        BufInventory.create(78).close();
        dev.close();
        forgetInventory();
        awaitWarning("inventory of 77 elements");
        assertThat(records)
                .extracting(LogRecord::getMessage)
                .noneMatch(text -> text.contains("78 elements") || text.contains("79 bytes"));
    }

    private record Remains(String name, MemorySegment memory) {}

    private static Remains forgetMmap(DocaDev dev) {
        Mmap mmap = Mmap.builder().device(dev).memrange(64).build().start();
        return new Remains(mmap.toString(), mmap.segment());
    }

    private static void forgetInventory() {
        assertThat(BufInventory.create(77).count()).isEqualTo(77);
    }

    private static void forgetDevice(DocaDevInfo info) {
        assertThat(DocaDev.open(info).info()).isEqualTo(info);
    }

    private LogRecord awaitWarning(String what) {
        awaitCollection(() -> warnings(what).findAny().isPresent());
        return warnings(what).findAny().orElseThrow();
    }

    private Stream<LogRecord> warnings(String what) {
        return records.stream().filter(each -> each.getMessage().contains(what));
    }

    private static void awaitCollection(BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waiting for the leak").isLessThan(deadline);
            System.gc();
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
    }

    private static final class RecordingHandler extends Handler {
        private final List<LogRecord> records;

        RecordingHandler(List<LogRecord> records) {
            this.records = records;
        }

        @Override
        public void publish(LogRecord record) {
            records.add(record);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
