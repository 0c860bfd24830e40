package dev.outboard.dpa.flexio;

import dev.outboard.dpacc.DpaAddr;
import java.time.Duration;

/// DPA-HW-15: operations of a GPU, one after the other: each begins when everybody sees what the
/// ones before have written. The host adds them and goes on.
///
/// An address is one of external memory of the process, of any kind but registers: what
/// [FlexioBuffer#address] gives, or something behind it. A call throws a [FlexioException], and
/// adds nothing, if there is no such memory, the stream is closed or has too many operations
/// waiting, or the process has ended.
///
/// Closing a stream ends the operation that goes on, if it is one that waits, and drops those after
/// it. A stream ends with its process.
public interface GpuStream extends AutoCloseable {
    /// Copies bytes to another place that does not overlap theirs.
    void copy(DpaAddr to, DpaAddr from, long lengthBytes);

    /// Writes a word of 4 bytes, at once for everybody.
    ///
    /// @param word an address that 4 divides
    void update32(DpaAddr word, int value);

    /// Writes a word of 8 bytes, at once for everybody.
    ///
    /// @param word an address that 8 divides
    void update64(DpaAddr word, long value);

    /// Adds to a word of 8 bytes, in one step among all accesses of NIC, host and streams.
    ///
    /// @param word an address that 8 divides
    void add64(DpaAddr word, long addend);

    /// Waits until a word of 4 bytes is at least `least`, without sign. It waits for as long as the
    /// stream lives.
    ///
    /// @param word an address that 4 divides
    void await32(DpaAddr word, int least);

    /// Waits until a word of 8 bytes is at least `least`, without sign. It waits for as long as the
    /// stream lives.
    ///
    /// @param word an address that 8 divides
    void await64(DpaAddr word, long least);

    /// Waits until all operations that were added are done.
    ///
    /// @param atMost in turns a time of the machine
    /// @return whether they are
    /// @throws FlexioException if the process has ended
    boolean synchronize(Duration atMost);

    @Override
    void close();
}
