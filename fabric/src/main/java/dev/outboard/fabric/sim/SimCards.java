package dev.outboard.fabric.sim;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.roce.wire.Gid;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/// The cards on a simulated network. A card is there while one of its functions is open. One thread
/// at a time.
final class SimCards {
    /// By the address of each function.
    private final Map<Gid, SimCard> cards = new HashMap<>();

    private final Set<Gid> open = new HashSet<>();

    /// The device that `options` name is open from now on, as a function of the card that is there,
    /// or else of one that is new.
    ///
    /// @throws FabricException with ADDRESS_IN_USE if it is open already, if its card is another
    ///   than `options` say, or if one of the functions they list is taken
    void join(SimOptions options) {
        Gid address = Gid.of(options.address());
        SimCard wanted = SimCard.of(options);
        SimCard card = cards.get(address);
        if (open.contains(address)) {
            throw inUse(options.name() + " is open already; take another address of the network");
        }
        if (card == null) {
            options.functions().stream()
                    .filter(function -> cards.containsKey(Gid.of(function.address())))
                    .findFirst()
                    .ifPresent(taken -> {
                        throw inUse(
                                "%s lists function %s, whose address is in use already; open the card first, then its functions"
                                        .formatted(options.name(), taken));
                    });
            wanted.addresses().forEach(each -> cards.put(each, wanted));
        } else if (!options.functions().isEmpty() && !card.equals(wanted)) {
            throw inUse(
                    "the card of %s is there already, with functions %s; it cannot have %s as well: name the same functions, or none"
                            .formatted(options.name(), card.functions(), wanted.functions()));
        }
        open.add(address);
    }

    /// The device at `address` is closed.
    void leave(Gid address) {
        open.remove(address);
        List<Gid> functions = on(address);
        if (functions.stream().noneMatch(open::contains)) {
            functions.forEach(cards::remove);
        }
    }

    /// The card of an open device.
    SimCard at(Gid address) {
        return Objects.requireNonNull(cards.get(address));
    }

    /// Where the functions of the card at `address` are; if there is none, what may come there.
    List<Gid> on(Gid address) {
        SimCard card = cards.get(address);
        return card == null ? List.of(address) : card.addresses();
    }

    boolean isEmpty() {
        return open.isEmpty();
    }

    private static FabricException inUse(String message) {
        return new FabricException(Reason.ADDRESS_IN_USE, message);
    }
}
