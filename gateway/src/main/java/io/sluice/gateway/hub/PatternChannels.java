package io.sluice.gateway.hub;

import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.shard.ShardTopic;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Channels of the topics of one pattern. A channel without a message in the log is idle. Idle
 * channels are retired in batches: a retired channel serves no new message, and its number is free
 * once each attached shard has confirmed that it can send none with it ({@link Retirement}).
 *
 * <p>Bound to the interest's sequencer, but for {@link #needsUpkeep}.
 */
final class PatternChannels implements TopicLog.TopicCounter {
  private static final int LEAST_BATCH = 16;

  /**
   * A shard visits all channels of the pattern to remove a batch. A batch is at least this part of
   * them, which bounds the cost for each retired channel.
   */
  private static final int BATCH_PART = 8;

  /** The same while the node has few free numbers; any batch is large enough for few channels. */
  private static final int SCARCE_BATCH_PART = 64;

  private final String pattern;
  private final TopicLog log;
  private final Mailbox sequencer;
  private final ChannelNumbers numbers;
  private final Map<String, Use> uses = new HashMap<>(2);
  private final Set<Use> idle = new LinkedHashSet<>(0);
  private final List<Retirement> retiring = new ArrayList<>(0);

  /** Copies for the control thread. */
  private volatile int idleCount;

  private volatile int count;
  private volatile boolean isRetiring;

  /** A channel and the number of its messages in the log. */
  private static final class Use {
    private final Channel channel;
    private int messages;

    Use(Channel channel) {
      this.channel = channel;
    }
  }

  /**
   * @param sequencer the interest's mailbox
   */
  PatternChannels(String pattern, TopicLog log, Mailbox sequencer, ChannelNumbers numbers) {
    this.pattern = pattern;
    this.log = log;
    this.sequencer = sequencer;
    this.numbers = numbers;
  }

  /** The channel of a topic, or null if it has none. */
  Channel get(String topic) {
    Use known = uses.get(topic);
    return known == null ? null : known.channel;
  }

  /** Assigns a number to a topic without a channel; null if there is none left. */
  Channel add(String topic) {
    int number = numbers.take();
    if (number < 0) {
      return null;
    }
    Channel added = new Channel(number, topic, pattern);
    uses.put(topic, new Use(added));
    count = uses.size();
    return added;
  }

  /** The channels that have not been retired. */
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

  /** Whether idle channels are enough for a batch. Any thread. */
  boolean hasBatch() {
    int least =
        numbers.isScarce()
            ? Math.max(1, count / SCARCE_BATCH_PART)
            : Math.max(LEAST_BATCH, count / BATCH_PART);
    return idleCount >= least;
  }

  /** Whether {@link #upkeep} may have something to do. Any thread. */
  boolean needsUpkeep() {
    return isRetiring || hasBatch();
  }

  /** Retires idle channels and asks shards again that could not confirm. */
  void upkeep(Collection<ShardTopic> attached) {
    retiring.forEach(Retirement::askAgain);
    if (hasBatch()) {
      retireIdle(attached);
    }
  }

  /** Retires all idle channels, unless others wait for a shard: it could not confirm these, too. */
  void retireIdle(Collection<ShardTopic> attached) {
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
      retirement.ask(attached);
      releaseConfirmed();
    }
  }

  /** Frees the numbers of which no shard can send a message. */
  private void releaseConfirmed() {
    for (Iterator<Retirement> all = retiring.iterator(); all.hasNext(); ) {
      Retirement retirement = all.next();
      if (retirement.isConfirmed()) {
        all.remove();
        retirement.channels().forEach(channel -> numbers.giveBack(channel.number()));
      }
    }
    isRetiring = !retiring.isEmpty();
  }

  /** Frees all numbers. No shard is attached any more. */
  void close() {
    uses.values().forEach(use -> numbers.giveBack(use.channel.number()));
    for (Retirement retirement : retiring) {
      retirement.channels().forEach(channel -> numbers.giveBack(channel.number()));
    }
    uses.clear();
    idle.clear();
    retiring.clear();
    idleCount = 0;
    count = 0;
    isRetiring = false;
  }
}
