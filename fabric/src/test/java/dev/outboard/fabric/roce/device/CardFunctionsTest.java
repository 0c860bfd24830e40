package dev.outboard.fabric.roce.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.NicFunction;
import dev.outboard.fabric.roce.wire.PathMtu;
import java.net.InetAddress;
import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/// What a process gets of cards that have no more than one function, and of those that may have
/// two.
class CardFunctionsTest {
    private static final InetAddress ADDRESS = InetAddress.ofLiteral("10.0.0.1");

    private final CardFunctions single =
            CardFunctions.single(
                    new DeviceSettings(
                            "any://device",
                            ADDRESS,
                            PathMtu.MTU_1024,
                            false,
                            false,
                            0,
                            new SplittableRandom(1)));

    private static void assertRefused(ThrowingCallable call, Reason reason, String... messages) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        FabricException.class, e -> assertThat(e.reason()).isEqualTo(reason))
                .hasMessageContainingAll(messages);
    }

    @Test
    void aCardOfOneFunctionHasNoOther() {
        NicFunction own = new NicFunction(0, NicFunction.Kind.PHYSICAL, "any://device", ADDRESS);
        assertThat(single.usable()).containsExactly(own);
        assertThat(single.role()).isEqualTo(Device.Role.HOST);
        assertRefused(
                () -> single.open(1),
                Reason.INVALID_ARGUMENT,
                "any://device has no function 1; valid: [" + own + "]");
        assertRefused(() -> single.open(0), Reason.ADDRESS_IN_USE, "any://device is open already");
    }

    @Test
    void aHostIsTooSmallForTheFunctionsThatACardMayHave() {
        CardFunctions host =
                new CardFunctions(
                        single.own(), Device.Role.HOST, List.of(single.own()), 2, single.opener());
        assertRefused(
                () -> host.open(1), Reason.NOT_PERMITTED, "function 1", "in the role of a host");
    }
}
