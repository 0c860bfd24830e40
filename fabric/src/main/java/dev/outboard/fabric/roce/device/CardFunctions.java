package dev.outboard.fabric.roce.device;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.NicFunction;
import java.util.List;
import java.util.function.Function;

/// Which function of its card a device is, and which a process in its role may open.
///
/// @param own the device
/// @param role of the process
/// @param card all functions of the card, by number
/// @param most how many functions such a card may have
/// @param opener opens one of them
public record CardFunctions(
        NicFunction own,
        Device.Role role,
        List<NicFunction> card,
        int most,
        Function<NicFunction, Device> opener) {
    /// Of a card that is no more than the device.
    static CardFunctions single(DeviceSettings settings) {
        NicFunction own =
                new NicFunction(0, NicFunction.Kind.PHYSICAL, settings.name(), settings.address());
        return new CardFunctions(
                own,
                Device.Role.HOST,
                List.of(own),
                1,
                function -> {
                    throw new FabricException(
                            Reason.ADDRESS_IN_USE, function.name() + " is open already");
                });
    }

    /// Those that a process in the role may have.
    List<NicFunction> usable() {
        return role == Device.Role.DPU ? card : List.of(own);
    }

    Device open(int number) {
        return opener.apply(
                usable().stream()
                        .filter(function -> function.number() == number)
                        .findFirst()
                        .orElseThrow(() -> refusal(number)));
    }

    private FabricException refusal(int number) {
        if (role == Device.Role.HOST && most > 1) {
            return new FabricException(
                    Reason.NOT_PERMITTED,
                    "function %d: %s is open in the role of a host, which gets its own function only, %s; in that of a DPU it would get those of its card"
                            .formatted(number, own.name(), own));
        }
        return new FabricException(
                Reason.INVALID_ARGUMENT,
                "the card of %s has no function %d; valid: %s"
                        .formatted(own.name(), number, usable()));
    }
}
