package dev.outboard.doca.jobs;

import dev.outboard.doca.DocaDevInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/// Two ends to connect.
abstract class JobPairContract {
    JobEnd ours;
    JobEnd theirs;

    /// A device that reaches, and is reached by, the others.
    abstract DocaDevInfo device();

    @BeforeEach
    final void open() {
        ours = new JobEnd(device());
        theirs = new JobEnd(device());
    }

    @AfterEach
    final void close() {
        ours.close();
        theirs.close();
    }
}
