package dev.outboard.dpa.machine;

import java.util.List;
import java.util.random.RandomGenerator;

/// DPA-INT-13: how many cycles the first load of a line takes that the NIC has written, beyond the
/// one that every operation takes. What the NIC writes goes to a cache. While the cache holds all
/// that the NIC writes to, the line is in one of several places, by chance; when it does not, the
/// line has to come from far away.
///
/// @param cacheBytes how much the cache holds
/// @param cached where a line is then
/// @param uncached what it takes else
public record ReceivedCosts(long cacheBytes, List<Place> cached, int uncached) {

    /// 65 cycles in two thirds of the cases, 130 in a quarter, 560 to 900 in the rest; 720 if more
    /// is written to than the 3 MiB of the last level of the cache.
    static final ReceivedCosts BF3 =
            new ReceivedCosts(
                    3 << 20,
                    List.of(new Place(8, 64, 64), new Place(3, 129, 129), new Place(1, 559, 899)),
                    719);

    /// Where a line may be.
    ///
    /// @param weight how likely that is, beside the other places
    /// @param least the fewest cycles that a load from there takes
    /// @param most the most; all between are equally likely
    public record Place(int weight, int least, int most) {
        /// Checks that time does not run backwards.
        public Place {
            if (weight < 1 || least < 0 || most < least || most == Integer.MAX_VALUE) {
                throw new IllegalArgumentException(
                        "A place has a weight of 1 or more and takes 0 cycles or more, not a weight of %d and %d to %d cycles"
                                .formatted(weight, least, most));
            }
        }
    }

    /// Checks that a line is anywhere.
    public ReceivedCosts {
        cached = List.copyOf(cached);
        if (cacheBytes < 0 || cached.isEmpty() || uncached < 0) {
            throw new IllegalArgumentException(
                    "A cache of 0 bytes or more has at least one place, and a load without it takes 0 cycles or more, not %d bytes, %d places and %d cycles"
                            .formatted(cacheBytes, cached.size(), uncached));
        }
    }

    /// What a load takes.
    ///
    /// @param writtenBytes how much the NIC writes to
    public int draw(long writtenBytes, RandomGenerator chance) {
        if (writtenBytes > cacheBytes) {
            return uncached;
        }
        int drawn = chance.nextInt(cached.stream().mapToInt(Place::weight).sum());
        int i = 0;
        while (drawn >= cached.get(i).weight) {
            drawn -= cached.get(i).weight;
            i++;
        }
        Place place = cached.get(i);
        return chance.nextInt(place.least, place.most + 1);
    }
}
