package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.Observer.WordRole;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.DoorbellRecord;
import dev.outboard.dpa.nic.layout.Syndrome;
import java.lang.foreign.MemorySegment;

/// Receive entries in memory, each of one data segment: those of one receive queue, or a receive
/// memory pool (RMP) that several receive queues take from. Made by a [NicEngine]; in the run only
/// its actor touches it, or, if its queue pairs are of a device of the fabric, whoever drives that.
public final class ReceivePool {
    private static final int INDEX_MASK = 0xFFFF;

    private final int number;
    private final Attributes attributes;
    private final int actor;
    private final NicDomain domain;
    private final Shared shared;
    private final boolean isShared;

    /// Of 16 bits: the next entry to use, and the first that is not posted as far as is known.
    private int next;

    private int posted;

    /// Where the entries are.
    ///
    /// @param ring where they lie, in DPA or external memory
    /// @param logEntries the binary logarithm of their number, up to 15
    /// @param doorbellRecord where software publishes its producer index
    public record Attributes(long ring, int logEntries, long doorbellRecord) {
        /// Checks the depth.
        public Attributes {
            QueuePair.checkDepth("receive", logEntries);
        }
    }

    /// @param isShared whether several queues take from it
    ReceivePool(int number, Attributes attributes, boolean isShared, int actor, NicDomain domain) {
        this.number = number;
        this.isShared = isShared;
        this.attributes = attributes;
        this.actor = actor;
        this.domain = domain;
        shared = domain.shared();
        long ringBytes = (long) DataSegment.BYTES << attributes.logEntries;
        shared.observer().role(attributes.ring, ringBytes, WordRole.ENTRY, number);
        shared.observer()
                .role(attributes.doorbellRecord, DoorbellRecord.BYTES, WordRole.RECORD, number);
    }

    /// That of one queue.
    static ReceivePool of(int number, QueuePair.Receive queue, int actor, NicDomain domain) {
        Attributes attributes =
                new Attributes(queue.ring(), queue.logEntries(), queue.doorbellRecord());
        return new ReceivePool(number, attributes, false, actor, domain);
    }

    /// Its number among all queues of the NIC.
    public int number() {
        return number;
    }

    /// Of which its queue pairs are, too.
    NicDomain domain() {
        return domain;
    }

    /// Whether several queues take from it: what is posted there stays for the others when one of
    /// them fails.
    boolean isShared() {
        return isShared;
    }

    /// How many entries it has room for.
    int depth() {
        return 1 << attributes.logEntries;
    }

    /// DPA-FXQ-7: looks for an entry in the doorbell record, which no doorbell announces.
    boolean hasEntry(Nic nic) {
        if (next == posted) {
            posted = DoorbellRecord.producerIndex(nic, attributes.doorbellRecord);
        }
        return next != posted;
    }

    /// Where the next entry is.
    long entry() {
        long slot = next & ((1L << attributes.logEntries) - 1);
        return attributes.ring + slot * DataSegment.BYTES;
    }

    /// Writes bytes to where the next entry says, which is there.
    ///
    /// @return what is wrong with the entry; then nothing is written
    Syndrome fill(Nic nic, MemorySegment bytes, int lengthBytes) {
        long entry = entry();
        int room = DataSegment.byteCount(nic, entry);
        if (room < lengthBytes) {
            return Syndrome.LOCAL_LENGTH;
        }
        long address = DataSegment.address(nic, entry);
        MemoryKey key = shared.memory().local(DataSegment.key(nic, entry), address, room, true);
        if (key == null) {
            return Syndrome.LOCAL_PROTECTION;
        }
        long token = shared.nextToken();
        shared.observer().posted(actor, token, entry, DataSegment.BYTES, false, 0);
        shared.observer().posted(actor, token, address, room, true, 0);
        NicMemory.write(nic, key, address, lengthBytes, bytes, 0);
        shared.observer().completed(nic.actor(), token);
        return Syndrome.SUCCESS;
    }

    /// Goes on to the entry after the next one.
    ///
    /// @return the counter of the one that was the next
    int take() {
        int taken = next;
        next = (next + 1) & INDEX_MASK;
        return taken;
    }

    /// How many entries are posted and not used.
    int waiting(Nic nic) {
        posted = DoorbellRecord.producerIndex(nic, attributes.doorbellRecord);
        return Math.min((posted - next) & INDEX_MASK, 1 << attributes.logEntries);
    }

    /// Passes over all that is posted.
    void skip() {
        next = posted;
    }
}
