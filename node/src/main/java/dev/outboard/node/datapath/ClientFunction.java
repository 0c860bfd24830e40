package dev.outboard.node.datapath;

import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.trace.Trace;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.Set;

/// What the calls of one client reach behind the DPA.
interface ClientFunction extends AutoCloseable {
    /// Nothing: the handler computes them.
    ///
    /// @param functionCodes of the calls that are for it
    record None(Set<Integer> functionCodes) implements ClientFunction {
        @Override
        public Optional<Registers> registers(FlexioProcess process) {
            return Optional.empty();
        }

        @Override
        public boolean reachesRegions() {
            return false;
        }

        @Override
        public long lineAddress(MemorySegment pages, long offset) {
            return 0;
        }

        @Override
        public void close() {
            // There is nothing.
        }
    }

    /// Where a handler finds its registers.
    ///
    /// @param address of the first one, for windows
    /// @param key of the window
    record Registers(long address, int key) {}

    /// Tells a trace of what it does from now on.
    ///
    /// @param peer whose calls it serves, if a client has connected from somewhere
    default void trace(Trace trace, Optional<InetSocketAddress> peer) {
        // It does nothing.
    }

    /// The function codes of the calls that are offered.
    Set<Integer> functionCodes();

    /// Makes its registers reachable for a process of the DPA; empty if it has none.
    Optional<Registers> registers(FlexioProcess process);

    /// Whether it reaches regions itself, which are in memory of the host then.
    boolean reachesRegions();

    /// Where it finds a region, which is mapped for it as long as it is open; 0 if it does not
    /// look.
    ///
    /// @param pages what the region is in
    /// @param offset of its first byte
    /// @throws IllegalStateException if it cannot reach that
    long lineAddress(MemorySegment pages, long offset);

    /// How many cycles its clock has run. Any thread.
    default long cycles() {
        return 0;
    }

    /// The process is gone.
    @Override
    void close();
}
