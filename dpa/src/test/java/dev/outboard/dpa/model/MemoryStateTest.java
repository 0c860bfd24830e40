package dev.outboard.dpa.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.Space;
import dev.outboard.testkit.Requirement;
import org.junit.jupiter.api.Test;

class MemoryStateTest {
    private static final int X = 0;
    private static final int Y = 8;

    /// Two granules of the heap; two granules of external memory, in lines of their own.
    private static MemoryState state(Profile profile) {
        Layout layout = new Layout(2, 2, false);
        for (int i = 0; i < 2; i++) {
            layout.addMemory(true);
            layout.addExternal(i);
        }
        return new MemoryState(layout, profile, new long[2], new long[2]);
    }

    private final MemoryState state = state(Profile.SEED);

    @Test
    @Requirement("DPA-OPM-1")
    void anIssuedStoreIsSeenByItsThreadAlone() {
        state.store(0, X, 8, 7);
        state.storeWindow(0, Y, 8, 9, false);
        state.ring(0, 0x100, 1);
        assertThat(state.load(0, X, 8)).isEqualTo(7);
        assertThat(state.loadWindow(0, Y, 8, false)).isEqualTo(9);
        assertThat(state.load(1, X, 8)).isZero();
        assertThat(state.nicRead(X, 8)).isZero();
        assertThat(state.externalRead(Y, 8)).isZero();
        assertThat(state.arrivals().total()).isZero();
        assertThat(state.thread(0).pending()).hasSize(3);
    }

    @Test
    @Requirement("DPA-OPM-2")
    void aPerformedStoreIsSeenWhereItGoes() {
        state.store(0, X, 8, 7);
        state.storeWindow(0, Y, 8, 9, false);
        state.ring(0, 0x100, 1);
        state.perform(0, 2);
        assertThat(state.arrivals().counts()).containsExactly(0, 1);
        state.perform(0, 1);
        assertThat(state.externalRead(Y, 8)).isEqualTo(9);
        state.perform(0, 0);
        assertThat(state.load(1, X, 8)).isEqualTo(7);
        assertThat(state.nicRead(X, 8)).isZero();
        assertThat(state.thread(0).pending()).isEmpty();
    }

    @Test
    @Requirement("DPA-OPM-2")
    void anOlderStoreToTheSameBytesOrRegisterComesFirst() {
        state.store(0, X, 4, 1);
        state.store(0, X + 4, 4, 2);
        state.store(0, X, 8, 3);
        state.ring(0, 0x100, 0);
        state.ring(0, 0x140, 0);
        state.ring(0, 0x100, 1);
        ThreadMemory thread = state.thread(0);
        assertThat(thread.isPerformable(0)).isTrue();
        assertThat(thread.isPerformable(1)).isTrue();
        assertThat(thread.isPerformable(2)).isFalse();
        assertThat(thread.isPerformable(3)).isTrue();
        assertThat(thread.isPerformable(4)).isTrue();
        assertThat(thread.isPerformable(5)).isFalse();
    }

    @Test
    @Requirement("DPA-OPM-2")
    void aPerformedWindowStoreMakesTheCopyOfItsGranuleTheNewest() {
        state.loadWindow(0, X, 8, false);
        state.loadWindow(0, Y, 8, false);
        state.storeWindow(0, X, 8, 5, false);
        state.perform(0, 0);
        assertThat(state.thread(0).copies())
                .containsExactly(new Copy(0, 5, true), new Copy(1, 0, false));
        state.fence(0, Space.MMIO, Op.R, Op.R);
        assertThat(state.thread(0).copies()).containsExactly(new Copy(0, 5, true));
    }

    @Test
    @Requirement({"DPA-OPM-2", "DPA-OPM-12"})
    void aWindowStoreToSomeBytesLeavesTheCopyAsOldAsTheOthersAre() {
        state.loadWindow(0, X, 8, false);
        state.loadWindow(0, Y, 8, false);
        state.externalWrite(X, 8, -1L);
        state.storeWindow(0, X, 4, 5, false);
        state.perform(0, 0);
        assertThat(state.thread(0).copies())
                .containsExactly(new Copy(0, 5, false), new Copy(1, 0, true));
        assertThat(state.externalRead(X, 8)).isEqualTo(0xFFFF_FFFF_0000_0005L);
    }

