package dev.outboard.interop;

import dev.outboard.testkit.Repository;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// The test beds of a run, one per path MTU, started when first asked for and removed at the end.
/// Test classes get them as a constructor's parameter.
public final class TestBeds implements AutoCloseable {
    private final Map<PathMtu, TestBed> beds = new EnumMap<>(PathMtu.class);

    private TestBeds() {}

    /// The bed that `link` is on.
    TestBed of(Link link) {
        return beds.computeIfAbsent(
                link.mtu(), mtu -> TestBed.start(Repository.root().resolve("interop"), mtu));
    }

    @Override
    public void close() {
        beds.values().forEach(TestBed::close);
    }

    /// Hands the same beds to every class.
    static final class Resolver implements ParameterResolver {
        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == TestBeds.class;
        }

        @Override
        public TestBeds resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return context.getRoot()
                    .getStore(Namespace.create(TestBeds.class))
                    .computeIfAbsent(TestBeds.class, key -> new TestBeds(), TestBeds.class);
        }
    }
}
