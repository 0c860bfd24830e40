package dev.outboard.fabric.roce.wire.cm;

import java.nio.ByteBuffer;

/// SIDR_REQ: asks for the queue pair of a datagram service.
///
/// @param privateData all 216 bytes, with the [IpAddressHeader]
public record SidrRequest(int requestId, int partitionKey, ServiceId serviceId, Octets privateData)
        implements CmMessage {
    public static final int PRIVATE_DATA_LENGTH = 216;

    private static final int REQUEST_ID = 0;
    private static final int PARTITION_KEY = 4;
    private static final int SERVICE_ID = 8;
    private static final int PRIVATE_DATA = 16;

    static SidrRequest parse(ByteBuffer message) {
        return new SidrRequest(
                message.getInt(REQUEST_ID),
                Fields.get16(message, PARTITION_KEY),
                new ServiceId(message.getLong(SERVICE_ID)),
                Octets.get(message, PRIVATE_DATA, PRIVATE_DATA_LENGTH));
    }

    @Override
    public CmAttribute attribute() {
        return CmAttribute.SIDR_REQ;
    }

    @Override
    public void emit(ByteBuffer message) {
        message.putInt(REQUEST_ID, requestId);
        Fields.put16(message, PARTITION_KEY, partitionKey);
        message.putLong(SERVICE_ID, serviceId.value());
        privateData.put(message, PRIVATE_DATA);
    }
}
