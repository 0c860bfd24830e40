/*
 * The outbox page of a thread: registers of 8 bytes, each of which takes a doorbell. Where the page
 * is, the context of the thread tells. Writing a register is all there is: no fence, no writeback.
 */
#ifndef FLEXIO_DEV_DPA_ARCH_H
#define FLEXIO_DEV_DPA_ARCH_H

#include <stdint.h>

/* Offsets of the registers. */
enum {
    OUTBOX_REG_CQ_DB = 0x100,
    OUTBOX_REG_EQ_DB_REARM = 0x140,
    OUTBOX_REG_EQ_DB_NO_REARM = 0x180,
    OUTBOX_REG_SXD_DB = 0x1C0,
    OUTBOX_REG_EMU_CAP = 0x200,
    OUTBOX_REG_EMU_CAP_TRIGGER = 0x240,
    OUTBOX_REG_RXT_DB = 0x280,
    OUTBOX_REG_CC_DB = 0x340
};

/* A number of a queue has 24 bits; an index goes into the other half of the word. */
#define OUTBOX_QUEUE(number) ((uint64_t)(number) & 0xFFFFFF)
#define OUTBOX_HIGH(value, bits) (((uint64_t)(value) & ((1ull << (bits)) - 1)) << 32)

#define OUTBOX_V_CQ_DB(cqn, cq_ci) (OUTBOX_QUEUE(cqn) | OUTBOX_HIGH(cq_ci, 24))
#define OUTBOX_V_EQ_DB_REARM(eqn, eq_ci) (OUTBOX_QUEUE(eqn) | OUTBOX_HIGH(eq_ci, 26))
#define OUTBOX_V_EQ_DB_NO_REARM(eqn, eq_ci) (OUTBOX_QUEUE(eqn) | OUTBOX_HIGH(eq_ci, 26))
#define OUTBOX_V_SXD_DB(wqe_index, qp_or_sq)                                                       \
    (((uint64_t)(wqe_index) & 0xFFFF) | OUTBOX_HIGH(qp_or_sq, 24))
#define OUTBOX_V_EMU_CAP(qpn, index) (OUTBOX_QUEUE(qpn) | OUTBOX_HIGH(index, 26))
#define OUTBOX_V_EMU_CAP_TRIGGER(qpn, index) (OUTBOX_QUEUE(qpn) | OUTBOX_HIGH(index, 26))
#define OUTBOX_V_RXT_DB(cqn) OUTBOX_QUEUE(cqn)

/* Rings: the name is that of a register without OUTBOX_REG_. */
#define outbox_write(page, name, value)                                                            \
    (*(volatile uint64_t *)((uint64_t)(page) + OUTBOX_REG_##name) = (uint64_t)(value))

#endif
