package dev.outboard.ccip.fiu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.platform.MemoryModel;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.platform.ResponseFormat;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Takes the steps of the memory path one by one. In its list of steps, those that leave a pool
/// come first, then responses of Tx C1, then memory and responses to reads of each channel.
class OrderingMachineTest {
    private static final int X = 0;
    private static final int Y = 1;

    private final MemorySegment memory = Arena.ofAuto().allocate(4096, 4096);
    private final List<String> log = new ArrayList<>();
    private final OrderingMachine machine = machine(Profile.INTEGRATED, ResponseFormat.UNPACKED);

    private OrderingMachine machine(Profile profile, ResponseFormat format) {
        return new OrderingMachine(
                profile,
                MemoryModel.MANUAL,
                format,
                memory,
                new OrderingMachine.Responses() {
                    @Override
                    public void read(int mdata, int lineNumber, long[] data) {
                        log.add("read " + mdata + "." + lineNumber + "=" + data[0]);
                    }

                    @Override
                    public void answered(int mdata, int lines) {
                        log.add("answered " + mdata + " " + lines);
                    }

                    @Override
                    public void interruptAnswered(int id) {
                        log.add("interrupt answered " + id);
                    }

                    @Override
                    public void interrupt(int id) {
                        log.add("interrupt " + id);
                    }
                });
    }

    private long value(int line) {
        return memory.get(ValueLayout.JAVA_LONG, line * 64L);
    }

    private void takeAll() {
        while (machine.choices() > 0) {
            machine.take(0);
        }
    }

    @Test
    @Requirement({"CCIP-ORM-1", "CCIP-ORM-3", "CCIP-ORM-5", "CCIP-ORD-10"})
    void aWriteIsAnsweredFromItsCommitOnAndVisibleWhenItReachesMemory() {
        machine.write(VirtualChannel.VH0, X, 1, 7, 5);
        assertThat(machine.choices()).as("it may be committed, nothing else").isEqualTo(1);
        machine.take(0);
        assertThat(value(X)).isZero();
        assertThat(machine.choices()).as("its response, or memory").isEqualTo(2);
        machine.take(0);
        assertThat(log).containsExactly("answered 7 1");
        assertThat(value(X)).as("answered, and not yet visible").isZero();
        machine.take(0);
        assertThat(value(X)).isEqualTo(5);
        assertThat(machine.choices()).isZero();
    }

    @Test
    @Requirement({"CCIP-ORM-3", "CCIP-ORM-5"})
    void aWriteMayReachMemoryBeforeItsResponse() {
        machine.write(VirtualChannel.VH0, X, 1, 7, 5);
        machine.take(0);
        machine.take(1);
        assertThat(value(X)).isEqualTo(5);
        assertThat(log).isEmpty();
        machine.take(0);
        assertThat(log).containsExactly("answered 7 1");
    }

    @Test
    @Requirement({"CCIP-ORM-2", "CCIP-ORM-4", "CCIP-ORM-6", "CCIP-ORM-7"})
    void aReadTakesItsDataWhenItReachesMemoryAndBringsThemLater() {
        machine.read(VirtualChannel.VL0, X, 1, 3);
        machine.take(0);
        memory.set(ValueLayout.JAVA_LONG, 0, 1);
        machine.take(0);
        memory.set(ValueLayout.JAVA_LONG, 0, 2);
        assertThat(log).isEmpty();
        machine.take(0);
        assertThat(log).containsExactly("read 3.0=1");
    }

    @Test
    @Requirement({"CCIP-ORM-3", "CCIP-ORM-4", "CCIP-ORD-3"})
    void linesLeaveThePoolInAnyOrder() {
        machine.write(VirtualChannel.VH1, X, 1, 0, 1);
        machine.write(VirtualChannel.VH1, X, 1, 1, 2);
        machine.write(VirtualChannel.VH1, X, 1, 2, 3);
        assertThat(machine.choices()).isEqualTo(3);
        machine.take(1);
        machine.take(1);
        machine.take(0);
        takeAll();
        assertThat(value(X)).as("the first was the last").isEqualTo(1);
    }