    @Test
    @Requirement("DPA-OPM-2")
    void aPerformedWindowStoreFetchesNothing() {
        state.storeWindow(0, X, 8, 5, false);
        state.perform(0, 0);
        assertThat(state.thread(0).copies()).isEmpty();
    }

    @Test
    @Requirement("DPA-OPM-6")
    void whenTheNewestCopyVanishesTheOthersStayOlder() {
        state.loadWindow(0, X, 8, false);
        state.loadWindow(0, Y, 8, false);
        state.vanish(0, 1);
        assertThat(state.thread(0).copies()).containsExactly(new Copy(0, 0, false));
        state.fence(0, Space.MMIO, Op.R, Op.R);
        assertThat(state.thread(0).copies()).isEmpty();
    }

    @Test
    @Requirement("DPA-OPM-4")
    void aLoadOfACachedGranuleIsNoFetch() {
        state.loadWindow(0, X, 8, false);
        state.loadWindow(0, Y, 8, false);
        state.loadWindow(0, X, 8, false);
        assertThat(state.thread(0).copies())
                .containsExactly(new Copy(0, 0, false), new Copy(1, 0, true));
        state.storeWindow(1, X, 8, 5, false);
        state.loadWindow(1, X, 8, false);
        assertThat(state.thread(1).copies()).isEmpty();
        state.loadWindow(1, Y, 8, false);
        assertThat(state.thread(0).copies()).hasSize(2);
    }

    @Test
    @Requirement("DPA-OPM-3")
    void theViewOfTheNicJumpsToTheLastWriteOfAGranule() {
        state.store(0, X, 8, 1);
        state.store(1, X, 8, 2);
        state.store(0, Y, 8, 3);
        state.perform(0, 0);
        state.perform(1, 0);
        state.perform(0, 0);
        assertThat(state.canShow(0)).isTrue();
        state.show(0);
        assertThat(state.nicRead(X, 8)).isEqualTo(2);
        assertThat(state.nicRead(Y, 8)).isZero();
        assertThat(state.canShow(0)).isFalse();
        assertThat(state.canShow(1)).isTrue();
    }

    @Test
    @Requirement("DPA-OPM-3")
    void aWriteIsNotSeenBeforeThoseItHasToFollow() {
        state.store(0, Y, 8, 1);
        state.fence(0, Space.MEMORY, Op.W, Op.W);
        state.store(0, X, 8, 2);
        state.perform(0, 0);
        state.perform(0, 0);
        assertThat(state.canShow(0)).isFalse();
        assertThat(state.canShow(1)).isTrue();
        state.show(1);
        assertThat(state.canShow(0)).isTrue();
    }

    @Test
    @Requirement("DPA-OPM-8")
    void anAtomicLeavesWhatTheNicSeesAlone() {
        assertThat(state.atomic(0, AtomicOp.ADD, X, 8, 5)).isZero();
        assertThat(state.atomic(1, AtomicOp.MAX, X, 8, 4)).isEqualTo(5);
        assertThat(state.load(1, X, 8)).isEqualTo(5);
        assertThat(state.nicRead(X, 8)).isZero();
        assertThat(state.hasMandatory()).isFalse();
        state.memoryWriteback(0);
        assertThat(state.hasMandatory()).isTrue();
    }

    @Test
    @Requirement("DPA-OPM-8")
    void anAtomicOf4BytesLeavesTheOtherHalfAlone() {
        state.nicWrite(X, 8, 0x1_FFFF_FFFFL);
        assertThat(state.atomic(0, AtomicOp.ADD, X, 4, 1)).isEqualTo(0xFFFF_FFFFL);
        assertThat(state.load(0, X, 8)).isEqualTo(0x1_0000_0000L);
        state.nicWrite(X, 8, 0xFFFF_FFFFL);
        assertThat(state.atomic(0, AtomicOp.MAX, X, 4, 1)).isEqualTo(0xFFFF_FFFFL);
        assertThat(state.load(0, X, 8)).isEqualTo(1);
    }

