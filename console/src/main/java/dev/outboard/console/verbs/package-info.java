/// `outboard verbs`: the small tools that RDMA people expect, able to talk to their originals.
package dev.outboard.console.verbs;
