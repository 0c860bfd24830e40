package dev.outboard.dpa.doca;

import static dev.outboard.dpa.doca.ContextFixture.assertQuiet;
import static dev.outboard.dpa.doca.ContextFixture.await;
import static dev.outboard.dpa.doca.ContextFixture.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.cc.Clang;
import dev.outboard.dpa.cc.Clang.Form;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.doca.dev.DocaDpaDevCompletion;
import dev.outboard.dpa.flexio.FlexioCq;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioQp;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpa.nic.layout.Syndrome;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Completion contexts, and what is posted to be told there.
class DpaCompletionTest {
    private static final int USER = 0x1234;

    static List<RunMode> modes() {
        return CheckedDevices.modes();
    }

    /// In Java and in C.
    static List<Form> forms() {
        return Clang.forms(ReactionsStub.APP, modes());
    }

    private static ContextFixture open(Form form) {
        return ContextFixture.open(form.mode(), form.app());
    }

    private static ContextFixture open(RunMode mode) {
        return ContextFixture.open(mode, ReactionsStub.APP);
    }

    private static DpaAddr emptyDesk(ContextFixture on) {
        return on.block(new long[Reactions.DESK_WORDS]);
    }

    private static void set(ContextFixture on, DpaAddr desk, int word, long value) {
        on.store(desk.plus(word), value);
    }

    private static long[] counts(ContextFixture on, DpaAddr desk) {
        return on.words(desk.plus(Reactions.ACTIVATIONS), 2);
    }

    private static DocaDpaAsyncOps asyncOps(ContextFixture on, DocaDpaCompletion told, int size) {
        return DocaDpaAsyncOps.create(on.dpa, size, USER).attach(told).start();
    }

    private static void post(ContextFixture on, DocaDpaAsyncOps asyncOps, SyncEvent event) {
        on.dpa.rpc(ReactionsStub.postsNe(asyncOps.handle(), event.handle(on.dpa), 1));
    }

    private static long next(ContextFixture on, DocaDpaCompletion completion) {
        return on.dpa.rpc(ReactionsStub.next(completion.handle()));
    }

    private static void acknowledge(ContextFixture on, DocaDpaCompletion completion, int count) {
        on.dpa.rpc(ReactionsStub.acknowledge(completion.handle(), count));
    }

