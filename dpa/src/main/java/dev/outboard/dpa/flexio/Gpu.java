package dev.outboard.dpa.flexio;

/// DPA-HW-15: a GPU that works with the DPA: its memory, which keys can be made for and windows
/// reach, and streams, which do one thing after the other without the host. [SimulatedGpu] is one
/// without hardware; another one gives its own memory by [FlexioBuffer#of].
///
/// ```java
/// Gpu gpu = SimulatedGpu.of(process);
/// FlexioBuffer images = gpu.allocate("images", 1 << 20);
/// try (GpuStream stream = gpu.stream("blur")) {
///     stream.await32(flag, 1);
///     stream.copy(images.address(), input, 4096);
///     stream.update32(done, 1);
///     stream.synchronize(Duration.ofSeconds(1));
/// }
/// ```
///
/// Any thread of the host may use it.
public interface Gpu {
    /// Takes memory of the kind GPU, which starts as zero. It lives as long as the process.
    ///
    /// @throws FlexioException if it is less than 1 byte, or there is no room for it
    FlexioBuffer allocate(String name, long lengthBytes);

    /// Makes a stream, which has nothing to do as yet.
    ///
    /// @throws FlexioException if the process has ended
    GpuStream stream(String name);
}
