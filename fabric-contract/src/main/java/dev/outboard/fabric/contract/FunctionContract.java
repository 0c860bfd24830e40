package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.NicFunction;
import dev.outboard.fabric.QueuePairAttributes;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Functions of a card on every provider: where cards have several, a process in the role of a DPU
/// has them all and a host its own; where they have one, asking for another is refused.
public abstract class FunctionContract {
    private static final int PORT = 7471;

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private Device card;

    /// Opens a device that reaches, and is reached by, the other devices opened here. If cards of
    /// the provider may have several functions ([dev.outboard.fabric.DeviceLimits#maxFunctions]),
    /// it is the physical function of one that has two besides, opened in the role of a DPU.
    protected abstract Device open();

    /// Opens `function` by itself, in the role of a host. Its card is open as [#open] made it.
    protected abstract Device openAsHost(NicFunction function);

    @BeforeEach
    void openCard() {
        card = kept(open());
    }

    @AfterEach
    void closeAll() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    private <T extends AutoCloseable> T kept(T object) {
        opened.push(object);
        return object;
    }

    private VerbsEnd end(Device device) {
        return kept(new VerbsEnd(device).create());
    }

    private void assumeSeveralFunctions() {
        assumeThat(card.limits().maxFunctions()).as("functions of a card").isGreaterThan(1);
    }

    /// The card's functions but its physical one.
    private List<NicFunction> others() {
        return card.functions().stream().filter(each -> !each.equals(card.function())).toList();
    }

