/**
 * The node's journal: the messages of durable interests on the local disk, so that a node that was
 * restarted can replay. It is a cache: what it loses costs gaps that are told, never wrong data. No
 * call may be made from an event loop, because all of them wait for the disk.
 */
package io.sluice.gateway.journal;