    /// The event is never 1, so that what is posted is done at once.
    @ParameterizedTest
    @MethodSource("forms")
    @Requirement({"DPA-TH-1", "DPA-TH-2"})
    void withoutARequestThereIsNoFurtherActivation(Form form) {
        try (ContextFixture on = open(form);
                SyncEvent told = on.event();
                SyncEvent event = on.event()) {
            // Nobody else can know that it is asked for by somebody else.
            on.expect(Rule.UNARMED_RESCHEDULE);
            DpaAddr desk = emptyDesk(on);
            try (DocaDpaThread thread =
                            DocaDpaThread.create(on.dpa)
                                    .function(ReactionsStub.once, desk.value())
                                    .start();
                    DocaDpaCompletion completion =
                            DocaDpaCompletion.create(on.dpa, 8).thread(thread).start();
                    DocaDpaAsyncOps asyncOps = asyncOps(on, completion, 8)) {
                set(on, desk, Reactions.COMPLETION, completion.handle());
                set(on, desk, Reactions.TOLD, told.handle(on.dpa));
                thread.run();
                assertQuiet(told);
                post(on, asyncOps, event);
                await(told, 0);
                assertThat(counts(on, desk)).containsExactly(1, 1);
                for (int i = 0; i < 2; i++) {
                    post(on, asyncOps, event);
                    assertQuiet(told);
                }
                // Both have come before it is asked for the next one.
                on.dpa.rpc(ReactionsStub.request(completion.handle()));
                await(told, 1);
                assertThat(counts(on, desk)).containsExactly(2, 3);
                on.dpa.rpc(ReactionsStub.request(completion.handle()));
                assertQuiet(told);
                post(on, asyncOps, event);
                await(told, 2);
                assertThat(counts(on, desk)).containsExactly(3, 4);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("forms")
    @Requirement("DPA-TH-2")
    void aThreadThatAsksEachTimeMissesNoCompletion(Form form) {
        int count = 40;
        try (ContextFixture on = open(form);
                SyncEvent told = on.event();
                SyncEvent event = on.event()) {
            DpaAddr desk = emptyDesk(on);
            try (DocaDpaThread thread =
                            DocaDpaThread.create(on.dpa)
                                    .function(ReactionsStub.eachTime, desk.value())
                                    .start();
                    DocaDpaCompletion completion =
                            DocaDpaCompletion.create(on.dpa, 64).thread(thread).start();
                    DocaDpaAsyncOps asyncOps = asyncOps(on, completion, 64)) {
                set(on, desk, Reactions.COMPLETION, completion.handle());
                set(on, desk, Reactions.TOLD, told.handle(on.dpa));
                thread.run();
                on.dpa.launchUpdateAdd(
                        null,
                        0,
                        null,
                        0,
                        1,
                        ReactionsStub.postMany(asyncOps.handle(), event.handle(on.dpa), count));
                for (long activations = 0; counts(on, desk)[1] < count; activations++) {
                    await(told, activations);
                }
                assertThat(counts(on, desk)[0]).isBetween(1L, (long) count);
            }
        }
    }

    /// A queue of 5 holds 8, each of which can be looked at until all are acknowledged.
    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-TH-2")
    void elementsStayUntilTheyAreAcknowledged(RunMode mode) {
        try (ContextFixture on = open(mode);
                SyncEvent event = on.event();
                DocaDpaCompletion completion = DocaDpaCompletion.create(on.dpa, 5).start();
                DocaDpaAsyncOps asyncOps = asyncOps(on, completion, 5)) {
            int size = completion.queueSize();
            assertThat(size).isEqualTo(8);
            for (int round = 0; round < 3; round++) {
                assertThat(on.dpa.rpc(ReactionsStub.nextIfAny(completion.handle()))).isZero();
                List<Long> elements = new ArrayList<>();
                for (int i = 0; i < size; i++) {
                    post(on, asyncOps, event);
                    elements.add(next(on, completion));
                }
                assertThat(elements).doesNotHaveDuplicates();
                assertThat(on.dpa.rpc(ReactionsStub.nextIfAny(completion.handle()))).isZero();
                for (int i = 0; i < size; i++) {
                    long expected = ((long) USER << 16) | ((long) round * size + i);
                    assertThat(on.dpa.rpc(ReactionsStub.describe(elements.get(i))))
                            .isEqualTo(expected);
                }
                acknowledge(on, completion, 3);
                acknowledge(on, completion, size - 3);
            }
            post(on, asyncOps, event);
            next(on, completion);
            refused(DocaError.BAD_STATE, () -> acknowledge(on, completion, 2));
            assertThatThrownBy(() -> on.dpa.memAlloc(8)).hasMessageContaining("(code 77)");
        }
    }

    /// A queue pair that is connected with itself, and has receives.
    private static final class Pair {
        private static final int LOG_ENTRIES = 3;
        private static final int BUFFER = 64;

        private final ContextFixture on;
        private final DocaDpaCompletion completion;
        private final Lifecycle lifecycle;
        private DpaAddr buffers = new DpaAddr(0);
        private DpaAddr ring = new DpaAddr(0);
        private int queue;
        private int key;
        private int posted;

        Pair(ContextFixture on, DocaDpaCompletion completion) {
            this.on = on;
            this.completion = completion;
            lifecycle = new Lifecycle(on.dpa, "queue pair");
            lifecycle.start(this::make);
        }

        private void make(Holdings holdings) {
            int entries = 1 << LOG_ENTRIES;
            FlexioProcess process = holdings.loaded.process();
            FlexioCq told = completion.attach(on.dpa);
            buffers = holdings.zeros(entries * BUFFER);
            key =
                    holdings.keep(
                                    FlexioMkey.create(
                                            process,
                                            process.domain(),
                                            buffers,
                                            entries * BUFFER,
                                            Access.LOCAL_WRITE,
                                            Access.REMOTE_WRITE))
                            .number();
            ring = holdings.zeros(entries * SendEntry.BYTES);
            DpaAddr receives =
                    holdings.block(DataSegment.ring(entries, BUFFER, key, buffers.value(), BUFFER));
            DpaAddr producer = holdings.block(new byte[] {0, 0, 0, (byte) entries});
            FlexioQp pair =
                    holdings.keep(
                            FlexioQp.create(
                                    process,
                                    new FlexioQp.Attributes(
                                            new FlexioQp.Send(ring, LOG_ENTRIES, told),
                                            new FlexioQp.Receive(
                                                    receives, LOG_ENTRIES, producer, told),
                                            USER)));
            pair.connect(pair);
            queue = pair.number();
        }

        void send(int opcode, int with) {
            on.dpa.rpc(
                    ReactionsStub.send(ring.value(), queue, posted, opcode, buffers.value(), with));
            posted++;
        }

        /// The next completions by their types.
        Map<Integer, Long> elements(int count) {
            Map<Integer, Long> elements = new TreeMap<>();
            for (int i = 0; i < count; i++) {
                long element = next(on, completion);
                long described = on.dpa.rpc(ReactionsStub.describe(element));
                assertThat((described >>> 16) & 0xFFFF).isEqualTo(USER);
                elements.put((int) (described >>> 32), element);
            }
            return elements;
        }

        void close() {
            lifecycle.stop();
            completion.detach();
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-TH-2")
    void elementsTellWhatHasCome(RunMode mode) {
        try (ContextFixture on = open(mode);
                DocaDpaCompletion completion = DocaDpaCompletion.create(on.dpa, 16).start()) {
            Pair pair = new Pair(on, completion);
            pair.send(SendEntry.SEND, pair.key);
            Map<Integer, Long> sent = pair.elements(2);
            assertThat(sent)
                    .containsOnlyKeys(DocaDpaDevCompletion.SEND, DocaDpaDevCompletion.RECV_SEND);
            check(on, sent, DocaDpaDevCompletion.RECV_SEND, ReactionsStub::receivedBytes, 8);
            pair.send(SendEntry.SEND_IMMEDIATE, pair.key);
            Map<Integer, Long> immediate = pair.elements(2);
            check(on, immediate, DocaDpaDevCompletion.RECV_SEND_IMM, ReactionsStub::immediate, 1);
            pair.send(SendEntry.RDMA_WRITE_IMMEDIATE, pair.key);
            Map<Integer, Long> written = pair.elements(2);
            check(
                    on,
                    written,
                    DocaDpaDevCompletion.RECV_RDMA_WRITE_IMM,
                    ReactionsStub::immediate,
                    2);
            acknowledge(on, completion, 6);
            // The queue pair fails, and the 5 receives that are left with it.
            pair.send(SendEntry.RDMA_WRITE_IMMEDIATE, 0x77);
            Map<Integer, Long> failed = pair.elements(6);
            assertThat(failed)
                    .containsOnlyKeys(DocaDpaDevCompletion.SEND_ERR, DocaDpaDevCompletion.RECV_ERR);
            check(
                    on,
                    failed,
                    DocaDpaDevCompletion.SEND_ERR,
                    ReactionsStub::errorSyndrome,
                    Syndrome.REMOTE_ACCESS.code());
            refused(DocaError.IN_USE, completion::stop);
            pair.close();
        }
    }

    private static void check(
            ContextFixture on,
            Map<Integer, Long> elements,
            int type,
            LongFunction<DpaCall<DpaThread>> question,
            long answer) {
        assertThat(elements).containsKey(type);
        assertThat(on.dpa.rpc(question.apply(elements.get(type)))).isEqualTo(answer);
    }

    /// DPA-ERR-20: what is never acknowledged fills the queue, and that is all.
    @ParameterizedTest
    @MethodSource("modes")
    void aQueueThatNobodyAcknowledgesHarmsNobody(RunMode mode) {
        try (ContextFixture on = open(mode);
                SyncEvent event = on.event()) {
            // The first call makes what calls need.
            on.dpa.rpc(ReactionsStub.remembered());
            long before = on.heapBytes();
            try (DocaDpaCompletion completion = DocaDpaCompletion.create(on.dpa, 2).start();
                    DocaDpaAsyncOps asyncOps = asyncOps(on, completion, 8);
                    DocaDpaCompletion good = DocaDpaCompletion.create(on.dpa, 2).start();
                    DocaDpaAsyncOps others = asyncOps(on, good, 2)) {
                for (int i = 0; i < 5; i++) {
                    post(on, asyncOps, event);
                }
                next(on, completion);
                next(on, completion);
                post(on, others, event);
                next(on, good);
                assertThat(on.dpa.rpc(ReactionsStub.nextIfAny(completion.handle()))).isZero();
            }
            assertThat(on.heapBytes()).isEqualTo(before);
            assertThat(on.dpa.peekAtLastError()).isEqualTo(DocaError.SUCCESS);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-TH-2", "DPA-ERR-18", "DPA-ERR-19"})
    void aCompletionContextIsConfiguredThenStarted(RunMode mode) {
        try (ContextFixture on = open(mode);
                ContextFixture other = open(mode)) {
            for (int size : new int[] {0, -1, (1 << 15) + 1}) {
                refused(DocaError.INVALID_VALUE, () -> DocaDpaCompletion.create(on.dpa, size));
            }
            DocaDpaThread thread = DocaDpaThread.create(on.dpa).function(ReactionsStub.yields, 0);
            DocaDpaCompletion completion = DocaDpaCompletion.create(on.dpa, 1).thread(thread);
            DocaDpaAsyncOps asyncOps = DocaDpaAsyncOps.create(on.dpa, 1, 0);
            refused(DocaError.BAD_STATE, completion::handle);
            refused(DocaError.BAD_STATE, completion::start);
            refused(DocaError.BAD_STATE, asyncOps::start);
            asyncOps.attach(completion);
            refused(DocaError.BAD_STATE, asyncOps::start);
            refused(DocaError.BAD_STATE, asyncOps::handle);
            thread.start();
            completion.start();
            assertThat(completion.handle()).isNotZero();
            refused(DocaError.BAD_STATE, completion::start);
            refused(DocaError.BAD_STATE, () -> completion.thread(thread));
            refused(DocaError.IN_USE, thread::close);
            refused(
                    DocaError.INVALID_VALUE,
                    () -> DocaDpaAsyncOps.create(other.dpa, 1, 0).attach(completion).start());
            asyncOps.start();
            refused(DocaError.BAD_STATE, asyncOps::start);
            refused(DocaError.BAD_STATE, () -> asyncOps.attach(completion));
            refused(DocaError.IN_USE, completion::stop);
            refused(DocaError.IN_USE, completion::close);
            refused(DocaError.IN_USE, on.dpa::stop);
            asyncOps.stop();
            asyncOps.stop();
            asyncOps.start();
            asyncOps.close();
            completion.stop();
            completion.start();
            completion.close();
            completion.close();
            thread.close();
            refused(DocaError.BAD_STATE, completion::start);
        }
    }

    @ParameterizedTest
    @MethodSource("forms")
    @Requirement("DPA-SE-10")
    void postedWaitsActivateAThread(Form form) {
        try (ContextFixture on = open(form)) {
            checkPostedWaits(on);
        }
    }

    @Test
    void soTheyDoWhereTheCardCarriesWhatQueuePairsSend() {
        try (ContextFixture on = ContextFixture.onFabric(ReactionsStub.APP)) {
            checkPostedWaits(on);
        }
    }

    private static void checkPostedWaits(ContextFixture on) {
        try (SyncEvent told = on.event();
                SyncEvent watched = on.event()) {
            DpaAddr desk = emptyDesk(on);
            try (DocaDpaThread thread =
                            DocaDpaThread.create(on.dpa)
                                    .function(ReactionsStub.follow, desk.value())
                                    .start();
                    DocaDpaNotification first = DocaDpaNotification.create(on.dpa, thread).start();
                    DocaDpaCompletion completion =
                            DocaDpaCompletion.create(on.dpa, 4).thread(thread).start();
                    DocaDpaAsyncOps asyncOps = asyncOps(on, completion, 4)) {
                set(on, desk, Reactions.COMPLETION, completion.handle());
                set(on, desk, Reactions.TOLD, told.handle(on.dpa));
                set(on, desk, Reactions.ASYNC_OPS, asyncOps.handle());
                set(on, desk, Reactions.WATCHED, watched.handle(on.dpa));
                thread.run();
                on.dpa.rpc(ReactionsStub.notifies(first.handle()));
                await(told, 0);
                for (int value = 1; value <= 20; value++) {
                    // It waits, and has no execution unit.
                    assertQuiet(told);
                    watched.updateAdd(1);
                    await(told, value);
                    assertThat(counts(on, desk)).containsExactly(value + 1L, value);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-SE-10")
    void postedWaitsCompareAsTheyAreCalled(RunMode mode) {
        try (ContextFixture on = open(mode);
                SyncEvent event = on.event();
                DocaDpaCompletion completion = DocaDpaCompletion.create(on.dpa, 4).start();
                DocaDpaAsyncOps asyncOps = asyncOps(on, completion, 4)) {
            long handle = event.handle(on.dpa);
            event.updateSet(253);
            on.dpa.rpc(ReactionsStub.postsGt(asyncOps.handle(), handle, 253));
            assertThat(on.dpa.rpc(ReactionsStub.nextIfAny(completion.handle()))).isZero();
            assertQuiet(event);
            assertThat(on.dpa.rpc(ReactionsStub.nextIfAny(completion.handle()))).isZero();
            event.updateSet(254);
            next(on, completion);
            on.dpa.rpc(ReactionsStub.postsNe(asyncOps.handle(), handle, 254));
            assertQuiet(event);
            assertThat(on.dpa.rpc(ReactionsStub.nextIfAny(completion.handle()))).isZero();
            event.updateSet(0);
            long element = next(on, completion);
            assertThat(on.dpa.rpc(ReactionsStub.describe(element)) >>> 32)
                    .isEqualTo(DocaDpaDevCompletion.SEND);
            acknowledge(on, completion, 2);
            on.dpa.rpc(ReactionsStub.postsGt(asyncOps.handle(), handle, 254));
            refused(
                    DocaError.BAD_STATE,
                    () -> on.dpa.rpc(ReactionsStub.postsNe(asyncOps.handle(), handle, 255)));
            assertThatThrownBy(() -> on.dpa.memAlloc(8)).hasMessageContaining("(code 78)");
        }
    }

    /// A wait that never ends holds up nobody who closes what it is posted to.
    @ParameterizedTest
    @MethodSource("modes")
    void whatIsPostedEndsWithItsContext(RunMode mode) {
        try (ContextFixture on = open(mode);
                SyncEvent event = on.event()) {
            long before = 0;
            for (int times = 0; times < 3; times++) {
                try (DocaDpaCompletion completion = DocaDpaCompletion.create(on.dpa, 4).start();
                        DocaDpaAsyncOps asyncOps = asyncOps(on, completion, 4)) {
                    on.dpa.rpc(
                            ReactionsStub.postsGt(
                                    asyncOps.handle(), event.handle(on.dpa), 7 + times));
                    assertThat(on.dpa.rpc(ReactionsStub.nextIfAny(completion.handle()))).isZero();
                }
                before = times == 0 ? on.heapBytes() : before;
                assertThat(on.heapBytes()).isEqualTo(before);
            }
        }
    }

    /// The event lets a wait end in the same moment in which all that is about it goes.
    @ParameterizedTest
    @MethodSource("modes")
    void whatGoesWhileItsCompletionComesHarmsNobody(RunMode mode) {
        try (ContextFixture on = open(mode);
                SyncEvent told = on.event();
                SyncEvent event = on.event()) {
            DpaAddr desk = emptyDesk(on);
            set(on, desk, Reactions.TOLD, told.handle(on.dpa));
            on.dpa.rpc(ReactionsStub.remembered());
            long before = on.heapBytes();
            for (int round = 0; round < 30; round++) {
                event.updateSet(0);
                DocaDpaThread thread =
                        DocaDpaThread.create(on.dpa)
                                .function(ReactionsStub.eachTime, desk.value())
                                .start();
                DocaDpaCompletion completion =
                        DocaDpaCompletion.create(on.dpa, 2).thread(thread).start();
                DocaDpaAsyncOps asyncOps = asyncOps(on, completion, 2);
                set(on, desk, Reactions.COMPLETION, completion.handle());
                thread.run();
                on.dpa.rpc(ReactionsStub.postsGt(asyncOps.handle(), event.handle(on.dpa), 0));
                event.updateSet(1);
                if (round % 3 > 0) {
                    on.letGoOn(round);
                }
                asyncOps.close();
                completion.close();
                thread.close();
                assertThat(on.dpa.peekAtLastError()).isEqualTo(DocaError.SUCCESS);
                assertThat(on.heapBytes()).isEqualTo(before);
            }
            assertThat(told.get()).isBetween(1L, 30L);
        }
    }
}
