package io.sluice.gateway.journal;

/**
 * What was found in a topic's database.
 *
 * @param first the oldest message's place, or null if there is no message
 * @param end the place of the next message
 */
record TopicState(TopicHead head, Mark first, Mark end) {}