    private static void assertRefused(ThrowingCallable call, Reason reason, String... messages) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        FabricException.class, e -> assertThat(e.reason()).isEqualTo(reason))
                .hasMessageContainingAll(messages);
    }

    private static void assertWrites(VerbsEnd from, VerbsEnd to, int value) {
        from.post(from.message(value).write(to.region().address(), to.region().remoteKey()));
        assertThat(from.status()).isEqualTo(value + " SUCCESS");
        assertThat(to.region().segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(value);
    }

    @Test
    void aDeviceIsAFunctionOfItsCard() {
        NicFunction own = card.function();
        assertThat(own.name()).isEqualTo(card.name());
        assertThat(own.address()).isEqualTo(card.address());
        assertThat(card.functions()).contains(own).hasSizeBetween(1, card.limits().maxFunctions());
        assertThat(card.functions()).extracting(NicFunction::number).doesNotHaveDuplicates();
        assertThat(card.functions()).extracting(NicFunction::name).doesNotHaveDuplicates();
        assertThat(card.functions())
                .extracting(NicFunction::kind)
                .containsOnlyOnce(NicFunction.Kind.PHYSICAL);
    }

    @Test
    void whatTheCardDoesNotHaveIsRefused() {
        for (int number : new int[] {-1, card.limits().maxFunctions(), Integer.MAX_VALUE}) {
            assertRefused(
                    () -> card.openFunction(number),
                    Reason.INVALID_ARGUMENT,
                    card.name() + " has no function " + number,
                    "valid: " + card.functions());
        }
    }

    @Test
    void theDeviceItselfIsInUse() {
        assertRefused(
                () -> card.openFunction(card.function().number()),
                Reason.ADDRESS_IN_USE,
                card.name() + " is open already");
    }

    @Test
    void aDeviceThatIsClosedOpensNothing() {
        card.close();
        assertRefused(
                () -> card.openFunction(card.functions().getLast().number()),
                Reason.CLOSED,
                card.name() + " is closed");
    }

    @Test
    void oneProcessHasQueuesAndKeysOfSeveralFunctions() {
        assumeSeveralFunctions();
        assertThat(card.role()).isEqualTo(Device.Role.DPU);
        assertThat(others()).hasSizeGreaterThanOrEqualTo(2);
        Device peer = kept(open());
        int value = 1;
        for (NicFunction each : others()) {
            Device device = kept(card.openFunction(each.number()));
            assertThat(device.function()).isEqualTo(each);
            assertThat(device.name()).isEqualTo(each.name());
            assertThat(device.address()).isEqualTo(each.address());
            assertThat(device.role()).isEqualTo(Device.Role.DPU);
            assertThat(device.functions()).isEqualTo(card.functions());
            assertThat(device.guid()).isNotIn(card.guid(), peer.guid());

            VerbsEnd here = end(device);
            VerbsEnd there = end(peer);
            VerbsEnd.connect(here, there);
            assertWrites(here, there, value++);
            assertWrites(there, here, value++);
        }
    }

    @Test
    void functionsOfOneCardReachEachOther() {
        assumeSeveralFunctions();
        VerbsEnd physical = end(card);
        VerbsEnd other = end(kept(card.openFunction(others().getFirst().number())));
        VerbsEnd.connect(physical, other);
        assertWrites(physical, other, 1);
        assertWrites(other, physical, 2);
    }

    @Test
    void eachFunctionOffersServicesOfItsOwn() {
        assumeSeveralFunctions();
        Device function = kept(card.openFunction(others().getFirst().number()));
        Device peer = kept(open());
        try (ConnectedPair one = ConnectedPair.connect(peer, card, PORT);
                ConnectedPair other = ConnectedPair.connect(peer, function, PORT)) {
            assertThat(one.client().receivedPrivateData()).startsWith(ConnectedPair.WELCOME);
            assertThat(other.client().receivedPrivateData()).startsWith(ConnectedPair.WELCOME);
        }
        assertThat(ConnectedPair.tryConnect(peer, function, PORT).type())
                .isEqualTo(ConnectionEvent.Type.REJECTED);
    }

    @Test
    void aKeyOfOneFunctionIsNoneOfAnother() {
        assumeSeveralFunctions();
        VerbsEnd physical = end(card);
        VerbsEnd other = end(kept(card.openFunction(others().getFirst().number())));
        VerbsEnd peer = end(kept(open()));
        VerbsEnd.connect(peer, physical);
        peer.post(peer.message(1).write(other.region().address(), other.region().remoteKey()));
        assertThat(peer.status()).isEqualTo("1 REMOTE_ACCESS_ERROR");
        assertRefused(
                () ->
                        physical.domain()
                                .createQueuePair(QueuePairAttributes.of(other.completions(), 1, 1)),
                Reason.INVALID_ARGUMENT,
                "must come from " + card.name());
    }

    @Test
    void aFunctionServesOneProcessAtATime() {
        assumeSeveralFunctions();
        NicFunction function = others().getFirst();
        Device first = kept(card.openFunction(function.number()));
        assertRefused(
                () -> card.openFunction(function.number()),
                Reason.ADDRESS_IN_USE,
                function.name() + " is open already");
        assertRefused(() -> openAsHost(function), Reason.ADDRESS_IN_USE, function.name());
        first.close();
        kept(card.openFunction(function.number()));
    }

    @Test
    void aHostGetsItsOwnFunctionOnly() {
        assumeSeveralFunctions();
        NicFunction own = others().getFirst();
        Device host = kept(openAsHost(own));
        assertThat(host.role()).isEqualTo(Device.Role.HOST);
        assertThat(host.function()).isEqualTo(own);
        assertThat(host.functions()).containsExactly(own);
        for (NicFunction another : card.functions()) {
            if (!another.equals(own)) {
                assertRefused(
                        () -> host.openFunction(another.number()),
                        Reason.NOT_PERMITTED,
                        "function " + another.number(),
                        host.name() + " is open in the role of a host",
                        own.toString());
            }
        }
        VerbsEnd here = end(host);
        VerbsEnd dpu = end(kept(card.openFunction(others().getLast().number())));
        VerbsEnd.connect(here, dpu);
        assertWrites(here, dpu, 1);
    }

    @Test
    void noFunctionIsClosedWithAnother() {
        assumeSeveralFunctions();
        NicFunction physical = card.function();
        Device function = kept(card.openFunction(others().getFirst().number()));
        VerbsEnd here = end(function);
        card.close();
        assertThat(function.isOpen()).isTrue();
        VerbsEnd there = end(kept(function.openFunction(physical.number())));
        assertThat(there.device().function()).isEqualTo(physical);
        VerbsEnd.connect(here, there);
        assertWrites(here, there, 1);
        function.close();
        assertThat(there.device().isOpen()).isTrue();
    }
}
