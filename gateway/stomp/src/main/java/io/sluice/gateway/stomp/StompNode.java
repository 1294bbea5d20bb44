package io.sluice.gateway.stomp;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.gateway.protocol.MessageFormat;
import io.sluice.gateway.session.ProtocolContext;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Shared parts of a node's STOMP clients: formats of messages, encoders, ids of subscriptions, and
 * timers. Clients of version 1.1 and 1.2 share a format with the escape sequences of both. For any
 * thread.
 */
final class StompNode {
  static final ByteBufAllocator ALLOCATOR = PooledByteBufAllocator.DEFAULT;

  private final SubscriptionIds ids = new SubscriptionIds();
  private final StompFormat old = new StompFormat(StompVersion.V1_0, ids);
  private final StompFormat usual = new StompFormat(StompVersion.V1_1, ids);
  private final StompFormat sockJs = new SockJsFormat(StompVersion.V1_1, ids);
  private final StompFrames[] plain = frames(false);
  private final StompFrames[] overSockJs = frames(true);
  private final Map<ProtocolContext, HeartBeats> heartBeats = new ConcurrentHashMap<>();

  private static StompFrames[] frames(boolean sockJs) {
    StompVersion[] versions = StompVersion.values();
    StompFrames[] frames = new StompFrames[versions.length];
    for (StompVersion version : versions) {
      frames[version.ordinal()] = new StompFrames(ALLOCATOR, version, sockJs);
    }
    return frames;
  }

  SubscriptionIds ids() {
    return ids;
  }

  /** Returns the timer of an event loop. */
  HeartBeats heartBeats(ProtocolContext loop) {
    return heartBeats.computeIfAbsent(loop, HeartBeats::new);
  }

  /** Returns the encoder of server frames other than messages of topics. */
  StompFrames frames(StompVersion version, boolean throughSockJs) {
    return (throughSockJs ? overSockJs : plain)[version.ordinal()];
  }

  /**
   * Returns the format of clients of a version.
   *
   * @param throughSockJs whether they use SockJS; not with version 1.0
   */
  MessageFormat format(StompVersion version, boolean throughSockJs) {
    if (throughSockJs) {
      return sockJs;
    }
    return version == StompVersion.V1_0 ? old : usual;
  }

  /** Returns all formats. */
  List<MessageFormat> formats() {
    return List.of(usual, old, sockJs);
  }
}
