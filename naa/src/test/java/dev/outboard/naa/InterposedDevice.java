package dev.outboard.naa;

import dev.outboard.fabric.ConnectionChannel;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.DeviceLimits;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.PortSpace;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePairAttributes;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/// A device between the NAA and the fabric: it writes down what it is asked for, and fails where it
/// is told to.
public final class InterposedDevice {
    /// What connections were asked for with, and granted.
    final List<ConnectionParameters> requests = new CopyOnWriteArrayList<>();

    final List<ConnectionParameters> grants = new CopyOnWriteArrayList<>();

    /// How long to resolve an address or a route.
    final List<Duration> limitsGiven = new CopyOnWriteArrayList<>();

    final List<QueuePairAttributes> queuePairs = new CopyOnWriteArrayList<>();

    /// Queue pairs that were destroyed when their memory was not registered any more.
    final List<String> violations = new CopyOnWriteArrayList<>();

    /// Of the last listener.
    volatile int backlog;

    /// How long the thread of the test has waited for an event at most.
    volatile Duration longestWait = Duration.ZERO;

    volatile UnaryOperator<DeviceLimits> limits = UnaryOperator.identity();

    /// No completion queue can be created.
    volatile boolean refusesQueues;

    /// Looking for an address fails as no device should.
    volatile boolean failsToResolve;

    /// Ids, channels and domains that this thread closes fail to.
    volatile Thread failsToClose;

    /// How far one gets with an address.
    public final Map<InetAddress, ConnectionEvent.Type> broken = new ConcurrentHashMap<>();

    /// The devices that memory was registered with.
    private final Set<Device> registering = ConcurrentHashMap.newKeySet();

    private final Thread creator = Thread.currentThread();

    /// What is called instead of the method of the fabric's own object.
    private interface Interception {
        Object call(String method, Object[] arguments, Call original);
    }

    private interface Call {
        Object proceed();
    }

    /// `device`, with this between.
    public Device over(Device device) {
        return interposed(
                Device.class,
                device,
                (method, arguments, original) ->
                        switch (method) {
                            case "limits" -> limits.apply(device.limits());
                            case "createCompletionQueue" -> {
                                if (refusesQueues) {
                                    throw new FabricException(
                                            FabricException.Reason.LIMIT_REACHED,
                                            "no more completion queues");
                                }
                                yield original.proceed();
                            }
                            case "allocateProtectionDomain" ->
                                    over(device, (ProtectionDomain) original.proceed());
                            case "createConnectionChannel" ->
                                    new Channel(device, (ConnectionChannel) original.proceed())
                                            .outside;
                            default -> original.proceed();
                        });
    }

    private ProtectionDomain over(Device device, ProtectionDomain domain) {
        return interposed(
                ProtectionDomain.class,
                domain,
                (method, arguments, original) -> {
                    Object result = original.proceed();
                    switch (method) {
                        case "register" -> registering.add(device);
                        case "close" -> failIfTold();
                        default -> {}
                    }
                    return result;
                });
    }

    private final class Channel {
        final ConnectionChannel outside;
        private final Device device;
        private final Map<ConnectionId, ConnectionId> ids = new ConcurrentHashMap<>();

        /// Events that the fabric knows nothing of.
        private final Queue<ConnectionEvent> told = new ConcurrentLinkedQueue<>();

        Channel(Device device, ConnectionChannel inside) {
            this.device = device;
            outside =
                    interposed(
                            ConnectionChannel.class,
                            inside,
                            (method, arguments, original) ->
                                    switch (method) {
                                        case "createId" ->
                                                over(
                                                        inside.createId(
                                                                arguments == null
                                                                        ? PortSpace.TCP
                                                                        : (PortSpace)
                                                                                arguments[0]));
                                        case "next" -> next(inside, (Duration) arguments[0]);
                                        case "close" -> {
                                            inside.close();
                                            failIfTold();
                                            yield null;
                                        }
                                        default -> original.proceed();
                                    });
        }

        private Optional<ConnectionEvent> next(ConnectionChannel inside, Duration timeout) {
            if (Thread.currentThread().equals(creator) && timeout.compareTo(longestWait) > 0) {
                longestWait = timeout;
            }
            ConnectionEvent own = told.poll();
            return own == null ? inside.next(timeout).map(this::seen) : Optional.of(own);
        }

        private ConnectionEvent seen(ConnectionEvent event) {
            return new ConnectionEvent(
                    typeOf(event),
                    over(event.id()),
                    event.listener().map(this::over),
                    event.status(),
                    event.explanation(),
                    event.parameters(),
                    event.destination());
        }

