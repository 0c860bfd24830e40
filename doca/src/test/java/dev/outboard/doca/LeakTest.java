package dev.outboard.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.MemoryRegion;
import dev.outboard.testkit.Requirement;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
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
        awaitLeaks(before + 1);
        assertThat(remains.memory.scope().isAlive()).isFalse();
        assertThat(messages()).anyMatch(text -> text.contains(remains.name) && text.contains("-D"));
        assertThat(remains.region.remoteKey()).isNotZero();
        dev.close();
    }

    @Test
    void theWarningSaysWhereItWasMadeIfTrackingIsOn() {
        System.setProperty(Leak.TRACKING, "true");
        long before = Leak.count();
        forgetInventory();
        awaitLeaks(before + 1);
        StringWriter trace = new StringWriter();
        records.getLast().getThrown().printStackTrace(new PrintWriter(trace));
        assertThat(records.getLast().getMessage()).contains("inventory of 77 elements");
        assertThat(trace.toString()).contains("forgetInventory");
    }

    @Test
    void aForgottenDeviceIsClosedOnceNothingUsesIt() {
        DocaDevInfo info = TestDevices.loopback();
        long before = Leak.count();
        forgetDevice(info);
        awaitLeaks(before + 1);
        assertThat(OpenDevice.isOpen(info)).isFalse();
    }

    @Test
    void whatIsClosedIsNoLeak() {
        long before = Leak.count();
        DocaDev dev = TestDevices.open();
        Mmap.builder().device(dev).memrange(64).build().close();
        BufInventory.create(78).close();
        dev.close();
        forgetInventory();
        awaitLeaks(before + 1);
        assertThat(messages()).noneMatch(text -> text.contains("78")).hasSize(1);
    }

    private record Remains(String name, MemorySegment memory, MemoryRegion region) {}

    private static Remains forgetMmap(DocaDev dev) {
        Mmap mmap = Mmap.builder().device(dev).memrange(64).build().start();
        return new Remains(mmap.toString(), mmap.segment(), mmap.region(dev));
    }

    private static void forgetInventory() {
        assertThat(BufInventory.create(77).count()).isEqualTo(77);
    }

    private static void forgetDevice(DocaDevInfo info) {
        assertThat(DocaDev.open(info).info()).isEqualTo(info);
    }

    private List<String> messages() {
        return records.stream().map(LogRecord::getMessage).toList();
    }

    private static void awaitLeaks(long count) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (Leak.count() < count) {
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
