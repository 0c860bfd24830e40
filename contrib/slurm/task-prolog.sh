#!/bin/sh
# Slurm's TaskProlog for accelerators (NAAs): tells each task which ones its job has, in NAA_SPEC, where clients look.
# Slurm runs it as the user before the task; what it prints as "export NAME=VALUE" enters the task's environment.
#
# Slurm counts the NAAs of a node (Gres=naa:N) and knows them by index only; naa-pool, beside this script, says what they
# are: one line per function of an NAA, with the node, the index there, and the item of NAA_SPEC
# (ADDRESS:PORT:FUNCTION:INPUTS).
pool=$(dirname "$0")/naa-pool

# The indices are nowhere but in the details of the job, for example
#   Nodes=node[1-2] CPU_IDs=0 Mem=0 GRES=gpu:1(IDX:3),naa:2(IDX:0-1)
# on one line for all nodes that have the same.
indices() {
    scontrol show job --details "$SLURM_JOB_ID" |
        sed -n 's/^ *Nodes=\([^ ]*\) .*[=,]naa\(:[^(,]*\)\{0,1\}(IDX:\([0-9,-]*\)).*/\1 \3/p' |
        while read -r nodes indices; do
            if scontrol show hostnames "$nodes" | grep -qxF "$SLURMD_NODENAME"; then
                echo "$indices"
            fi
        done
}

spec=$(awk -v node="$SLURMD_NODENAME" -v indices="$(indices)" '
    BEGIN {
        for (i = split(indices, ranges, ","); i > 0; i--) {
            last = split(ranges[i], ends, "-")
            for (index_ = ends[1]; index_ <= ends[last]; index_++) {
                mine[index_ + 0]
            }
        }
    }
    $1 == node && ($2 + 0) in mine { spec = spec (spec == "" ? "" : ",") $3 }
    END { print spec }' "$pool")

if [ -n "$spec" ]; then
    echo "export NAA_SPEC=$spec"
fi
