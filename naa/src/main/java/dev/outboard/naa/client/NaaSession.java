package dev.outboard.naa.client;

import dev.outboard.naa.NaaException;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.RpcException;
import dev.outboard.naa.RpcResult;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A session, as every [NaaClient] is one, in the manner of MPI (`spec/naaice.md`, section 16): it
/// finds an NAA for the function in [NaaSpec], and an RPC proceeds while the caller computes.
///
/// ```java
/// try (NaaSession session = NaaSession.create(10, List.of(a, b), List.of(sum))) {
///     session.invoke();
///     … // something else
///     NaaStatus status = session.await();
/// }
/// ```
///
/// The reference's `naa_create`, `naa_invoke`, `naa_test`, `naa_wait` and `naa_finalize` are
/// [#create], [#invoke], [#test], [#await] and [#close]. Failed RPCs are told by the status, not
/// thrown.
///
/// One thread at a time may call; [#test] and [#close] may come from any thread.
public final class NaaSession implements AutoCloseable {
    private final NaaSpec spec;
    private final NaaSpec.Item naa;
    private final NaaClient client;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile @Nullable CompletableFuture<RpcResult> rpc;

    private NaaSession(NaaSpec spec, NaaSpec.Item naa, NaaClient client) {
        this.spec = spec;
        this.naa = naa;
        this.client = client;
    }

    /// Connects to the first NAA of the environment that offers the function and is not in use.
    ///
    /// @see #create(NaaSpec, int, List, List, UnaryOperator)
    public static NaaSession create(
            int functionCode, List<NaaParameter> inputs, List<NaaParameter> outputs) {
        return create(
                NaaSpec.ofEnvironment(), functionCode, inputs, outputs, UnaryOperator.identity());
    }

    /// Connects to the first NAA of `spec` that offers the function and is not in use, and sets up
    /// the regions: the inputs, then the outputs that are no inputs. An output that begins where an
    /// input does is the same region, as long as the longer of both.
    ///
    /// NAA-MW-1: look up, connect, mark, register, set up.
    ///
    /// @param settings what else the client shall be like, for example its time limits
    /// @throws NaaException if no NAA is free or the connection fails; the NAA is free again then
    /// @throws IllegalArgumentException if the parameters do not fit the NAA or overlap otherwise
    public static NaaSession create(
            NaaSpec spec,
            int functionCode,
            List<NaaParameter> inputs,
            List<NaaParameter> outputs,
            UnaryOperator<NaaClientBuilder> settings) {
        List<RegionSpec> regions = regions(inputs, outputs);
        NaaSpec.Item naa = spec.take(functionCode);
        try {
            /// NAA-MW-16: the item tells how many inputs its function takes.
            if (naa.parameterCount() != inputs.size()) {
                throw new IllegalArgumentException(
                        "%d inputs for function %d; NAA_SPEC item '%s' says it takes %d"
                                .formatted(inputs.size(), functionCode, naa, naa.parameterCount()));
            }
            NaaClientBuilder builder =
                    NaaClient.builder(naa.host(), naa.port())
                            .functionCode(functionCode)
                            .local(spec.localAddress().orElse(""))
                            .regions(regions);
            return new NaaSession(spec, naa, settings.apply(builder).open());
        } catch (RuntimeException e) {
            /// NAA-MW-11: nothing stays taken, for the client is closed already.
            spec.release(naa);
            throw e;
        }
    }

    /// NAA-MW-3, NAA-MW-4, NAA-MW-5: inputs in their order, then what is output only; an output
    /// that starts where an input does is one region with it, as long as the longer.
    private static List<RegionSpec> regions(List<NaaParameter> inputs, List<NaaParameter> outputs) {
        List<NaaParameter> pureOutputs = new ArrayList<>(outputs);
        List<RegionSpec> regions = new ArrayList<>();
        for (NaaParameter input : inputs) {
            Optional<NaaParameter> output =
                    pureOutputs.stream().filter(input::startsWith).findFirst();
            output.ifPresent(pureOutputs::remove);
            MemorySegment memory = longer(input, output.orElse(input));
            regions.add(
                    new RegionSpec(
                            memory,
                            true,
                            output.isPresent(),
                            input.singleSend(),
                            OptionalLong.empty()));
        }
        for (NaaParameter output : pureOutputs) {
            if (output.singleSend()) {
                throw new IllegalArgumentException(
                        "output %d is to be sent once, but only inputs are sent"
                                .formatted(outputs.indexOf(output)));
            }
            regions.add(RegionSpec.output(output.memory()));
        }
        refuseOverlaps(regions);
        return regions;
    }

