package dev.outboard.fabric.contract.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Devices;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.NicFunction;
import dev.outboard.fabric.contract.VerbsEnd;
import dev.outboard.fabric.sim.SimNetwork;
import java.net.InetAddress;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/// Cards of several functions on a simulated network: what their URIs say, and what befalls them.
class SimFunctionsTest {
    private static final String CARD =
            "sim://functions/10.0.0.1?role=dpu&functions=vf:10.0.0.11,sf:10.0.0.12";
    private static final String VIRTUAL = "sim://functions/10.0.0.11";
    private static final String PEER = "sim://functions/10.0.0.2";

    private static void assertTaken(ThrowingCallable call, String... messages) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.ADDRESS_IN_USE))
                .hasMessageContainingAll(messages);
    }

    private static String write(VerbsEnd from, VerbsEnd to) {
        from.post(from.message(1).write(to.region().address(), to.region().remoteKey()));
        return from.status();
    }

    @Test
    void aUriListsTheFunctionsByNumber() {
        try (Device card = Fabric.open(CARD)) {
            assertThat(card.functions())
                    .hasToString(
                            "[0 (physical, sim://functions/10.0.0.1),"
                                    + " 1 (virtual, sim://functions/10.0.0.11),"
                                    + " 2 (sub, sim://functions/10.0.0.12)]");
        }
    }

    @Test
    void aDeviceThatListsNoneIsACardByItself() {
        try (Device card = Fabric.open("sim://functions/fd00::1")) {
            assertThat(card.role()).isEqualTo(Device.Role.HOST);
            assertThat(card.functions())
                    .extracting(NicFunction::kind)
                    .containsExactly(NicFunction.Kind.PHYSICAL);
            assertThatThrownBy(() -> card.openFunction(1))
                    .isInstanceOfSatisfying(
                            FabricException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.NOT_PERMITTED))
                    .hasMessageContaining("in that of a DPU");
        }
    }

    @Test
    void aFunctionOpenedByItsAddressMayBeADpusToo() {
        try (Device _ = Fabric.open(CARD);
                Device function = Fabric.open(VIRTUAL + "?role=dpu");
                Device other = function.openFunction(2)) {
            assertThat(function.function().number()).isEqualTo(1);
            assertThat(other.name()).isEqualTo("sim://functions/10.0.0.12");
        }
    }

    @Test
    void aFunctionHasTheOptionsOfTheDeviceThatOpensIt() {
        try (Device card = Fabric.open(CARD + "&mtu=1024");
                Device function = card.openFunction(1)) {
            assertThat(function.limits().pathMtuBytes()).isEqualTo(1024);
        }
    }

    @Test
    void anAddressThatIsTakenCannotBeAFunction() {
        try (Device first = Fabric.open(VIRTUAL)) {
            assertTaken(
                    () -> Fabric.open(CARD),
                    "sim://functions/10.0.0.1 lists function 1 (virtual, " + VIRTUAL + ")",
                    "open the card first");
            assertThat(first.function().kind()).isEqualTo(NicFunction.Kind.PHYSICAL);
        }
        try (Device _ = Fabric.open(CARD)) {
            assertTaken(
                    () -> Fabric.open(PEER + "?functions=vf:10.0.0.12"),
                    "lists function 1 (virtual, sim://functions/10.0.0.12)");
            Fabric.open(PEER).close();
        }
    }

    @Test
    void theCardIsAsItsFirstDeviceSays() {
        Device card = Fabric.open(CARD);
        try (Device function = card.openFunction(2)) {
            card.close();
            assertTaken(
                    () -> Fabric.open("sim://functions/10.0.0.1?functions=vf:10.0.0.11"),
                    "the card of sim://functions/10.0.0.1 is there already",
                    "2 (sub, sim://functions/10.0.0.12)");
            assertTaken(
                    () -> Fabric.open(VIRTUAL + "?functions=vf:10.0.0.13"),
                    "the card of " + VIRTUAL + " is there already");
            try (Device again = Fabric.open("sim://functions/10.0.0.1?role=dpu")) {
                assertThat(again.functions()).isEqualTo(function.functions());
            }
            Fabric.open(CARD).close();
        }
    }

    @Test
    void theCardEndsWithTheLastOfItsFunctions() {
        Device card = Fabric.open(CARD.replace("functions/", "ending/"));
        Device function = card.openFunction(1);
        card.close();
        try (Device host = Fabric.open("sim://ending/10.0.0.12")) {
            function.close();
            assertThat(host.function().number()).isEqualTo(2);
        }
        try (Device alone = Fabric.open("sim://ending/10.0.0.12")) {
            assertThat(alone.function().number()).isZero();
        }
    }

    @Test
    void aCardDiesWithAllItsFunctions() {
        try (Device peer = Fabric.open(PEER);
                Device card = Fabric.open(CARD);
                Device function = card.openFunction(1);
                VerbsEnd here = new VerbsEnd(peer).create();
                VerbsEnd there = new VerbsEnd(function).create();
                VerbsEnd witness = new VerbsEnd(card).create();
                VerbsEnd toWitness = new VerbsEnd(peer).create()) {
            VerbsEnd.connect(here, there);
            VerbsEnd.connect(toWitness, witness);
            assertThat(write(here, there)).isEqualTo("1 SUCCESS");
            assertThat(write(toWitness, witness)).isEqualTo("1 SUCCESS");

            SimNetwork.of(peer).kill(card.function().address());

            assertThat(write(here, there)).isEqualTo("1 RETRY_EXCEEDED");
            assertThat(write(toWitness, witness)).isEqualTo("1 RETRY_EXCEEDED");
            try (Device later = Fabric.open("sim://functions/10.0.0.12");
                    VerbsEnd late = new VerbsEnd(later).create();
                    VerbsEnd toLate = new VerbsEnd(peer).create()) {
                VerbsEnd.connect(toLate, late);
                assertThat(write(toLate, late)).isEqualTo("1 RETRY_EXCEEDED");
            }
        }
    }

    @Test
    void whatIsKilledBeforeItIsThereIsDeadWhenItComes() {
        try (Device peer = Fabric.open(PEER)) {
            SimNetwork.of(peer).kill(InetAddress.ofLiteral("10.0.0.1"));
            try (Device later = Fabric.open("sim://functions/10.0.0.1");
                    VerbsEnd here = new VerbsEnd(peer).create();
                    VerbsEnd there = new VerbsEnd(later).create()) {
                VerbsEnd.connect(here, there);
                assertThat(write(here, there)).isEqualTo("1 RETRY_EXCEEDED");
            }
        }
    }

    @Test
    void aCutIsOfOneFunctionAndCountersAreItsOwn() {
        try (Device peer = Fabric.open(PEER);
                Device card = Fabric.open(CARD);
                Device function = card.openFunction(1);
                VerbsEnd here = new VerbsEnd(peer).create();
                VerbsEnd there = new VerbsEnd(function).create()) {
            SimNetwork.of(peer).cut(peer.address(), card.address());
            VerbsEnd.connect(here, there);
            assertThat(write(here, there)).isEqualTo("1 SUCCESS");
            assertThat(function.counters()).containsEntry("open.queue-pairs", 1L);
            assertThat(function.counters().get("received.packets")).isPositive();
            assertThat(card.counters())
                    .containsEntry("open.queue-pairs", 0L)
                    .containsEntry("received.packets", 0L);
        }
    }

    @Test
    void usersOfAFunctionsAddressShareOneDevice() {
        try (Device card = Fabric.open(CARD);
                Devices.Share one = Devices.share(card.functions().get(1).name());
                Devices.Share other = Devices.share(VIRTUAL)) {
            assertThat(other.device()).isSameAs(one.device());
            assertThat(one.device().function().number()).isEqualTo(1);
            assertTaken(() -> card.openFunction(1), VIRTUAL + " is open already");
            assertTaken(() -> Devices.share(VIRTUAL + "?role=dpu"), "as well");
        }
    }

    @Test
    void aDeviceIsTheSameHoweverItsUriIsWritten() {
        try (Devices.Share one = Devices.share("sim://written/fd00::1?seed=1&mtu=1024");
                Devices.Share other =
                        Devices.share("sim://written/FD00:0:0:0:0:0:0:1?mtu=1024&seed=1")) {
            assertThat(other.device()).isSameAs(one.device());
        }
        assertThat(
                        List.of(
                                Fabric.describe(CARD).uri(),
                                Fabric.describe(Fabric.describe(CARD).uri()).uri()))
                .containsOnly(
                        "sim://functions/10.0.0.1?functions=vf%3A10.0.0.11%2Csf%3A10.0.0.12&role=dpu");
    }
}
