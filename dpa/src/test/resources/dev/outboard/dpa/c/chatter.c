/* The program "chatter" in C. */
#include <doca_dpa_dev.h>
#include <libflexio-libc/stdio.h>

__dpa_global__ void logs(const char *text, long value)
{
    DOCA_DPA_DEV_LOG_CRIT("%s is %#lx\n", text, value);
    DOCA_DPA_DEV_LOG_ERR("100%% of %ld", -value);
    DOCA_DPA_DEV_LOG_WARN("warned");
    DOCA_DPA_DEV_LOG_INFO("informed");
    DOCA_DPA_DEV_LOG_DBG("debugged");
    printf("printed");
}

__dpa_rpc__ uint64_t traces(uint64_t value)
{
    doca_dpa_dev_trace(value, 2, 3, 4, ~value);
    doca_dpa_dev_trace_flush();
    return 0;
}
