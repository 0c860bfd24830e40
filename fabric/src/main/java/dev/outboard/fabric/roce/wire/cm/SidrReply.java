package dev.outboard.fabric.roce.wire.cm;

import java.nio.ByteBuffer;

/// SIDR_REP: the queue pair of a datagram service, or why there is none.
///
/// @param status 0 ok, 1 unsupported, 2 rejected, 3 no queue pair, 4 redirect, 5 version
/// @param additionalInfoLength how many bytes of `additionalInfo` count, as sent
/// @param vendorId 24 bits, in two pieces on the wire
public record SidrReply(
        int requestId,
        int status,
        int additionalInfoLength,
        int vendorId,
        int qpn,
        ServiceId serviceId,
        int queueKey,
        Octets additionalInfo,
        Octets privateData)
        implements CmMessage {
    public static final int ADDITIONAL_INFO_LENGTH = 72;
    public static final int PRIVATE_DATA_LENGTH = 136;

    private static final int REQUEST_ID = 0;
    private static final int STATUS = 4;
    private static final int INFO_LENGTH = 5;
    private static final int VENDOR_ID_HIGH = 6;
    private static final int QPN = 8;
    private static final int VENDOR_ID_LOW = 11;
    private static final int SERVICE_ID = 12;
    private static final int QUEUE_KEY = 20;
    private static final int ADDITIONAL_INFO = 24;
    private static final int PRIVATE_DATA = 96;

    /// Every field is 0 until it is set.
    public static Builder builder() {
        return new Builder();
    }

    static SidrReply parse(ByteBuffer message) {
        return builder()
                .requestId(message.getInt(REQUEST_ID))
                .status(Fields.get8(message, STATUS))
                .additionalInfoLength(Fields.get8(message, INFO_LENGTH))
                .vendorId(
                        Fields.get16(message, VENDOR_ID_HIGH) << 8
                                | Fields.get8(message, VENDOR_ID_LOW))
                .qpn(Fields.get24(message, QPN))
                .serviceId(new ServiceId(message.getLong(SERVICE_ID)))
                .queueKey(message.getInt(QUEUE_KEY))
                .additionalInfo(Octets.get(message, ADDITIONAL_INFO, ADDITIONAL_INFO_LENGTH))
                .privateData(Octets.get(message, PRIVATE_DATA, PRIVATE_DATA_LENGTH))
                .build();
    }

    @Override
    public CmAttribute attribute() {
        return CmAttribute.SIDR_REP;
    }

    @Override
    public void emit(ByteBuffer message) {
        message.putInt(REQUEST_ID, requestId);
        Fields.put8(message, STATUS, status);
        Fields.put8(message, INFO_LENGTH, additionalInfoLength);
        Fields.put16(message, VENDOR_ID_HIGH, vendorId >>> 8);
        Fields.put24(message, QPN, qpn);
        Fields.put8(message, VENDOR_ID_LOW, vendorId);
        message.putLong(SERVICE_ID, serviceId.value());
        message.putInt(QUEUE_KEY, queueKey);
        additionalInfo.put(message, ADDITIONAL_INFO);
        privateData.put(message, PRIVATE_DATA);
    }

    /// Collects the fields; every call returns this builder.
    public static final class Builder {
        private int requestId;
        private int status;
        private int additionalInfoLength;
        private int vendorId;
        private int qpn;
        private ServiceId serviceId = new ServiceId(0);
        private int queueKey;
        private Octets additionalInfo = Octets.EMPTY.padded(ADDITIONAL_INFO_LENGTH);
        private Octets privateData = Octets.EMPTY.padded(PRIVATE_DATA_LENGTH);

        private Builder() {}

        public Builder requestId(int requestId) {
            this.requestId = requestId;
            return this;
        }

        public Builder status(int status) {
            this.status = status;
            return this;
        }

        public Builder additionalInfoLength(int additionalInfoLength) {
            this.additionalInfoLength = additionalInfoLength;
            return this;
        }

        public Builder vendorId(int vendorId) {
            this.vendorId = vendorId;
            return this;
        }

        public Builder qpn(int qpn) {
            this.qpn = qpn;
            return this;
        }

        public Builder serviceId(ServiceId serviceId) {
            this.serviceId = serviceId;
            return this;
        }

        public Builder queueKey(int queueKey) {
            this.queueKey = queueKey;
            return this;
        }

        public Builder additionalInfo(Octets additionalInfo) {
            this.additionalInfo = additionalInfo;
            return this;
        }

        public Builder privateData(Octets privateData) {
            this.privateData = privateData;
            return this;
        }

        public SidrReply build() {
            return new SidrReply(
                    requestId,
                    status,
                    additionalInfoLength,
                    vendorId,
                    qpn,
                    serviceId,
                    queueKey,
                    additionalInfo,
                    privateData);
        }
    }
}