    @Test
    @Requirement({"CCIP-ORM-5", "CCIP-ORM-6", "CCIP-ORD-11", "CCIP-ORD-12"})
    void aChannelCarriesReadsAndWritesToMemoryInOneOrder() {
        machine.write(VirtualChannel.VH1, X, 1, 0, 1);
        machine.take(0);
        machine.read(VirtualChannel.VH1, X, 1, 1);
        machine.write(VirtualChannel.VH1, X, 1, 2, 2);
        machine.take(0);
        machine.take(0);
        takeAll();
        assertThat(log).contains("read 1.0=1");
        assertThat(value(X)).isEqualTo(2);
    }

    @Test
    @Requirement({"CCIP-ORM-7", "CCIP-ORD-41"})
    void aChannelBringsDataInTheOrderInWhichTheyWereRead() {
        machine.read(VirtualChannel.VH0, X, 1, 0);
        machine.read(VirtualChannel.VH0, Y, 1, 1);
        machine.take(1);
        machine.take(0);
        takeAll();
        assertThat(log).containsExactly("read 1.0=0", "read 0.0=0");
    }

    @Test
    @Requirement({"CCIP-ORM-1", "CCIP-ORM-2", "CCIP-VC-2"})
    void theChannelOfEachRequestToVaIsAChoice() {
        machine.write(VirtualChannel.VA, X, 1, 0, 1);
        assertThat(machine.choices()).as("VL0, VH0 or VH1").isEqualTo(3);
        machine.take(2);
        machine.write(VirtualChannel.VA, X, 1, 1, 2);
        machine.take(0);
        machine.take(0);
        machine.take(0);
        assertThat(machine.choices()).as("two responses, two queues to memory").isEqualTo(4);
        machine.take(2);
        machine.take(2);
        assertThat(value(X)).as("VL0 carried the second, first").isEqualTo(1);
    }

    @Test
    @Requirement({"CCIP-ORM-8", "CCIP-ORD-23", "CCIP-ORD-25"})
    void aFenceOfAChannelHoldsWhatComesAfterItUntilItsWritesAreCommitted() {
        machine.write(VirtualChannel.VH0, X, 1, 0, 1);
        machine.write(VirtualChannel.VL0, X, 1, 1, 1);
        machine.fence(VirtualChannel.VH0, 2);
        machine.write(VirtualChannel.VH1, Y, 1, 3, 1);
        assertThat(machine.choices()).as("two writes before the fence").isEqualTo(2);
        machine.take(1);
        assertThat(machine.choices()).as("VL0 is not in its scope").isEqualTo(3);
        machine.take(0);
        assertThat(machine.choices())
                .as("Y, responses to both and to the fence, two queues to memory")
                .isEqualTo(6);
        assertThat(value(X)).as("committed means not in memory").isZero();
    }

    @Test
    @Requirement({"CCIP-ORM-9", "CCIP-ORD-24", "CCIP-ORD-20"})
    void aFenceOfAllChannelsHoldsWhatComesAfterItUntilAllWritesAreInMemory() {
        machine.write(VirtualChannel.VH0, X, 1, 0, 1);
        machine.write(VirtualChannel.VL0, Y, 1, 1, 1);
        machine.fence(VirtualChannel.VA, 2);
        machine.write(VirtualChannel.VH1, X, 1, 3, 9);
        machine.take(0);
        machine.take(0);
        machine.take(0);
        machine.take(0);
        assertThat(log).containsExactly("answered 0 1", "answered 1 1");
        machine.take(0);
        assertThat(machine.choices()).as("one write is not in memory").isEqualTo(1);
        machine.take(0);
        assertThat(value(X) + value(Y)).isEqualTo(2);
        assertThat(machine.choices()).as("the write behind, and the fence's response").isEqualTo(2);
    }

