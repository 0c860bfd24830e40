package dev.outboard.fabric;

import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// An open RDMA device. It makes progress by itself: one-sided operations of a peer complete while
/// the application calls nothing; a thread that polls or awaits one of the device's queues drives
/// it directly instead.
///
/// Control calls may come from any thread. [#close] ends every connection and closes everything
/// that was made from the device, in reverse order.
///
/// It is one of the functions of its card. The others are devices as well, each with its own queues
/// and keys, opened and closed by themselves.
public interface Device extends AutoCloseable {
    /// The role of a process, as the card sees it.
    enum Role {
        /// It has the function that it opened.
        HOST,
        /// It runs on the card's own processors, and may have any of the card's functions.
        DPU
    }

    /// The device's URI without options, for messages.
    String name();

    /// The local address packets leave from.
    InetAddress address();

    /// The address of its port on Ethernet; empty if it reaches no Ethernet itself.
    Optional<MacAddress> macAddress();

    /// What identifies the device (the verbs' `ibv_get_device_guid`): an EUI-64.
    long guid();

    /// What the device can do.
    DeviceLimits limits();

    /// The role in which this process opened the device.
    Role role();

    /// Which function of its card the device is.
    NicFunction function();

    /// The functions that this process may have, by number: in a host's role that of the device, in
    /// a DPU's role all of the card.
    List<NicFunction> functions();

    /// Opens the function with that number for this process alone, in the role of this device. It
    /// is the caller's to close; neither device goes with the other.
    ///
    /// @throws FabricException with NOT_PERMITTED if it is not this device's and the role is a
    ///   host's; with INVALID_ARGUMENT if the card has no such function; with ADDRESS_IN_USE if it
    ///   is open, as this device is; with CLOSED if this device is closed
    Device openFunction(int number);

    /// Allocates a protection domain: memory regions and queue pairs work together only within one.
    ProtectionDomain allocateProtectionDomain();

    /// Creates a completion queue for at most `capacity` completions that were not polled yet.
    ///
    /// @throws FabricException with LIMIT_REACHED if `capacity` is not in
    ///   1..[DeviceLimits#maxCompletions]
    CompletionQueue createCompletionQueue(int capacity);

    /// Creates a completion queue that reports its notifications to `channel`.
    ///
    /// @throws FabricException with LIMIT_REACHED if `capacity` is not in
    ///   1..[DeviceLimits#maxCompletions]; with INVALID_ARGUMENT if `channel` is another device's;
    ///   with CLOSED if it is closed
    CompletionQueue createCompletionQueue(int capacity, CompletionChannel channel);

    /// Creates a completion queue that hands each completion to `sink`, inside the turn of the
    /// device that made it.
    CompletionQueue createCompletionQueue(CompletionSink sink);

    /// Creates a channel on which one thread can wait for several completion queues.
    CompletionChannel createCompletionChannel();

    /// Opens an arena for memory that is to be registered: zero-filled, shared between threads, and
    /// from 64 KiB on mapped for each allocation and unmapped when the arena is closed, so that it
    /// goes back to the system at once. An allocation that fails throws a [FabricException] with
    /// SYSTEM. The arena is the caller's and may outlive the device; close regions before it.
    Arena openArena();

    /// Allocates `length` bytes of the card's own memory, zeros at first, at a multiple of
    /// `alignment` there.
    ///
    /// @throws FabricException with LIMIT_REACHED if the card has not so much left, or none at all
    ///   ([DeviceLimits#maxDeviceMemoryBytes] is 0); with INVALID_ARGUMENT if `length` is not
    ///   positive or `alignment` no power of two up to 4096
    DeviceMemory allocateDeviceMemory(long length, long alignment);

    /// Creates a file descriptor for programs that wait in `poll` or `epoll`, to be attached to
    /// channels of this or other devices. It is the caller's to close.
    ///
    /// @throws FabricException with SYSTEM if the process may not have another descriptor
    NotificationHandle createNotificationHandle();

    /// Creates a channel on which connection events of its [ConnectionId]s arrive.
    ConnectionChannel createConnectionChannel();

    /// Whether its network is simulated, so that time passes there as applications look and wait.
    /// One that waits for nothing in particular would let it pass for nothing.
    boolean isSimulated();

    /// False once it is closed; whatever is to be made from it is refused then, with CLOSED. A
    /// device that is closed under queue pairs and queues in use brings no completion for what is
    /// outstanding. Any thread.
    boolean isOpen();

    /// Takes the oldest asynchronous event, waiting for one at most `timeout`; a zero timeout does
    /// not wait. Any thread. The device keeps a bounded number of events; what comes while it is
    /// full is lost and counted as `events.lost`.
    Optional<AsyncEvent> nextEvent(Duration timeout);

    /// Has `watch` told of each packet of the device's queue pairs from now on, and who was told
    /// before no more: [PacketWatch#NONE] ends it. Any thread, but inside a turn; harmless when the
    /// device is closed. A device that does not see its packets has nothing to tell.
    default void watchPackets(PacketWatch watch) {
        // It does not see them.
    }

    /// Everything the device counted since it was opened, discards by reason included; names in
    /// lower case with dots. A consistent order, a snapshot per value.
    Map<String, Long> counters();

    @Override
    void close();
}
