/*
 * Memory windows and SEND with invalidate, which no tool of rdma-core uses.
 *
 *   windows use ADDRESS PORT         connects; writes and reads through the window that the peer
 *                                    offers, ends it, and expects to be refused from then on
 *   windows offer ADDRESS PORT TYPE  listens; offers a window of type 1 or 2 and expects the peer
 *                                    to do the same with it
 *
 * An offer is a message of 16 bytes, big-endian: address (8), key (4), type (4); its window has
 * LENGTH bytes. A window of type 2 is ended by whoever uses it, with SEND with invalidate, one of
 * type 1 by its owner, after an empty SEND. The owner then sends an empty message, and the user
 * tries once more. Exit code 0 if all was as it should be.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>

#define LENGTH 20001

/* The driver of Linux 6.1 gives programs the kernel's flag (IB_WC_WITH_INVALIDATE), not theirs. */
#define WITH_INVALIDATE (IBV_WC_WITH_INV | 1 << 2)

#define RECEIVES 4

struct offer {
	uint64_t address;
	uint32_t key;
	uint32_t type;
};

static struct rdma_cm_id *id;
static struct ibv_mr *memory, *copy, *messages;
static uint8_t bytes[LENGTH], read_back[LENGTH];
static struct offer message[2]; /* sent, received */

static void require(int holds, const char *what)
{
	if (!holds) {
		perror(what);
		exit(1);
	}
}

static uint8_t pattern(int i)
{
	return (uint8_t)(i * 7 + 3);
}

static struct ibv_wc send_completion(void)
{
	struct ibv_wc wc;

	require(rdma_get_send_comp(id, &wc) == 1, "await a send");
	return wc;
}

static struct ibv_wc receive_completion(void)
{
	struct ibv_wc wc;

	require(rdma_get_recv_comp(id, &wc) == 1, "await a receive");
	return wc;
}

static void require_status(struct ibv_wc wc, enum ibv_wc_status status, const char *what)
{
	if (wc.status != status) {
		fprintf(stderr, "%s: %s instead of %s\n", what, ibv_wc_status_str(wc.status),
			ibv_wc_status_str(status));
		exit(1);
	}
}

static struct ibv_wc receive(void)
{
	struct ibv_wc wc = receive_completion();

	require_status(wc, IBV_WC_SUCCESS, "receive");
	return wc;
}

/* Posts a request and waits for its completion. */
static void request(enum ibv_wr_opcode opcode, struct ibv_mr *mr, void *from, uint32_t length,
		    struct offer to, enum ibv_wc_status status, const char *what)
{
	struct ibv_sge sge = { (uintptr_t)from, length, mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.sg_list = &sge,
		.num_sge = length > 0,
	};

	if (opcode == IBV_WR_SEND_WITH_INV) {
		wr.invalidate_rkey = to.key;
	} else {
		wr.wr.rdma.remote_addr = to.address;
		wr.wr.rdma.rkey = to.key;
	}
	require(ibv_post_send(id->qp, &wr, &bad) == 0, what);
	require_status(send_completion(), status, what);
}

static void send_message(uint32_t length)
{
	request(IBV_WR_SEND, messages, &message[0], length, message[0], IBV_WC_SUCCESS, "send");
}

static struct rdma_addrinfo *address(const char *host, const char *port, int flags)
{
	struct rdma_addrinfo hints = { .ai_flags = flags, .ai_port_space = RDMA_PS_TCP }, *found;

	require(rdma_getaddrinfo((char *)host, (char *)port, &hints, &found) == 0, host);
	return found;
}

static struct ibv_qp_init_attr queues(void)
{
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 4, .max_recv_wr = RECEIVES, .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.sq_sig_all = 1,
	};

	return attr;
}

static void prepare(void)
{
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND;
	int i;

	memory = ibv_reg_mr(id->pd, bytes, LENGTH, access);
	copy = ibv_reg_mr(id->pd, read_back, LENGTH, IBV_ACCESS_LOCAL_WRITE);
	messages = ibv_reg_mr(id->pd, message, sizeof message, IBV_ACCESS_LOCAL_WRITE);
	require(memory && copy && messages, "register");
	for (i = 0; i < RECEIVES; i++)
		require(rdma_post_recv(id, NULL, &message[1], sizeof message[1], messages) == 0,
			"post a receive");
}

