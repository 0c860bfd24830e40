package dev.outboard.dpa.doca;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.dpa.doca.dev.CompletionDescriptor;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpacc.DpaAddr;

/// The queue pairs whose completions come to a completion context, by their numbers, for device
/// code: linear probing in DPA memory, at most half full.
final class QueueTable {
    /// How many there is place for, used or not.
    static final int PLACES = 512;

    private static final int MOST = PLACES / 2;

    /// In place of a number: there was one.
    private static final long GONE = -1;

    private final FlexioProcess process;
    private final DpaAddr address;
    private final long[] numbers = new long[PLACES];
    private int used;

    QueueTable(Holdings holdings) {
        process = holdings.loaded.process();
        address = holdings.zeros(PLACES * CompletionDescriptor.QUEUE_BYTES);
    }

    DpaAddr address() {
        return address;
    }

    /// @param connection where its [dev.outboard.dpa.doca.dev.ConnectionDescriptor] is, or the
    ///   [dev.outboard.dpa.doca.dev.AsyncOpsDescriptor]
    /// @throws DocaException with NO_MEMORY if there are too many
    synchronized void add(int number, long connection) {
        int place = number & (PLACES - 1);
        while (numbers[place] > 0) {
            place = (place + 1) & (PLACES - 1);
        }
        if (numbers[place] == 0 && used == MOST) {
            throw new DocaException(
                    DocaError.NO_MEMORY,
                    "a completion context has had %d RDMA connections and contexts of asynchronous operations, as many as it can"
                            .formatted(MOST));
        }
        used += numbers[place] == 0 ? 1 : 0;
        numbers[place] = number;
        write(place, number, connection);
    }

    synchronized void remove(int number) {
        int place = number & (PLACES - 1);
        while (numbers[place] != number) {
            place = (place + 1) & (PLACES - 1);
        }
        numbers[place] = GONE;
        write(place, GONE, 0);
    }

    private void write(int place, long number, long connection) {
        process.heap()
                .copyWordsIn(
                        address.plus((long) place * CompletionDescriptor.QUEUE_BYTES),
                        number,
                        connection);
    }
}
