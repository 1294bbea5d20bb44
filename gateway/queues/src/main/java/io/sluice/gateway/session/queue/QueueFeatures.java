package io.sluice.gateway.session.queue;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.protocol.queue.QueueFrames;
import io.sluice.gateway.session.SessionFeature;
import java.util.List;

/** Composition of the features of sessions that use queues and requests. */
public final class QueueFeatures {
  private QueueFeatures() {}

  /** Returns the features, which require {@link Broker#queues} and {@link Broker#requests}. */
  public static List<SessionFeature<?>> of(QueueLimits limits, ByteBufAllocator allocator) {
    QueueFrames frames = new QueueFrames(allocator);
    SessionFeature<Consumers> consumers = Consumers.feature(frames);
    return List.of(
        consumers,
        Responding.feature(frames, consumers),
        DurableRequests.feature(frames, limits.durables()),
        Requesting.feature(frames),
        Transacting.feature(frames, consumers, limits.transactionBytes()));
  }
}
