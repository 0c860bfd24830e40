package dev.outboard.doca;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.outboard.testkit.Requirement;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Once it is warm, getting, changing and returning buffers allocates nothing.
class BufAllocationTest {
    private static final int BUFFERS = 100_000;

    /// At most: the compiler gets to it late on a busy machine.
    private static final int ROUNDS = 50;

    /// What the measurement itself may cost in a round.
    private static final long SLACK_BYTES = 4096;

    private static ExportedMemory memory;
    private static Mmap mmap;
    private static RemoteMmap remote;

    private static final Buf[] BUFS = new Buf[1];
    private static final RemoteBuf[] REMOTE_BUFS = new RemoteBuf[1];

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @BeforeAll
    static void makeMemory() {
        memory = ExportedMemory.of(4096);
        mmap = memory.mmap();
        remote = memory.remote();
    }

    @AfterAll
    static void close() {
        memory.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement({"DCORE-INV-8", "DJAVA-API-5"})
    void gettingAndReturningBuffersAllocatesNothing(boolean shared) {
        try (BufInventory inventory =
                (shared ? BufInventory.createShared(4) : BufInventory.create(4)).start()) {
            long least = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS && least >= SLACK_BYTES; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < BUFFERS; i++) {
                    use(inventory);
                }
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertThat(least).as("bytes per %d rounds", BUFFERS).isLessThan(SLACK_BYTES);
        }
    }

    private static void use(BufInventory inventory) {
        Buf one = inventory.byAddress(mmap, 64, 128);
        Buf two = inventory.tryByArgs(mmap, 256, 64, 260, 4);
        RemoteBuf far = inventory.byData(remote, 8, 8);
        Buf copy = inventory.dup(one);
        boolean refused =
                inventory.tryByArgs(mmap, 0, 1, 0, 0) == null
                        && inventory.tryByArgs(mmap, 0, 1, 0, 0, BUFS) == DocaError.NO_MEMORY
                        && inventory.tryByArgs(mmap, 0, -1, 0, 0, BUFS) == DocaError.INVALID_VALUE
                        && inventory.tryByArgs(remote, 0, 1, 0, 0, REMOTE_BUFS)
                                == DocaError.NO_MEMORY;
        one.chain(two);
        one.dataLen(one.dataLen() + two.tailLen());
        one.retain();
        one.release();
        boolean registered = one.mmap().region(memory.dev()) != null;
        long sum = one.dataAddress() + far.tailAddress() + one.listLength();
        if (!refused || !registered || sum == 0) {
            throw new AssertionError("unexpected: " + one);
        }
        one.release();
        copy.release();
        far.release();
    }
}
