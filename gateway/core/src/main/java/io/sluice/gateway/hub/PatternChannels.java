package io.sluice.gateway.hub;

import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.shard.TopicUser;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Channels of the topics of one pattern. A channel without a message in the log is idle. Idle
 * channels are retired in batches: a retired channel is not used for new messages. Its number is
 * released once each attached shard has confirmed that it has no message for it ({@link
 * Retirement}).
 *
 * <p>Bound to the interest's sequencer, except for {@link #needsMaintenance}.
 */
final class PatternChannels implements TopicLog.TopicCounter {
  private static final int MIN_BATCH = 16;

  /**
   * Divisor of the pattern's channels that yields the minimum batch. A shard visits all channels to
   * remove a batch, hence this bounds the cost per retired channel.
   */
  private static final int BATCH_DIVISOR = 8;

  /** The divisor while the node has few free numbers; {@link #MIN_BATCH} then does not apply. */
  private static final int SCARCE_BATCH_DIVISOR = 64;

  private final String pattern;
  private final TopicLog log;
  private final Mailbox sequencer;
  private final ChannelNumbers numbers;
  private final Predicate<String> compressedAlone;
  private final int stream;
  private final Map<String, Use> uses = new HashMap<>(2);
  private final Set<Use> idle = new LinkedHashSet<>(0);
  private final List<Retirement> retiring = new ArrayList<>(0);

  /** Copies for the control thread. */
  private volatile int idleCount;

  private volatile int count;
  private volatile boolean isRetiring;

  /** Channel with the number of its messages in the log. */
  private static final class Use {
    private final Channel channel;
    private int messages;

    Use(Channel channel) {
      this.channel = channel;
    }
  }

  /**
   * Creates channels of a pattern without topics.
   *
   * @param sequencer the interest's mailbox
   * @param compressedAlone whether messages of a topic are not compressed together with others
   * @param stream number of the pattern's stream in compressed frames
   */
  PatternChannels(
      String pattern,
      TopicLog log,
      Mailbox sequencer,
      ChannelNumbers numbers,
      Predicate<String> compressedAlone,
      int stream) {
    this.stream = stream;
    this.compressedAlone = compressedAlone;
    this.pattern = pattern;
    this.log = log;
    this.sequencer = sequencer;
    this.numbers = numbers;
  }

  /** Returns the channel of a topic, or null if it has none. */
  Channel get(String topic) {
    Use known = uses.get(topic);
    return known == null ? null : known.channel;
  }

  /** Creates a channel for a topic; returns null if no number is free. */
  Channel add(String topic) {
    int number = numbers.acquire();
    if (number < 0) {
      return null;
    }
    Channel added =
        new Channel(number, topic, pattern, compressedAlone.test(topic), stream, log.epochText());
    uses.put(topic, new Use(added));
    count = uses.size();
    return added;
  }

  /** Returns the channels that are not retired. */
  List<Channel> all() {
    List<Channel> channels = new ArrayList<>(uses.size());
    uses.values().forEach(use -> channels.add(use.channel));
    return channels;
  }

  @Override
  public void onLogged(String topic) {
    Use use = uses.get(topic);
    if (use.messages++ == 0 && idle.remove(use)) {
      idleCount = idle.size();
    }
  }

  @Override
  public void onDiscarded(String topic) {
    Use use = uses.get(topic);
    if (--use.messages == 0) {
      idle.add(use);
      idleCount = idle.size();
    }
  }

  /** Returns whether there are enough idle channels for a batch. Any thread may call it. */
  boolean hasBatch() {
    int minBatch =
        numbers.isScarce()
            ? Math.max(1, count / SCARCE_BATCH_DIVISOR)
            : Math.max(MIN_BATCH, count / BATCH_DIVISOR);
    return idleCount >= minBatch;
  }

  /** Returns whether {@link #maintain} may have work. Any thread may call it. */
  boolean needsMaintenance() {
    return isRetiring || hasBatch();
  }

  /** Retires idle channels and repeats requests that shards could not confirm. */
  void maintain(Collection<TopicUser> attached) {
    retiring.forEach(Retirement::requestAgain);
    if (hasBatch()) {
      retireIdle(attached);
    }
  }

  /**
   * Retires all idle channels, unless an earlier retirement is pending: the same shard could not
   * confirm the new one either.
   */
  void retireIdle(Collection<TopicUser> attached) {
    if (!retiring.isEmpty()) {
      return;
    }
    Set<Channel> batch = new HashSet<>();
    for (Use use : idle) {
      batch.add(use.channel);
      uses.remove(use.channel.topic());
    }
    idle.clear();
    idleCount = 0;
    count = uses.size();
    if (!batch.isEmpty()) {
      Retirement retirement = new Retirement(sequencer, this::releaseConfirmed, batch, log.last());
      retiring.add(retirement);
      retirement.request(attached);
      releaseConfirmed();
    }
  }

  /** Releases the numbers that all shards have confirmed. */
  private void releaseConfirmed() {
    for (Iterator<Retirement> all = retiring.iterator(); all.hasNext(); ) {
      Retirement retirement = all.next();
      if (retirement.isConfirmed()) {
        all.remove();
        retirement.channels().forEach(channel -> numbers.release(channel.number()));
      }
    }
    isRetiring = !retiring.isEmpty();
  }

  /** Releases all numbers. Called after all shards were detached. */
  void close() {
    uses.values().forEach(use -> numbers.release(use.channel.number()));
    for (Retirement retirement : retiring) {
      retirement.channels().forEach(channel -> numbers.release(channel.number()));
    }
    uses.clear();
    idle.clear();
    retiring.clear();
    idleCount = 0;
    count = 0;
    isRetiring = false;
  }
}
