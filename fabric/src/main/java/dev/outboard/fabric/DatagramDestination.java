package dev.outboard.fabric;

/// Where datagrams of a service go, as its side told (librdmacm's `rdma_ud_param`): make an address
/// handle of the vector and give the rest to [SendRequest#to].
///
/// @param addressVector the way
/// @param queuePairNumber the service's queue pair
/// @param queueKey what it wants to see
public record DatagramDestination(AddressVector addressVector, int queuePairNumber, int queueKey) {}
