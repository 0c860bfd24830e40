package dev.outboard.naa.protocol;

import dev.outboard.naa.Dialect;
import dev.outboard.naa.MrspException;
import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.MrspMessage.Entry;
import dev.outboard.naa.NaaMemory;
import java.util.List;
import java.util.Optional;

/// What a server finds out about a request for regions before it allocates anything.
final class RegionRules {
    private RegionRules() {}

    /// NAA-SCOPE-8: a request is of `ap1-2023` if no region is marked as input or output and the
    /// first has the size of the metadata region.
    static Dialect dialectOf(AdvertiseRequest request) {
        List<Entry> entries = request.entries();
        boolean marked =
                entries.stream().anyMatch(entry -> !entry.isInternal() && entry.isMarked());
        Entry first = entries.getFirst();
        boolean metadata = !first.isInternal() && first.size() == Dialect.METADATA_BYTES;
        return !marked && metadata ? Dialect.AP1_2023 : Dialect.UPSTREAM_2026;
    }

    /// What is wrong with a request, if anything.
    ///
    /// NAA-LIM-5: the caps of one connection.
    static Optional<Refusal> check(
            AdvertiseRequest request, Dialect recognised, ServerSettings settings) {
        List<Entry> entries = request.entries();
        if (entries.size() > settings.maxRegions()) {
            return Optional.of(
                    new Refusal(
                            MrspException.TOO_MANY_REGIONS,
                            ServerCounter.REFUSED_REGIONS,
                            "%d regions; the limit is %d"
                                    .formatted(entries.size(), settings.maxRegions())));
        }
        Optional<Dialect> only = settings.dialect();
        if (only.isPresent() && isMismatch(entries, recognised, only.get())) {
            return malformed("it speaks %s, this server only %s".formatted(recognised, only.get()));
        }
        if (entries.stream().allMatch(Entry::isInternal)) {
            return malformed("it has no parameter region");
        }
        if (!hasMetadata(entries, settings)) {
            return malformed(
                    "its first region is not %d bytes of metadata"
                            .formatted(Dialect.METADATA_BYTES));
        }
        return entries.stream()
                .flatMap(entry -> checkAddress(entry, settings.memory()).stream())
                .findFirst()
                .or(() -> checkBytes(entries, settings.maxBytes()));
    }

    /// NAA-ADDR-6: only a memory smaller than 56 bits refuses any.
    private static Optional<Refusal> checkAddress(Entry entry, NaaMemory memory) {
        if (entry.naaAddress() >= memory.bytes()) {
            return Optional.of(
                    new Refusal(
                            MrspException.INVALID_ADDRESS,
                            ServerCounter.REFUSED_ADDRESS,
                            "NAA address 0x%x; the memory ends at 0x%x"
                                    .formatted(entry.naaAddress(), memory.bytes())));
        }
        if (!memory.holds(entry.naaAddress(), entry.size())) {
            return Optional.of(
                    new Refusal(
                            MrspException.NO_MEMORY,
                            ServerCounter.REFUSED_ADDRESS,
                            "%d bytes at NAA address 0x%x; a bank has 0x%x"
                                    .formatted(
                                            entry.size(), entry.naaAddress(), memory.bankBytes())));
        }
        return Optional.empty();
    }

    private static Optional<Refusal> checkBytes(List<Entry> entries, long limit) {
        long total = entries.stream().mapToLong(Entry::size).sum();
        return total <= limit
                ? Optional.empty()
                : Optional.of(
                        new Refusal(
                                MrspException.NO_MEMORY,
                                ServerCounter.REFUSED_CLIENT_BYTES,
                                "%d bytes; the limit of a client is %d".formatted(total, limit)));
    }

    /// NAA-SCOPE-11: what can be recognised as the other dialect is refused.
    private static boolean isMismatch(List<Entry> entries, Dialect recognised, Dialect only) {
        return switch (only) {
            case AP1_2023 -> entries.stream().anyMatch(Entry::isMarked);
            case UPSTREAM_2026 -> recognised == Dialect.AP1_2023;
        };
    }

    /// Whoever is served as `ap1-2023` needs the region that names the result.
    private static boolean hasMetadata(List<Entry> entries, ServerSettings settings) {
        return !settings.dialect().equals(Optional.of(Dialect.AP1_2023))
                || entries.stream()
                        .filter(entry -> !entry.isInternal())
                        .findFirst()
                        .map(entry -> entry.size() == Dialect.METADATA_BYTES)
                        .orElse(false);
    }

    private static Optional<Refusal> malformed(String text) {
        return Optional.of(
                new Refusal(MrspException.MALFORMED, ServerCounter.REFUSED_MALFORMED, text));
    }
}
