package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Space;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What device calls of DOCA DPA do beside what they are called for.
class CallFencesTest {
    /// What the threads of kernels do, call by call. A store to a word begins the next one.
    private static final class Operations implements Observer {
        private final List<List<String>> calls = new ArrayList<>();
        private int thread = -1;
        private long word = -1;

        @Override
        public void actor(int actor, ActorKind kind, String name) {
            if (name.equals("kernel thread 0")) {
                thread = actor;
            }
        }

        private void note(int actor, String operation) {
            if (actor == thread && !calls.isEmpty()) {
                calls.getLast().add(operation);
            }
        }

        @Override
        public void load(int actor, long address, int lengthBytes, int site) {
            note(actor, AddressMap.isWindow(address) ? "load of the event" : "load");
        }

        @Override
        public void store(int actor, long address, int lengthBytes, int site) {
            if (actor == thread && address == word) {
                calls.add(new ArrayList<>());
            }
        }

        @Override
        public void announce(
                int actor, Announcement announcement, long token, long address, int site) {
            note(actor, "doorbell");
        }

        @Override
        public void fence(int actor, Space space, Op predecessors, Op successors, int site) {
            note(actor, "fence " + space);
        }

        @Override
        public void memoryWriteback(int actor, int site) {
            note(actor, "memory writeback");
        }

        @Override
        public void windowWriteback(int actor, int site) {
            note(actor, "window writeback");
        }

        @Override
        public void windowReadInv(int actor, int site) {
            note(actor, "read invalidation");
        }
    }

    @Test
    @Requirement({"DPA-OPM-13a", "DPA-OPM-13b"})
    void callsThatSignalReleaseBeforeAndCallsThatWaitAcquireAfter() {
        Operations operations = new Operations();
        try (ContextFixture on = ContextFixture.watched(operations, ReactionsStub.APP);
                SyncEvent event = on.event();
                SyncEvent told = on.event()) {
            long[] desk = new long[Reactions.DESK_WORDS];
            desk[Reactions.TOLD / Long.BYTES] = told.handle(on.dpa);
            try (DocaDpaThread thread =
                            DocaDpaThread.create(on.dpa)
                                    .function(ReactionsStub.pass, on.block(desk).value())
                                    .start();
                    DocaDpaNotification notification =
                            DocaDpaNotification.create(on.dpa, thread).start();
                    DocaDpaCompletion completion = DocaDpaCompletion.create(on.dpa, 2).start();
                    DocaDpaAsyncOps asyncOps =
                            DocaDpaAsyncOps.create(on.dpa, 2, 0).attach(completion).start()) {
                thread.run();
                on.dpa.rpc(ReactionsStub.postsNe(asyncOps.handle(), event.handle(on.dpa), 9));
                DpaAddr word = on.block(0);
                operations.word = word.value();
                on.dpa.rpc(
                        ReactionsStub.signalsAndWaits(
                                word,
                                event.handle(on.dpa),
                                notification.handle(),
                                completion.handle()));
            }
        }
        assertThat(operations.calls).hasSize(7);
        for (List<String> signal : operations.calls.subList(0, 3)) {
            assertThat(signal.stream().filter(one -> !one.equals("load")))
                    .startsWith("memory writeback", "window writeback", "fence SYSTEM")
                    .containsOnlyOnce("doorbell");
        }
        for (List<String> wait : operations.calls.subList(3, 5)) {
            assertReadAfter(wait, "load of the event");
        }
        assertReadAfter(operations.calls.get(5), "load");
    }

    /// What the thread reads after it has seen what it waited for is read anew.
    private static void assertReadAfter(List<String> wait, String look) {
        assertThat(wait).contains(look);
        assertThat(wait.lastIndexOf("read invalidation")).isGreaterThan(wait.lastIndexOf(look));
    }
}
