#!/bin/sh
#SBATCH --gres=naa:1
# Hashes the file $1 on an accelerator that Slurm has given to the job: sbatch job.sh FILE
set -eu
spec=${NAA_SPEC%%,*}        # the first item, ADDRESS:PORT:FUNCTION:INPUTS
naa=${spec%:*:*}            # ADDRESS:PORT
outboard naa call "$naa" --function 12 --in "$1" --out "32:$1.sha256"