    private static MemorySegment longer(NaaParameter input, NaaParameter output) {
        boolean isOutput = output.memory().byteSize() > input.memory().byteSize();
        return isOutput ? output.memory() : input.memory();
    }

    private static void refuseOverlaps(List<RegionSpec> regions) {
        for (int i = 0; i < regions.size(); i++) {
            for (int j = 0; j < i; j++) {
                MemorySegment one = regions.get(j).memory();
                if (one.asOverlappingSlice(regions.get(i).memory()).isPresent()) {
                    throw new IllegalArgumentException(
                            "regions %d and %d overlap; only an output that begins where an input"
                                            .formatted(j, i)
                                    + " does may share memory with it");
                }
            }
        }
    }

    /// Starts an RPC with the current content of the inputs and returns; the transfer and the
    /// routine proceed by themselves. Inputs and outputs are left alone until it is complete.
    ///
    /// NAA-MW-6: nobody waits.
    ///
    /// @throws IllegalStateException if the last one is not complete, or the session has failed
    public void invoke() {
        rpc = client.invokeAsync();
    }

    /// Starts an RPC that returns its result in `output`, one of the session's parameters;
    /// `ap1-2023` only.
    ///
    /// NAA-MW-19: the older form.
    public void invoke(MemorySegment output) {
        client.setReturnRegion(output);
        invoke();
    }

    /// How far the RPC is, without waiting.
    ///
    /// NAA-MW-7: in whatever state.
    public NaaStatus test() {
        CompletableFuture<RpcResult> current = rpc;
        NaaState state = client.state();
        if (current == null) {
            return new NaaStatus(state, 0, 0, Optional.empty());
        }
        if (!current.isDone()) {
            // It may have ended a moment ago, before its result is there for the caller.
            NaaState seen = state == NaaState.DATA_SENDING ? state : NaaState.DATA_RECEIVING;
            return new NaaStatus(seen, 0, 0, Optional.empty());
        }
        if (!current.isCompletedExceptionally()) {
            RpcResult result = current.join();
            return new NaaStatus(NaaState.FINISHED, 0, result.bytesReceived(), Optional.empty());
        }
        return switch ((NaaException) current.exceptionNow()) {
            case RpcException e ->
                    new NaaStatus(NaaState.FINISHED, e.returnCode(), 0, Optional.empty());
            case NaaException e -> new NaaStatus(client.state(), 0, 0, Optional.of(e));
        };
    }

    /// Waits until the RPC has finished or failed; the session's own time limit bounds that.
    ///
    /// NAA-MW-8: until it is over, not for one completion.
    ///
    /// @throws IllegalStateException if none was started
    public NaaStatus await() {
        try {
            started().join();
        } catch (CompletionException e) {
            // The status tells.
        }
        return test();
    }

    /// Waits at most `limit` until the RPC has finished or failed; [NaaStatus#isComplete] tells.
    ///
    /// @throws IllegalStateException if none was started
    public NaaStatus await(Duration limit) throws InterruptedException {
        try {
            started().get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // The status tells.
        }
        return test();
    }

    private CompletableFuture<RpcResult> started() {
        CompletableFuture<RpcResult> current = rpc;
        if (current == null) {
            throw new IllegalStateException("no RPC was started; call invoke() first");
        }
        return current;
    }

    /// The client underneath, for what the middleware has no words for: user bytes, byte counts,
    /// counters.
    public NaaClient client() {
        return client;
    }

    /// The NAA that serves this session.
    public NaaSpec.Item naa() {
        return naa;
    }

    /// Disconnects, releases everything and gives the NAA back. A second call does nothing.
    ///
    /// NAA-MW-10: even if the client cannot be closed in order.
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            try {
                client.close();
            } finally {
                spec.release(naa);
            }
        }
    }
}
