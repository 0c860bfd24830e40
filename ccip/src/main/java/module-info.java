import org.jspecify.annotations.NullMarked;

/// The CCI-P platform: the FIU between a host and an accelerator function, cycle by cycle. Needs
/// nothing but the JDK.
@NullMarked
module dev.outboard.ccip {
    requires static org.jspecify;

    exports dev.outboard.ccip.afu;
    exports dev.outboard.ccip.afu.example;
    exports dev.outboard.ccip.checker;
    exports dev.outboard.ccip.host;
    exports dev.outboard.ccip.litmus;
    exports dev.outboard.ccip.platform;
    exports dev.outboard.ccip.rtl;
    exports dev.outboard.ccip.trace;
    exports dev.outboard.ccip.wire;
}
