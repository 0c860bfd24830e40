package dev.outboard.dpa.nic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.nic.NicFixture.Setting;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpa.nic.layout.Syndrome;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// What queue pairs do with bad requests.
class QueueErrorTest {
    private static final String MODES = "dev.outboard.dpa.nic.NicFixture#settings";

    private final List<Endpoint.Taken> near = new ArrayList<>();
    private final List<Endpoint.Taken> far = new ArrayList<>();
    private NicFixture fixture = new NicFixture(RunMode.fast());
    private long heap;
    private MemoryKey readOnly = new MemoryKey(0, 0, 0, Set.of(), Optional.empty());
    private MemoryKey writable = readOnly;

    @BeforeEach
    void open() {
        open(new Setting(RunMode.fast(), Optional.empty()));
    }

    private void open(Setting setting) {
        fixture = new NicFixture(setting);
        heap = fixture.allocate(128);
        readOnly = fixture.nic.register(heap, 64);
        writable = fixture.nic.register(heap + 64, 64, Access.LOCAL_WRITE);
    }

    /// One mistake each; the receiver has a buffer of 16 bytes.
    enum Mistake {
        INDEX(Syndrome.LOCAL_QUEUE_PAIR_OPERATION) {
            @Override
            void post(DpaThread thread, Endpoint end, QueueErrorTest test) {
                SendEntry.writeControl(
                        thread, end.segment(0), 1, SendEntry.SEND, end.pair.number(), 1, 2);
            }
        },
        QUEUE_NUMBER(Syndrome.LOCAL_QUEUE_PAIR_OPERATION) {
            @Override
            void post(DpaThread thread, Endpoint end, QueueErrorTest test) {
                SendEntry.writeControl(
                        thread, end.segment(0), 0, SendEntry.SEND, end.pair.number() + 2, 1, 2);
            }
        },
        OPCODE(Syndrome.LOCAL_QUEUE_PAIR_OPERATION) {
            @Override
            void post(DpaThread thread, Endpoint end, QueueErrorTest test) {
                end.control(thread, 0x33, 1);
            }
        },
        SIZE(Syndrome.LOCAL_QUEUE_PAIR_OPERATION) {
            @Override
            void post(DpaThread thread, Endpoint end, QueueErrorTest test) {
                end.control(thread, SendEntry.SEND, 5);
            }
        },
        LOCAL_KEY(Syndrome.LOCAL_PROTECTION) {
            @Override
            void post(DpaThread thread, Endpoint end, QueueErrorTest test) {
                end.control(thread, SendEntry.SEND, 2);
                int key = test.readOnly.number() + 1;
                DataSegment.write(thread, end.segment(1), 8, key, test.heap);
            }
        },
        LOCAL_RANGE(Syndrome.LOCAL_PROTECTION) {
            @Override
            void post(DpaThread thread, Endpoint end, QueueErrorTest test) {
                end.control(thread, SendEntry.SEND, 2);
                int key = test.readOnly.number();
                DataSegment.write(thread, end.segment(1), 16, key, test.heap + 56);
            }
        },
        LENGTH(Syndrome.LOCAL_LENGTH) {
            @Override
            void post(DpaThread thread, Endpoint end, QueueErrorTest test) {
                end.control(thread, SendEntry.SEND, 2);
                int length = NicFixture.MAX_MESSAGE_BYTES + 1;
                DataSegment.write(thread, end.segment(1), length, 0, test.heap);
            }
        },
        READ_INTO_READ_ONLY(Syndrome.LOCAL_PROTECTION) {
            @Override
            void post(DpaThread thread, Endpoint end, QueueErrorTest test) {
                remote(thread, end, SendEntry.RDMA_READ, test.readOnly, test);
            }
        },
        REMOTE_KEY(Syndrome.REMOTE_ACCESS) {
            @Override
            void post(DpaThread thread, Endpoint end, QueueErrorTest test) {
                remote(thread, end, SendEntry.RDMA_WRITE, test.readOnly, test);
            }
        },
        REMOTE_READ_KEY(Syndrome.REMOTE_ACCESS) {
            @Override
            void post(DpaThread thread, Endpoint end, QueueErrorTest test) {
                end.control(thread, SendEntry.RDMA_READ, 3);
                SendEntry.writeRemote(thread, end.segment(1), test.heap, test.readOnly.number());
                int key = test.writable.number();
                DataSegment.write(thread, end.segment(2), 8, key, test.heap + 64);
            }
        },
        TOO_LONG_FOR_THE_RECEIVER(Syndrome.REMOTE_INVALID_REQUEST) {
            @Override
            void post(DpaThread thread, Endpoint end, QueueErrorTest test) {
                end.control(thread, SendEntry.SEND, 2);
                int key = test.readOnly.number();
                DataSegment.write(thread, end.segment(1), 17, key, test.heap);
            }
        };

        private final Syndrome expected;

        Mistake(Syndrome expected) {
            this.expected = expected;
        }

        private static void remote(
                DpaThread thread, Endpoint end, int opcode, MemoryKey key, QueueErrorTest test) {
            end.control(thread, opcode, 3);
            SendEntry.writeRemote(thread, end.segment(1), test.heap + 64, test.readOnly.number());
            DataSegment.write(thread, end.segment(2), 8, key.number(), test.heap);
        }

        abstract void post(DpaThread thread, Endpoint end, QueueErrorTest test);
    }

