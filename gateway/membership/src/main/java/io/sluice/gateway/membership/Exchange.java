package io.sluice.gateway.membership;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Exchange of messages between the same modules of all nodes. A node ignores messages of a channel
 * that none of its modules has. Immutable.
 *
 * @param channel first byte of all its messages
 * @param join receives the sender of messages to a node of the latest view, before the first view
 * @param onView receives the other nodes, which are compared by equality
 * @param onMessage receives a message and the node that sent it
 */
public record Exchange(
    int channel,
    Consumer<BiConsumer<Object, byte[]>> join,
    Consumer<List<?>> onView,
    BiConsumer<Object, byte[]> onMessage) {}