    @Test
    @Requirement("DPA-OPM-8")
    void anAtomicWaitsForOwnStoresToItsBytesAndAReleaseForAll() {
        state.store(0, X, 4, 1);
        assertThat(state.isAtomicBlocked(0, X, 8, false)).isTrue();
        assertThat(state.isAtomicBlocked(0, X + 4, 4, false)).isFalse();
        assertThat(state.isAtomicBlocked(0, Y, 8, false)).isFalse();
        assertThat(state.isAtomicBlocked(0, Y, 8, true)).isTrue();
        assertThat(state.isAtomicBlocked(1, X, 8, true)).isFalse();
        state.storeWindow(1, X, 8, 1, false);
        assertThat(state.isAtomicBlocked(1, X, 8, true)).isFalse();
        state.windowWriteback(1);
        assertThat(state.isAtomicBlocked(1, X, 8, false)).isTrue();
    }

    @Test
    @Requirement("DPA-OPM-8")
    void anAtomicWaitsAsALoadAndAsAStoreDoes() {
        state.store(0, X, 8, 1);
        state.fence(0, Space.MEMORY, Op.W, Op.R);
        assertThat(state.isAtomicBlocked(0, Y, 8, false)).isTrue();
        state.store(1, X, 8, 1);
        state.fence(1, Space.MEMORY, Op.W, Op.W);
        assertThat(state.isAtomicBlocked(1, Y, 8, false)).isTrue();
        state.perform(1, 0);
        assertThat(state.isAtomicBlocked(1, Y, 8, false)).isFalse();
        state.atomic(1, AtomicOp.SWAP, Y, 8, 1);
        assertThat(state.canShow(1)).isFalse();
        assertThat(state.canShow(0)).isTrue();
    }

    @Test
    @Requirement("DPA-OPM-8")
    void aWriteOfAnotherToTheGranuleClearsAReservation() {
        assertThat(reservationHoldsAfter(() -> {})).isTrue();
        assertThat(reservationHoldsAfter(() -> state.nicWrite(Y, 8, 1))).isTrue();
        assertThat(reservationHoldsAfter(() -> state.nicWrite(X + 4, 4, 1))).isFalse();
        assertThat(reservationHoldsAfter(() -> state.atomic(1, AtomicOp.OR, X, 8, 0))).isFalse();
        assertThat(
                        reservationHoldsAfter(() -> {
                            state.store(1, X, 8, 1);
                            state.perform(1, 0);
                        }))
                .isFalse();
        assertThat(
                        reservationHoldsAfter(() -> {
                            state.store(0, X, 8, 1);
                            state.perform(0, 0);
                        }))
                .isTrue();
        assertThat(reservationHoldsAfter(() -> state.store(1, X, 8, 1))).isTrue();
        assertThat(reservationHoldsAfter(() -> state.externalWrite(X, 8, 1))).isTrue();
        assertThat(reservationHoldsAfter(() -> state.loadReserved(0, Y, 8))).isFalse();
        assertThat(reservationHoldsAfter(() -> state.storeConditional(0, X, 8, 1))).isFalse();
    }

    private boolean reservationHoldsAfter(Runnable action) {
        state.loadReserved(0, X, 8);
        action.run();
        return state.storeConditional(0, X, 8, 3);
    }

    @Test
    @Requirement("DPA-OPM-8")
    void aConditionalStoreWithoutReservationStoresNothing() {
        assertThat(state.storeConditional(0, X, 8, 3)).isFalse();
        assertThat(state.load(1, X, 8)).isZero();
        state.loadReserved(0, X, 4);
        assertThat(state.storeConditional(0, X, 4, 3)).isTrue();
        assertThat(state.load(1, X, 8)).isEqualTo(3);
    }

