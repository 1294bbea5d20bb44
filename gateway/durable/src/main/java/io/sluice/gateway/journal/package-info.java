/**
 * Journal: stores the messages of durable interests on the local disk, as a cache for replays after
 * a restart; its loss causes reported gaps, never wrong data. Calls block on disk I/O and are
 * therefore not allowed on an event loop. Entry point: {@link io.sluice.gateway.journal.Journal}.
 */
package io.sluice.gateway.journal;
