package io.sluice.gateway.hub;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.shard.HubShard;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Hub with subscribers on all topics, for benchmarks. Bound to the benchmark's thread. */
final class BusyHub implements AutoCloseable {
  private static final int QUEUE_LIMIT = 1 << 20;
  private static final int PAYLOAD_BYTES = 64;

  private final HubFixture fixture;
  private final List<CountingSubscriber> subscribers = new ArrayList<>();
  private final List<TopicListener> listeners = new ArrayList<>();
  private final List<Message> messages = new ArrayList<>();
  private final Delivery delivery;
  private final int keys;
  private final Refs refs;
  private final SplittableRandom identities = new SplittableRandom(1);
  private long sequence;

  /** Refs of the subscriptions. */
  enum Refs {
    /** Plain subscriptions without a ref. */
    NONE,
    /** The same ref for all subscriptions. */
    EQUAL,
    /** A different ref for each subscriber. */
    OWN
  }

  /** Subscribes every subscriber of each loop to every topic. */
  BusyHub(int loops, int subscribersALoop, int topics, Encoding encoding) {
    this(loops, subscribersALoop, topics, encoding, Delivery.ALL, 0, Refs.NONE);
  }

  /**
   * @param keys number of keys of each topic; 0 if messages have none
   */
  BusyHub(
      int loops,
      int subscribersALoop,
      int topics,
      Encoding encoding,
      Delivery delivery,
      int keys,
      Refs refs) {
    this.delivery = delivery;
    this.keys = keys;
    this.refs = refs;
    fixture =
        new HubFixture(
            loops,
            Config.defaults().with(LimitSettings.SHARD_QUEUE, QUEUE_LIMIT),
            PooledByteBufAllocator.DEFAULT,
            null);
    fixture.broker.connect();
    fixture.settle();
    for (HubShard shard : fixture.shards) {
      for (int i = 0; i < subscribersALoop; i++) {
        subscribers.add(new CountingSubscriber(shard, encoding));
      }
    }
    for (int i = 0; i < topics; i++) {
      open("topic." + i);
    }
  }

  private void open(String topic) {
    for (int i = 0; i < subscribers.size(); i++) {
      int loop = i / (subscribers.size() / fixture.shards.size());
      int ref = refs == Refs.OWN ? i : 1;
      fixture
          .shards
          .get(loop)
          .subscribe(
              subscribers.get(i),
              InterestKey.of(topic),
              ref,
              refs != Refs.NONE,
              Start.NOW,
              delivery);
    }
    fixture.settle();
    listeners.add(fixture.broker.listener(topic));
    for (int i = 0; i < Math.max(1, keys); i++) {
      String key = keys == 0 ? null : "key." + i;
      byte[] payload = new byte[PAYLOAD_BYTES];
      messages.add(new Message(topic, 1, 1, PayloadKind.TEXT, payload, null, key));
    }
  }

  /** Runs the broker's thread for the messages, one topic after the other. */
  void offer(int count) {
    for (int i = 0; i < count; i++) {
      int topic = i % listeners.size();
      int key = keys == 0 ? 0 : i / listeners.size() % keys;
      Message model = messages.get(topic * Math.max(1, keys) + key);
      listeners
          .get(topic)
          .onMessage(
              copy(model, identities.nextLong() & Long.MAX_VALUE), DeliveryInfo.of(++sequence));
    }
  }

  // A repeated identity would be treated as one of the broker's history. Random identities are
  // distributed like the hashes that identity tables rely on.
  private static Message copy(Message model, long identity) {
    return new Message(
        model.topic(), identity, 1, PayloadKind.TEXT, model.payload(), null, model.key());
  }

  /** Runs the event loops for all offered messages. */
  void drain() {
    fixture.loops.forEach(ManualExecutor::runAll);
  }

  /** Runs one event loop for all offered messages. */
  void drain(int loop) {
    fixture.loops.get(loop).runAll();
  }

  @Override
  public void close() {
    fixture.close();
  }
}
