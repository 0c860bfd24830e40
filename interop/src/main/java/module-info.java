import org.jspecify.annotations.NullMarked;

/// A test bed with a real RDMA peer: a virtual machine whose Linux kernel has soft-RoCE.
@NullMarked
module dev.outboard.interop {
    requires static org.jspecify;

    exports dev.outboard.interop;
}
