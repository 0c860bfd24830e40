import dev.outboard.dpacc.processor.StubProcessor;
import javax.annotation.processing.Processor;
import org.jspecify.annotations.NullMarked;

/// What marks DPA programs in Java, and the annotation processor that writes their host stubs.
/// Needs nothing but the JDK.
@NullMarked
module dev.outboard.dpacc {
    requires java.compiler;
    // Without it the bodies of kernels are not looked at.
    requires static jdk.compiler;
    requires static org.jspecify;

    exports dev.outboard.dpacc;

    provides Processor with
            StubProcessor;
}
