package dev.outboard.dpa.cc;

import java.util.List;

/// What programs in C are built with: the resources below `include` and `runtime`.
final class DeviceRuntime {
    /// DPA-CC-14: what sources can ask for: that they are compiled for the device, by which
    /// version, and for which generation of it; later generations have higher numbers.
    static final List<String> MACROS =
            List.of(
                    "-D__DPA__=1",
                    "-D__DPA_MAJOR__=1",
                    "-D__DPA_MINOR__=0",
                    "-D__DPA_PATCH__=0",
                    "-D__NV_DPA_CX7=1",
                    "-D__NV_DPA_BF3=2",
                    "-D__NV_DPA_CX8=3",
                    "-D__NV_DPA=__NV_DPA_BF3");

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

    /// The first is part of every program, the others as far as it needs them.
    static final List<String> SOURCES =
            List.of("abi.c", "atomic.c", "calls.c", "integer.c", "string.c");

    private DeviceRuntime() {}
}