    @Test
    @Requirement({"CCIP-ORM-8", "CCIP-ORM-9", "CCIP-ORD-29"})
    void aFenceWithNothingBeforeItIsAnswered() {
        for (VirtualChannel scope : VirtualChannel.values()) {
            machine.fence(scope, scope.code());
        }
        takeAll();
        assertThat(log).hasSize(4);
    }

    @Test
    @Requirement({"CCIP-ORD-22", "CCIP-ORD-28"})
    void aFenceHoldsNoRead() {
        machine.write(VirtualChannel.VH0, X, 1, 0, 1);
        machine.fence(VirtualChannel.VA, 1);
        machine.read(VirtualChannel.VH0, X, 1, 2);
        machine.take(1);
        machine.take(1);
        machine.take(1);
        assertThat(log).containsExactly("read 2.0=0");
    }

    @Test
    @Requirement({"CCIP-ORM-10", "CCIP-ORD-21"})
    void interruptsWaitForFencesAndFencesForThem() {
        OrderingMachine pac = machine(Profile.PAC_A10, ResponseFormat.UNPACKED);
        pac.write(VirtualChannel.VH0, X, 1, 0, 1);
        pac.interrupt(0);
        pac.fence(VirtualChannel.VH0, 1);
        pac.interrupt(1);
        assertThat(pac.choices()).as("the write, the interrupt before the fence").isEqualTo(2);
        pac.take(1);
        assertThat(log).containsExactly("interrupt 0");
        assertThat(pac.choices()).as("the write, the response").isEqualTo(2);
        pac.take(0);
        pac.take(0);
        assertThat(log).containsExactly("interrupt 0", "interrupt 1");
    }

    @Test
    @Requirement("CCIP-MCL-14")
    void theLinesOfAWriteReachMemoryOneByOneInAnyOrder() {
        machine.write(VirtualChannel.VH0, 4, 4, 0, 8);
        assertThat(machine.choices()).isEqualTo(4);
        machine.take(3);
        machine.take(4);
        assertThat(value(7)).isEqualTo(8);
        assertThat(value(4) + value(5) + value(6)).isZero();
        machine.take(0);
        machine.take(4);
        assertThat(value(5)).isEqualTo(8);
        assertThat(value(4) + value(6)).isZero();
    }

    @Test
    void aPackedResponseComesAfterAllLinesAreCommitted() {
        OrderingMachine packed = machine(Profile.INTEGRATED, ResponseFormat.PACKED);
        packed.write(VirtualChannel.VH0, 4, 2, 6, 8);
        packed.take(0);
        packed.take(1);
        assertThat(packed.choices()).as("the second line").isEqualTo(1);
        packed.take(0);
        packed.take(0);
        assertThat(log).containsExactly("answered 6 2");
    }

    @Test
    void theSameStepsAfterAResetLeadToTheSameState() {
        SplittableRandom random = new SplittableRandom(1);
        Set<Long> digests = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            send();
            List<Integer> steps = new ArrayList<>();
            while (machine.choices() > 0 && steps.size() < 12) {
                steps.add(random.nextInt(machine.choices()));
                machine.take(steps.getLast());
            }
            long digest = machine.digest();
            digests.add(digest);
            machine.reset();
            send();
            steps.forEach(machine::take);
            assertThat(machine.digest()).isEqualTo(digest);
            machine.reset();
        }
        assertThat(digests).hasSizeGreaterThan(50);
    }

    private void send() {
        machine.write(VirtualChannel.VA, X, 2, 0, 1);
        machine.read(VirtualChannel.VH0, X, 2, 1);
        machine.fence(VirtualChannel.VA, 2);
        machine.write(VirtualChannel.VL0, X, 1, 3, 1);
        machine.read(VirtualChannel.VA, X, 1, 4);
    }
}
