package dev.outboard.dpa.cc;

import java.util.List;

/// What programs in C are built with: the resources below `include` and `runtime`.
final class DeviceRuntime {
    /// Where `#include <...>` finds them.
    static final List<String> HEADERS =
            List.of(
                    "doca_dpa_dev.h",
                    "doca_dpa_dev_buf.h",
                    "doca_dpa_dev_rdma.h",
                    "doca_dpa_dev_sync_event.h",
                    "dpaintrin.h",
                    "inttypes.h",
                    "outboard_ecall.h",
                    "stdio.h",
                    "string.h",
                    "libflexio-dev/flexio_dev.h",
                    "libflexio-dev/flexio_dev_dpa_arch.h",
                    "libflexio-dev/flexio_dev_endianity.h",
                    "libflexio-dev/flexio_dev_err.h",
                    "libflexio-dev/flexio_dev_queue_access.h",
                    "libflexio-dev/flexio_dev_queue_types.h",
                    "libflexio-dev/flexio_dev_ver.h",
                    "libflexio-libc/inttypes.h",
                    "libflexio-libc/stdio.h",
                    "libflexio-libc/string.h");

    /// Is part of every program.
    static final String ABI = "abi.c";

    /// Of the others, what a program needs.
    static final List<String> SOURCES =
            List.of(ABI, "atomic.c", "calls.c", "integer.c", "string.c");

    private DeviceRuntime() {}
}