        private ConnectionEvent.Type typeOf(ConnectionEvent event) {
            ConnectionEvent.Type told = brokenAt(event.id()).orElse(event.type());
            return switch (event.type()) {
                case ADDRESS_RESOLVED ->
                        told == ConnectionEvent.Type.ADDRESS_ERROR ? told : event.type();
                case ROUTE_RESOLVED ->
                        told == ConnectionEvent.Type.ROUTE_ERROR ? told : event.type();
                default -> event.type();
            };
        }

        private Optional<ConnectionEvent.Type> brokenAt(ConnectionId id) {
            return id.remoteAddress()
                    .map(InetSocketAddress::getAddress)
                    .flatMap(address -> Optional.ofNullable(broken.get(address)));
        }

        private ConnectionId over(ConnectionId inside) {
            return ids.computeIfAbsent(
                    inside,
                    id ->
                            interposed(
                                    ConnectionId.class,
                                    id,
                                    (method, arguments, original) -> {
                                        before(id, method, arguments);
                                        if (method.equals("connect") && isUnreachable(id)) {
                                            told.add(unreachable(id));
                                            return null;
                                        }
                                        if (method.equals("createQueuePair")) {
                                            return id.createQueuePair(
                                                    inside(arguments[0]),
                                                    (QueuePairAttributes) arguments[1]);
                                        }
                                        Object result = original.proceed();
                                        if (method.equals("close")) {
                                            failIfTold();
                                        }
                                        return result;
                                    }));
        }

        private void before(ConnectionId id, String method, Object[] arguments) {
            switch (method) {
                case "resolveAddress" -> {
                    if (failsToResolve) {
                        throw new IllegalStateException("told to fail");
                    }
                    limitsGiven.add((Duration) arguments[1]);
                }
                case "resolveRoute" -> limitsGiven.add((Duration) arguments[0]);
                case "listen" -> backlog = (int) arguments[1];
                case "connect" -> requests.add((ConnectionParameters) arguments[0]);
                case "accept" -> grants.add((ConnectionParameters) arguments[0]);
                case "createQueuePair" -> queuePairs.add((QueuePairAttributes) arguments[1]);
                case "close" -> {
                    boolean hasMemory = device.counters().get("open.memory-regions") > 0;
                    boolean hadMemory = registering.contains(device);
                    if (id.queuePair().isPresent() && hadMemory && !hasMemory) {
                        violations.add("a region was closed before the queue pair");
                    }
                }
                default -> {}
            }
        }

        private boolean isUnreachable(ConnectionId id) {
            return brokenAt(id).filter(ConnectionEvent.Type.UNREACHABLE::equals).isPresent();
        }

        private ConnectionEvent unreachable(ConnectionId id) {
            return new ConnectionEvent(
                    ConnectionEvent.Type.UNREACHABLE,
                    over(id),
                    Optional.empty(),
                    0,
                    "told to be unreachable",
                    ConnectionParameters.defaults());
        }
    }

    private void failIfTold() {
        if (Thread.currentThread().equals(failsToClose)) {
            throw new FabricException(FabricException.Reason.SYSTEM, "told to fail");
        }
    }

    // ---- proxies --------------------------------------------------------------------------------

    private record Interposed(Object inside, Interception interception)
            implements java.lang.reflect.InvocationHandler {
        @Override
        public Object invoke(Object self, Method method, Object[] arguments) {
            if (method.getDeclaringClass().equals(Object.class)) {
                return switch (method.getName()) {
                    case "equals" -> isOfThis(arguments[0]);
                    case "hashCode" -> inside.hashCode();
                    default -> "interposed " + inside;
                };
            }
            return interception.call(
                    method.getName(), arguments, () -> proceed(method, inside, arguments));
        }

        private boolean isOfThis(Object other) {
            return Proxy.isProxyClass(other.getClass())
                    && Proxy.getInvocationHandler(other).equals(this);
        }

        private static Object proceed(Method method, Object on, Object[] arguments) {
            try {
                return method.invoke(on, arguments);
            } catch (InvocationTargetException e) {
                if (e.getCause() instanceof RuntimeException failure) {
                    throw failure;
                }
                throw new AssertionError(e);
            } catch (IllegalAccessException e) {
                throw new AssertionError(e);
            }
        }
    }

    private static <T> T interposed(Class<T> type, T inside, Interception interception) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        new Interposed(inside, interception)));
    }

    private static ProtectionDomain inside(Object domain) {
        return (ProtectionDomain) ((Interposed) Proxy.getInvocationHandler(domain)).inside();
    }
}