static void use(const char *host, const char *port)
{
	struct rdma_addrinfo *peer = address(host, port, 0);
	struct ibv_qp_init_attr attr = queues();
	struct rdma_conn_param parameters = { .responder_resources = 1, .initiator_depth = 1,
					      .retry_count = 7, .rnr_retry_count = 7 };
	struct offer window;
	int i;

	require(rdma_create_ep(&id, peer, NULL, &attr) == 0, "create");
	prepare();
	require(rdma_connect(id, &parameters) == 0, "connect");
	receive();
	window.address = be64toh(message[1].address);
	window.key = be32toh(message[1].key);
	window.type = be32toh(message[1].type);

	for (i = 0; i < LENGTH; i++)
		bytes[i] = pattern(i);
	request(IBV_WR_RDMA_WRITE, memory, bytes, LENGTH, window, IBV_WC_SUCCESS, "write");
	request(IBV_WR_RDMA_READ, copy, read_back, LENGTH, window, IBV_WC_SUCCESS, "read");
	require(memcmp(bytes, read_back, LENGTH) == 0, "compare what was read");
	request(window.type == 2 ? IBV_WR_SEND_WITH_INV : IBV_WR_SEND, messages, NULL, 0, window,
		IBV_WC_SUCCESS, "end");
	receive();
	request(IBV_WR_RDMA_WRITE, memory, bytes, 1, window, IBV_WC_REM_ACCESS_ERR,
		"write through a window that is gone");
}

static void bind_window(struct ibv_mw *mw, uint32_t length)
{
	struct ibv_mw_bind_info info = {
		.mr = memory, .addr = (uintptr_t)bytes, .length = length,
		.mw_access_flags = length ? IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE : 0,
	};

	if (mw->type == IBV_MW_TYPE_1) {
		struct ibv_mw_bind bind = { .send_flags = IBV_SEND_SIGNALED, .bind_info = info };

		require(ibv_bind_mw(id->qp, mw, &bind) == 0, "bind");
	} else {
		struct ibv_send_wr *bad, wr = { .opcode = IBV_WR_BIND_MW,
						.send_flags = IBV_SEND_SIGNALED };

		wr.bind_mw.mw = mw;
		wr.bind_mw.rkey = ibv_inc_rkey(mw->rkey);
		wr.bind_mw.bind_info = info;
		require(ibv_post_send(id->qp, &wr, &bad) == 0, "bind");
		mw->rkey = wr.bind_mw.rkey;
	}
	require_status(send_completion(), IBV_WC_SUCCESS, "bind");
}

static void offer(const char *host, const char *port, int type)
{
	struct rdma_addrinfo *own = address(host, port, RAI_PASSIVE);
	struct ibv_qp_init_attr attr = queues();
	struct rdma_cm_id *listener;
	struct ibv_mw *mw;
	struct ibv_wc wc;
	int i;

	require(rdma_create_ep(&listener, own, NULL, &attr) == 0, "create");
	require(rdma_listen(listener, 1) == 0, "listen");
	require(rdma_get_request(listener, &id) == 0, "get a request");
	prepare();
	require(rdma_accept(id, NULL) == 0, "accept");
	mw = ibv_alloc_mw(id->pd, type == 1 ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2);
	require(mw != NULL, "allocate a window");
	bind_window(mw, LENGTH);
	message[0].address = htobe64((uintptr_t)bytes);
	message[0].key = htobe32(mw->rkey);
	message[0].type = htobe32(type);
	send_message(sizeof message[0]);

	wc = receive();
	for (i = 0; i < LENGTH; i++)
		require(bytes[i] == pattern(i), "compare what was written");
	if (type == 2)
		require((wc.wc_flags & WITH_INVALIDATE) && wc.invalidated_rkey == mw->rkey,
			"learn which key was invalidated");
	else
		bind_window(mw, 0);
	send_message(0);
	require_status(receive_completion(), IBV_WC_WR_FLUSH_ERR, "the end");
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "use") == 0) {
		use(argv[2], argv[3]);
	} else if (argc == 5 && strcmp(argv[1], "offer") == 0) {
		offer(argv[2], argv[3], atoi(argv[4]));
	} else {
		fprintf(stderr, "usage: windows use ADDRESS PORT | offer ADDRESS PORT TYPE\n");
		return 2;
	}
	rdma_disconnect(id);
	return 0;
}
