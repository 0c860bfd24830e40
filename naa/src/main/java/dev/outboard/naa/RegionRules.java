package dev.outboard.naa;

import dev.outboard.naa.MrspMessage.AdvertiseRequest;
import dev.outboard.naa.MrspMessage.Entry;
import java.util.List;
import java.util.Optional;

/// What a server finds out about a request for regions before it allocates anything.
final class RegionRules {
    private static final long METADATA_BYTES = 8;

    private RegionRules() {}

    /// Which dialect a request must be (NAA-SCOPE-8): `ap1-2023` if no region is marked as input or
    /// output and the first has the size of the metadata region.
    static Dialect dialectOf(AdvertiseRequest request) {
        List<Entry> entries = request.entries();
        boolean marked =
                entries.stream().anyMatch(entry -> !entry.isInternal() && entry.isMarked());
        Entry first = entries.getFirst();
        boolean metadata = !first.isInternal() && first.size() == METADATA_BYTES;
        return !marked && metadata ? Dialect.AP1_2023 : Dialect.UPSTREAM_2026;
    }

    /// What is wrong with a request, if anything.
    static Optional<Refusal> check(
            AdvertiseRequest request, Dialect recognised, ServerOptions options) {
        List<Entry> entries = request.entries();
        if (isMismatch(entries, recognised, options)) {
            return refusal(
                    MrspException.MALFORMED,
                    "it speaks %s, this server only %s"
                            .formatted(recognised, options.dialect().orElseThrow()));
        }
        if (entries.stream().allMatch(Entry::isInternal)) {
            return refusal(MrspException.MALFORMED, "it has no parameter region");
        }
        if (!hasMetadata(entries, options)) {
            return refusal(MrspException.MALFORMED, "its first region is not 8 bytes of metadata");
        }
        if (entries.size() > options.maxRegions()) {
            return refusal(
                    MrspException.TOO_MANY_REGIONS,
                    "%d regions; the limit is %d".formatted(entries.size(), options.maxRegions()));
        }
        return checkSizes(entries, options);
    }

    private static Optional<Refusal> checkSizes(List<Entry> entries, ServerOptions options) {
        long total = 0;
        for (Entry entry : entries) {
            total += entry.size();
            long memory = options.naaMemoryBytes();
            if (memory > 0 && entry.naaAddress() >= memory) {
                return refusal(
                        MrspException.INVALID_ADDRESS,
                        "NAA address 0x%x is outside the memory".formatted(entry.naaAddress()));
            }
            if (memory > 0 && entry.naaAddress() + entry.size() > memory) {
                return refusal(
                        MrspException.NO_MEMORY,
                        "%d bytes at NAA address 0x%x exceed the memory"
                                .formatted(entry.size(), entry.naaAddress()));
            }
        }
        return total <= options.maxConnectionBytes()
                ? Optional.empty()
                : refusal(
                        MrspException.NO_MEMORY,
                        "%d bytes; the limit of a connection is %d"
                                .formatted(total, options.maxConnectionBytes()));
    }

    /// NAA-SCOPE-11: what can be recognised as the other dialect is refused.
    private static boolean isMismatch(
            List<Entry> entries, Dialect recognised, ServerOptions options) {
        return switch (options.dialect().orElse(recognised)) {
            case AP1_2023 -> entries.stream().anyMatch(Entry::isMarked);
            case UPSTREAM_2026 -> recognised == Dialect.AP1_2023;
        };
    }

    /// Whoever is served as `ap1-2023` needs the region that names the result.
    private static boolean hasMetadata(List<Entry> entries, ServerOptions options) {
        return !options.dialect().equals(Optional.of(Dialect.AP1_2023))
                || entries.stream()
                        .filter(entry -> !entry.isInternal())
                        .findFirst()
                        .map(entry -> entry.size() == METADATA_BYTES)
                        .orElse(false);
    }

    private static Optional<Refusal> refusal(int code, String text) {
        return Optional.of(new Refusal(code, text));
    }
}
