package dev.outboard.fabric.sim;

import dev.outboard.fabric.NicFunction;
import dev.outboard.fabric.roce.wire.Gid;
import java.util.List;
import java.util.stream.Stream;

/// A simulated card.
///
/// @param functions by number
record SimCard(List<NicFunction> functions) {
    /// How many functions a card has at most.
    static final int MOST_FUNCTIONS = 64;

    /// The card of the device that `options` name, as far as they tell.
    static SimCard of(SimOptions options) {
        NicFunction physical =
                new NicFunction(0, NicFunction.Kind.PHYSICAL, options.name(), options.address());
        return new SimCard(
                Stream.concat(Stream.of(physical), options.functions().stream()).toList());
    }

    /// Its function at `address`.
    NicFunction at(Gid address) {
        return functions.stream()
                .filter(function -> Gid.of(function.address()).equals(address))
                .findFirst()
                .orElseThrow();
    }

    /// Where its functions are.
    List<Gid> addresses() {
        return functions.stream().map(function -> Gid.of(function.address())).toList();
    }
}