    @Test
    @Requirement({"DPA-OPM-12", "DPA-MEM-3"})
    void aLoadTakesEachByteFromItsNewestSource() {
        state.nicWrite(X, 8, 0x8877_6655_4433_2211L);
        state.store(0, X + 2, 2, 0xAAAA);
        state.store(0, X + 3, 1, 0xBB);
        assertThat(state.load(0, X, 8)).isEqualTo(0x8877_6655_BBAA_2211L);
        assertThat(state.load(0, X + 2, 2)).isEqualTo(0xBBAA);
        assertThat(state.load(0, X + 3, 1)).isEqualTo(0xBB);
        assertThat(state.load(0, X + 4, 4)).isEqualTo(0x8877_6655L);
        state.externalWrite(X, 8, 0x8877_6655_4433_2211L);
        state.storeWindow(1, X + 4, 4, 0xCCDD_EEFFL, false);
        assertThat(state.loadWindow(1, X, 8, false)).isEqualTo(0xCCDD_EEFF_4433_2211L);
        state.externalWrite(X, 8, 0);
        assertThat(state.loadWindow(1, X, 8, false)).isEqualTo(0xCCDD_EEFF_4433_2211L);
    }

    @Test
    void refusesMoreDoorbellsThanItCanOrder() {
        Layout layout = new Layout(1, 1, true);
        MemoryState many = new MemoryState(layout, Profile.SEED, new long[0], new long[0]);
        for (int i = 0; i < Arrivals.MOST; i++) {
            many.ring(0, 0, 0);
            many.perform(0, 0);
        }
        many.ring(0, 0, 0);
        assertThatThrownBy(() -> many.perform(0, 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("More than 15 doorbells arrive, and their order is asked for");
    }

    @Test
    void aCopyGoesItsOwnWay() {
        state.store(0, X, 8, 1);
        MemoryState copy = state.copy();
        copy.perform(0, 0);
        copy.show(0);
        copy.externalWrite(Y, 8, 4);
        assertThat(state.thread(0).pending()).hasSize(1);
        assertThat(state.nicRead(X, 8)).isZero();
        assertThat(state.externalRead(Y, 8)).isZero();
        assertThat(copy.nicRead(X, 8)).isEqualTo(1);
    }

    private static String digestOf(MemoryState state) {
        Digest digest = new Digest();
        state.digest(digest, new Digest());
        return digest.high() + " " + digest.low();
    }

    @Test
    void whatCannotMatterAnyMoreDoesNotChangeTheDigest() {
        MemoryState other = state(Profile.SEED);
        state.store(0, X, 8, 1);
        state.fence(0, Space.SYSTEM, Op.RW, Op.RW);
        state.memoryWriteback(0);
        state.store(0, X, 8, 0);
        state.perform(0, 0);
        assertThat(digestOf(state)).isNotEqualTo(digestOf(other));
        state.show(0);
        state.perform(0, 0);
        state.show(0);
        assertThat(digestOf(state)).isEqualTo(digestOf(other));
    }

    @Test
    void everythingThatCanMatterChangesTheDigest() {
        String before = digestOf(state);
        state.store(0, X, 8, 0);
        String issued = digestOf(state);
        state.fence(0, Space.HEAP, Op.W, Op.W);
        String fenced = digestOf(state);
        state.fence(0, Space.HEAP, Op.W, Op.R);
        String waits = digestOf(state);
        state.memoryWriteback(0);
        String writtenBack = digestOf(state);
        state.perform(0, 0);
        String performed = digestOf(state);
        state.show(0);
        String shown = digestOf(state);
        state.loadReserved(0, X, 8);
        String reserved = digestOf(state);
        state.loadWindow(0, X, 8, false);
        String cached = digestOf(state);
        state.loadWindow(0, Y, 8, false);
        String newer = digestOf(state);
        state.vanish(0, 1);
        assertThat(
                        new String[] {
                            before,
                            issued,
                            fenced,
                            waits,
                            writtenBack,
                            performed,
                            reserved,
                            cached,
                            newer,
                            digestOf(state)
                        })
                .doesNotHaveDuplicates();
        assertThat(shown).isEqualTo(before);
    }
}
