package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.BufArray;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.rdma.RdmaConnection;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.doca.sync.SyncEventRemoteNet;
import dev.outboard.dpa.cc.Clang;
import dev.outboard.dpa.cc.Clang.Form;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// RDMA of kernels in the spellings of different releases, on memory of hosts.
class DpaRdmaSpellingTest {
    private static final int ELEMENTS = 4;
    private static final int ELEMENT_WORDS = 4;
    private static final int WORDS = ELEMENTS * ELEMENT_WORDS;
    private static final int ELEMENT_BYTES = ELEMENT_WORDS * Long.BYTES;

    static List<RunMode> modes() {
        return CheckedDevices.modes();
    }

    /// In Java and in C.
    static List<Form> forms() {
        return Clang.forms(SpellingsStub.APP, modes());
    }

    /// Two ends of a connection of one context: ours with words that count up from 100, and theirs
    /// with words from 200, an event, and completions.
    private static final class Ends implements AutoCloseable {
        private final MovesSide side;
        private final Mmap ours;
        private final Mmap theirs;
        private final DocaDpaCompletion completions;
        private final Rdma rdma;
        private final Rdma peer;
        private final SyncEvent event;
        private final SyncEventRemoteNet told;
        private final RemoteMmap remote;
        private final BufArray own;
        private final BufArray others;
        private final BufArray inverse;

        Ends(RunMode mode) {
            this(new Form(mode, SpellingsStub.APP));
        }

        Ends(Form form) {
            side = new MovesSide(form.mode(), form.app());
            ours = words(100);
            theirs = words(200);
            completions = DocaDpaCompletion.create(side.dpa, 16).start();
            rdma = rdma();
            peer = rdma().completions(completions);
            rdma.start();
            peer.start();
            RdmaConnection connection = rdma.export();
            RdmaConnection back = peer.export();
            connection.connect(back.details());
            back.connect(connection.details());
            event =
                    new SyncEvent(side.dev)
                            .publisher(Location.REMOTE_NET)
                            .subscriber(side.dpa)
                            .subscriber(Location.CPU)
                            .start();
            told = SyncEventRemoteNet.fromExport(side.dev, event.exportToRemoteNet());
            own = array().params(ours, ELEMENT_BYTES, 0).targetDpa(side.dpa).start();
            inverse = array().params(theirs, ELEMENT_BYTES, 0).targetDpa(side.dpa).start();
            remote = RemoteMmap.fromExport(side.dev, theirs.exportRdma(side.dev));
            others = array().params(remote, ELEMENT_BYTES, 0).targetDpa(side.dpa).start();
        }

        private static BufArray array() {
            return BufArray.create(ELEMENTS);
        }

        private Rdma rdma() {
            return new Rdma(side.dev)
                    .datapathOnDpa(side.dpa)
                    .permissions(
                            AccessFlag.RDMA_WRITE, AccessFlag.RDMA_READ, AccessFlag.RDMA_ATOMIC);
        }

        private Mmap words(long from) {
            Mmap made =
                    Mmap.builder()
                            .device(side.dev)
                            .memrange((long) WORDS * Long.BYTES)
                            .permissions(
                                    AccessFlag.LOCAL_READ_WRITE,
                                    AccessFlag.RDMA_WRITE,
                                    AccessFlag.RDMA_READ,
                                    AccessFlag.RDMA_ATOMIC)
                            .build()
                            .start();
            for (int i = 0; i < WORDS; i++) {
                made.segment().setAtIndex(ValueLayout.JAVA_LONG, i, from + i);
            }
            return made;
        }

        /// An element of an mmap, as it is now.
        private long[] element(Mmap mmap, int index) {
            int first = index * ELEMENT_WORDS;
            return Arrays.copyOfRange(side.words(mmap), first, first + ELEMENT_WORDS);
        }

        @Override
        public void close() {
            event.stop();
            List.of(own, inverse, others).forEach(BufArray::close);
            for (Rdma each : List.of(rdma, peer)) {
                each.stop();
                each.close();
            }
            completions.close();
            remote.close();
            event.close();
            ours.close();
            theirs.close();
            side.close();
        }
    }

