package dev.outboard.dpa.machine;

import java.util.Optional;

/// What a program outside the DPA sees of a run: one that plays the NIC, the host or a peer. It
/// reads and writes through the same rules as everybody, at the addresses of [AddressMap]; external
/// memory has the top bit set.
public interface Outside extends MemoryAccess {

    /// The number of this actor, as its observer knows it.
    int actor();

    /// Adds to 8 bytes in one step, atomically among all accesses of NIC and host.
    ///
    /// @return the former value
    long fetchAdd64(long address, long addend);

    /// Says that there is nothing to do at this moment. Each loop that waits for memory to change
    /// calls it.
    void pause();

    /// Takes the oldest doorbell of that register and queue, if one has arrived.
    Optional<Doorbell> pollDoorbell(int register, int queue);

    /// Waits for a doorbell of that register and queue and takes it.
    Doorbell awaitDoorbell(int register, int queue);

    /// Has the NIC look for commands: it gets a doorbell of [Doorbell#COMMAND].
    default void command() {
        command(0);
    }

    /// Has another server beside the NIC look for commands: it awaits a doorbell of
    /// [Doorbell#COMMAND] and its own number, of 24 bits and not 0.
    void command(int server);

    /// DPA-FXE-10: begins an activation of a thread, or remembers that it shall have one more after
    /// the present one.
    void activate(ThreadHandle thread);

    /// Who follows the run; to be told what the machine cannot know, such as which queue has
    /// entries that wait.
    Observer observer();
}
