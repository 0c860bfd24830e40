/* The program "tables" in C, as far as it is used in both forms. */
#include <doca_dpa_dev.h>

__dpa_rpc__ uint64_t add(doca_dpa_dev_hash_table_t table, uint32_t key, uint64_t value)
{
    doca_dpa_dev_hash_table_add(table, key, value);
    return 0;
}

__dpa_rpc__ uint64_t remove(doca_dpa_dev_hash_table_t table, uint32_t key)
{
    doca_dpa_dev_hash_table_remove(table, key);
    return 0;
}

__dpa_rpc__ uint64_t find(doca_dpa_dev_hash_table_t table, uint32_t key)
{
    uint64_t value = 0;
    return doca_dpa_dev_hash_table_find(table, key, &value) ? value : (uint64_t)-77;
}