    @ParameterizedTest
    @MethodSource("forms")
    @Requirement({"DPA-RD-8", "DPA-RD-10"})
    void asTheSeedSpellsIt(Form form) {
        try (Ends ends = new Ends(form)) {
            ends.side.dpa.rpc(
                    SpellingsStub.seed(
                            ends.rdma.dpaHandle(),
                            ends.others.dpaHandle(),
                            ends.own.dpaHandle(),
                            24,
                            ends.told.handle(ends.side.dpa)));
            assertThat(ends.element(ends.theirs, 0)).containsExactly(100, 101, 102, 203);
            assertThat(ends.event.get()).isEqualTo(1);
            assertThat(ends.side.findings()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("forms")
    @Requirement({"DPA-RD-8", "DPA-RD-10"})
    void withOffsets(Form form) {
        try (Ends ends = new Ends(form)) {
            ends.side.dpa.rpc(
                    SpellingsStub.offsets(
                            ends.rdma.dpaHandle(),
                            ends.others.dpaHandle(),
                            ends.own.dpaHandle(),
                            ends.told.handle(ends.side.dpa)));
            assertThat(ends.element(ends.theirs, 1)).containsExactly(204, 1205, 105, 207);
            assertThat(ends.element(ends.ours, 1)).containsExactly(207, 105, 106, 107);
            assertThat(ends.event.get()).isEqualTo(4);
            assertThat(ends.side.findings()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("forms")
    @Requirement("DPA-RD-8")
    void elementsAsAWhole(Form form) {
        try (Ends ends = new Ends(form)) {
            ends.side.dpa.rpc(
                    SpellingsStub.later(
                            ends.rdma.dpaHandle(), ends.others.dpaHandle(), ends.own.dpaHandle()));
            assertThat(ends.element(ends.theirs, 2)).containsExactly(115, 109, 110, 111);
            assertThat(ends.element(ends.ours, 3)).containsExactly(115, 109, 110, 111);
            assertThat(ends.side.findings()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("forms")
    @Requirement("DPA-RD-8")
    void messages(Form form) {
        try (Ends ends = new Ends(form)) {
            ends.side.dpa.rpc(
                    SpellingsStub.receive(ends.peer.dpaHandle(), ends.inverse.dpaHandle()));
            ends.side.dpa.rpc(
                    SpellingsStub.send(
                            ends.rdma.dpaHandle(), ends.others.dpaHandle(), ends.own.dpaHandle()));
            long told = ends.side.dpa.rpc(SpellingsStub.received(ends.completions.handle()));
            assertThat(told).isEqualTo(0x0056);
            assertThat(ends.element(ends.theirs, 0)).containsExactly(200, 110, 202, 203);
            assertThat(ends.element(ends.theirs, 1)).containsExactly(108, 109, 110, 111);
            assertThat(ends.element(ends.theirs, 2)).containsExactly(112, 113, 114, 115);
            assertThat(ends.element(ends.theirs, 3)).containsExactly(108, 109, 110, 111);
            assertThat(ends.side.findings()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-RD-8", "DPA-DM-6"})
    void memoryOfAPeerIsWhatIsRemote(RunMode mode) {
        try (Ends ends = new Ends(mode)) {
            long own = ends.own.dpaHandle();
            long others = ends.others.dpaHandle();
            assertThat(ends.side.dpa.rpc(SpellingsStub.load(own))).isEqualTo(100);
            ends.side.faults(
                    () -> ends.side.dpa.rpc(SpellingsStub.load(others)),
                    80,
                    "array 0x%x, element 0: it lies in memory of a peer".formatted(others));
        }
        refused(mode, true, 0, true, 80, "element 0: it lies in memory of a peer");
        refused(mode, false, 0, false, 80, "element 0: it lies in memory of this host");
        refused(mode, true, 32, false, 83, "element 0 of 32 bytes, offset 32: 8 bytes");
    }

    /// @param toPeer whether the target is memory of the peer
    /// @param fromPeer whether the source is
    private static void refused(
            RunMode mode, boolean toPeer, long offset, boolean fromPeer, int code, String why) {
        try (Ends ends = new Ends(mode)) {
            long to = (toPeer ? ends.others : ends.own).dpaHandle();
            long from = (fromPeer ? ends.others : ends.own).dpaHandle();
            long rdma = ends.rdma.dpaHandle();
            ends.side.faults(
                    () -> ends.side.dpa.rpc(SpellingsStub.write(rdma, to, offset, from)),
                    code,
                    why);
        }
    }
}