    /// The failed entry, and then all that is posted on both sides.
    @ParameterizedTest
    @EnumSource(Mistake.class)
    @Requirement({"DPA-FXQ-9", "DPA-ERR-21"})
    void aBadEntryCompletesWithItsSyndromeAndEndsTheQueue(Mistake mistake) {
        byte[] before = {1, 2, 3, 4, 5, 6, 7, 8};
        fixture.process.write(heap, before);
        fixture.run(ends -> {
            DpaThread thread = ends.thread();
            ends.near().receive(thread, writable, heap + 96, 32);
            ends.near().receive(thread, writable, heap + 96, 32);
            ends.far().receive(thread, writable, heap + 64, 16);
            mistake.post(thread, ends.near(), this);
            ends.near().ring(thread, 1);
            for (int i = 0; i < 3; i++) {
                near.add(ends.near().take(thread));
            }
            // What is posted from now on is flushed as well.
            ends.near().receive(thread, writable, heap + 96, 32);
            ends.near().control(thread, SendEntry.NOP, 1);
            ends.near().ring(thread, 1);
            for (int i = 0; i < 2; i++) {
                near.add(ends.near().take(thread));
            }
        });
        assertThat(near)
                .containsExactlyInAnyOrder(
                        error(CompletionEntry.REQUEST_ERROR, mistake.expected, 0),
                        error(CompletionEntry.RECEIVE_ERROR, Syndrome.FLUSHED, 0),
                        error(CompletionEntry.RECEIVE_ERROR, Syndrome.FLUSHED, 1),
                        error(CompletionEntry.RECEIVE_ERROR, Syndrome.FLUSHED, 2),
                        error(CompletionEntry.REQUEST_ERROR, Syndrome.FLUSHED, 1));
        assertThat(near.getFirst().syndrome()).isEqualTo(mistake.expected.code());
        assertThat(fixture.process.read(heap, 8)).isEqualTo(before);
        assertThat(fixture.process.read(heap + 8, 120)).containsOnly(0);
        assertThat(fixture.events)
                .filteredOn(event -> event.kind() == AsyncEvent.Kind.QUEUE_PAIR_ERROR)
                .hasSize(mistake.expected.name().startsWith("REMOTE") ? 2 : 1);
    }

    private static Endpoint.Taken error(int opcode, Syndrome syndrome, int counter) {
        return new Endpoint.Taken(opcode, syndrome.code(), counter, 0, 0);
    }

    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement("DPA-FXQ-9")
    void theReceiverFailsIfItsEntryIsBad(Setting setting) {
        open(setting);
        fixture.run(ends -> {
            DpaThread thread = ends.thread();
            ends.far().receive(thread, readOnly, heap, 16);
            ends.far().receive(thread, writable, heap + 64, 16);
            ends.near().send(thread, readOnly, heap + 8, 8);
            near.add(ends.near().take(thread));
            far.add(ends.far().take(thread));
            far.add(ends.far().take(thread));
        });
        assertThat(near)
                .containsExactly(
                        error(CompletionEntry.REQUEST_ERROR, Syndrome.REMOTE_OPERATION, 0));
        assertThat(far)
                .containsExactly(
                        error(CompletionEntry.RECEIVE_ERROR, Syndrome.LOCAL_PROTECTION, 0),
                        error(CompletionEntry.RECEIVE_ERROR, Syndrome.FLUSHED, 1));
    }

    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement("DPA-FXQ-9")
    void aDeadPeerDoesNotAnswer(Setting setting) {
        open(setting);
        fixture.run(ends -> {
            DpaThread thread = ends.thread();
            ends.far().control(thread, 0x33, 1);
            ends.far().ring(thread, 1);
            far.add(ends.far().take(thread));
            ends.near().send(thread, readOnly, heap, 8);
            near.add(ends.near().take(thread));
        });
        assertThat(near)
                .containsExactly(
                        error(CompletionEntry.REQUEST_ERROR, Syndrome.TRANSPORT_RETRY_EXCEEDED, 0));
    }

    /// Doorbells for a number that no queue has, for a completion queue as a send queue, and for a
    /// queue pair as a completion queue.
    @ParameterizedTest
    @MethodSource(MODES)
    void doorbellsForOtherQueuesAreDroppedAndCounted(Setting setting) {
        open(setting);
        int[] numbers = new int[2];
        fixture.run(ends -> {
            DpaThread thread = ends.thread();
            numbers[0] = ends.near().completions.number();
            numbers[1] = ends.near().pair.number();
            long send = AddressMap.OUTBOX + AddressMap.SEND_DOORBELL;
            thread.store64(send, Doorbell.send(0xABCDEF, 1));
            thread.store64(send, Doorbell.send(numbers[0], 1));
            thread.store64(
                    AddressMap.OUTBOX + AddressMap.ARM_DOORBELL, Doorbell.arm(numbers[1], 1));
            ends.near().control(thread, SendEntry.NOP, 1);
            ends.near().ring(thread, 1);
            near.add(ends.near().take(thread));
        });
        assertThat(near.getFirst().syndrome()).isZero();
        assertThat(fixture.nic.counters().foreignDoorbells()).isEqualTo(3);
        assertThat(fixture.events)
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(new int[] {0xABCDEF, numbers[0], numbers[1]})
                                .mapToObj(number ->
                                        new AsyncEvent(AsyncEvent.Kind.FOREIGN_DOORBELL, number))
                                .toList());
    }
}
