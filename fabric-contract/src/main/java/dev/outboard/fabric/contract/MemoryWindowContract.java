package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.MemoryWindow;
import dev.outboard.fabric.SendRequest;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Memory windows on every provider: the owner of memory lends a part of it to a peer, and takes it
/// back or has it given back (roce.md 3.11).
public abstract class MemoryWindowContract {
    private static final long OFFSET = 4096;
    private static final long LENGTH = 64;

    private VerbsEnd owner;
    private VerbsEnd peer;

    /// Opens a device that reaches, and is reached by, the other devices opened here.
    protected abstract Device open();

    @BeforeEach
    void connect() {
        owner = new VerbsEnd(open()).create();
        peer = new VerbsEnd(open()).create();
        VerbsEnd.connect(owner, peer);
    }

    @AfterEach
    void close() {
        owner.close();
        peer.close();
        owner.device().close();
        peer.device().close();
    }

    private MemoryWindow bound(MemoryWindow.Type type) {
        MemoryWindow window = owner.domain().allocateMemoryWindow(type);
        owner.post(
                new SendRequest()
                        .id(50)
                        .bind(window, owner.region(), OFFSET, LENGTH, Access.REMOTE_WRITE));
        Completion completion = owner.completion();
        assertThat(completion.status()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(completion.opcode()).isEqualTo(CompletionOpcode.BIND_MEMORY_WINDOW);
        return window;
    }

    private String write(long id, int key, long offset) {
        peer.post(peer.message(id).write(owner.region().address() + offset, key));
        return peer.status();
    }

    @ParameterizedTest
    @EnumSource
    @Requirement("ROCE-MR-3")
    void thePeerWritesThroughAWindowAndNowhereElse(MemoryWindow.Type type) {
        try (MemoryWindow window = bound(type)) {
            assertThat(window.type()).isEqualTo(type);
            assertThat(write(7, window.remoteKey(), OFFSET + 8)).isEqualTo("7 SUCCESS");
            assertThat(owner.region().segment().get(ValueLayout.JAVA_LONG, OFFSET + 8))
                    .isEqualTo(7);
            assertThat(write(8, window.remoteKey(), OFFSET + LENGTH))
                    .isEqualTo("8 REMOTE_ACCESS_ERROR");
        }
    }

    @Test
    @Requirement({"ROCE-MR-3", "ROCE-RC-24"})
    void thePeerGivesAWindowBackWithItsMessage() {
        try (MemoryWindow window = bound(MemoryWindow.Type.TYPE_2B)) {
            int key = window.remoteKey();
            owner.postReceive(3);
            assertThat(write(1, key, OFFSET)).isEqualTo("1 SUCCESS");
            peer.post(peer.message(2).sendWithInvalidate(key));
            assertThat(peer.status()).isEqualTo("2 SUCCESS");

            Completion message = owner.completion();
            assertThat(message.id()).isEqualTo(3);
            assertThat(message.hasInvalidatedKey()).isTrue();
            assertThat(message.invalidatedKey()).isEqualTo(key);
            assertThat(write(4, key, OFFSET)).isEqualTo("4 REMOTE_ACCESS_ERROR");
        }
    }

    @Test
    @Requirement("ROCE-MR-3")
    void theOwnerTakesAWindowBack() {
        try (MemoryWindow window = bound(MemoryWindow.Type.TYPE_2B)) {
            owner.post(new SendRequest().id(1).localInvalidate(window.remoteKey()));
            assertThat(owner.status()).isEqualTo("1 SUCCESS");
            assertThat(write(2, window.remoteKey(), OFFSET)).isEqualTo("2 REMOTE_ACCESS_ERROR");
        }
    }

    @Test
    @Requirement("ROCE-MR-3")
    void memoryThatIsLentCannotBeDeregistered() {
        MemoryWindow window = bound(MemoryWindow.Type.TYPE_1);
        QueuePairContract.assertInUse(owner.region(), "1 memory windows");
        QueuePairContract.assertInUse(owner.domain(), "1 memory windows");
        assertThat(write(1, window.remoteKey(), OFFSET)).isEqualTo("1 SUCCESS");
        window.close();
        owner.region().close();
    }

    @Test
    @Requirement("ROCE-MR-3")
    void closingTheQueuePairEndsWhatItHadLent() {
        MemoryWindow window = bound(MemoryWindow.Type.TYPE_2B);
        owner.queuePair().close();
        owner.region().close();
        window.close();
    }
}
