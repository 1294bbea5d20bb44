package io.sluice.gateway.broker.kafka;

import io.sluice.gateway.broker.ReadBack;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Fan-out of one Kafka topic to the node's interests. Bound to the feed's thread. */
final class TopicFeed {
  private static final Logger log = LoggerFactory.getLogger(TopicFeed.class);

  /** Records of a partition that are passed on before those of others. */
  private static final int MAX_AT_ONCE = 32;

  /** Receiver of events; feed's thread. */
  interface Owner {
    /**
     * Interests begin at a place. Each is held until it is released.
     *
     * @param look state of the topic that contains the place
     */
    void onJoined(List<KafkaInterest> joined, StreamPlace place, TopicLook look);

    /** Interests are refused. */
    void onRefused(List<KafkaInterest> refused, ErrorCode code, String why, Throwable cause);

    /** Records were removed that were passed on; the interest is held until it is released. */
    void onRestarted(KafkaInterest held, StreamPlace place);
  }

  private record Awaited(String name, Set<Long> claimed, long endNs, Consumer<String> answer) {}

  private final String topic;
  private final KafkaNames.Mapping mapping;
  private final KafkaNames names;
  private final RecordReader reader;
  private final ReusedOffsets reused;
  private final long maxLagMs;
  private final Owner owner;

  /** Interests without a place. */
  private final Set<KafkaInterest> waiting = new LinkedHashSet<>();

  private final InterestIndex interests = new InterestIndex();

  /** Those with messages that wait in their queue. */
  private final Set<KafkaInterest> queued = new LinkedHashSet<>();

  private final List<KafkaInterest> matching = new ArrayList<>();
  private PartitionFeed[] partitions = {};

  /** Those that wait until records have been passed on. */
  private final List<Awaited> awaited = new ArrayList<>(0);

  private boolean blocked;
  private boolean awaitsSchema;

  /** Latest state of the topic; null before the first. */
  private TopicLook look;

  /**
   * @param maxLagMs time for which records may wait for full listeners; later they are skipped
   */
  TopicFeed(
      KafkaNames.Route route,
      KafkaNames names,
      RecordReader reader,
      ReusedOffsets reused,
      long maxLagMs,
      Owner owner) {
    this.topic = route.kafkaTopic();
    this.mapping = route.mapping();
    this.names = names;
    this.reader = reader;
    this.reused = reused;
    this.maxLagMs = maxLagMs;
    this.owner = owner;
  }

  void open(KafkaInterest interest) {
    waiting.add(interest);
  }

  void close(KafkaInterest interest) {
    waiting.remove(interest);
    queued.remove(interest);
    interests.remove(interest);
  }

  /** Returns interests without a place, and removes them. */
  List<KafkaInterest> takeWaiting() {
    List<KafkaInterest> taken = List.copyOf(waiting);
    waiting.clear();
    return taken;
  }

  /** Returns all interests. */
  List<KafkaInterest> all() {
    List<KafkaInterest> all = new ArrayList<>(waiting);
    interests.forEach(all::add);
    return all;
  }

  /** Returns whether an interest has waited for its place for longer than a time. */
  boolean isOverdue(long limitNs) {
    long nowNs = System.nanoTime();
    return waiting.stream().anyMatch(interest -> nowNs - interest.openedNs() > limitNs);
  }

  boolean isUnused() {
    return waiting.isEmpty() && interests.isEmpty();
  }

  PartitionFeed[] partitions() {
    return partitions;
  }

  /** Returns whether an interest or a partition waits for the state of the topic. */
  boolean needsLook() {
    return !waiting.isEmpty() || Arrays.stream(partitions).anyMatch(PartitionFeed::mustRecover);
  }

  /** Applies the state of the topic. Returns whether the set of partitions has changed. */
  boolean onLook(TopicLook next) {
    int before = partitions.length;
    boolean again = look != null && !look.stream().equals(next.stream());
    TopicLook last = look;
    look = next;
    reused.onStream(next.stream());
    if (again) {
      log.atWarn().addKeyValue("topic", topic).log("source.topic-recreated");
      partitions = new PartitionFeed[0];
      addPartitions(false);
      restart(partition -> true);
    } else {
      recover(last);
      addPartitions(last == null);
      skipOverdue(System.nanoTime());
    }
    join();
    return again || partitions.length != before;
  }

  private void restart(IntPredicate concerned) {
    long[] from = Arrays.stream(partitions).mapToLong(PartitionFeed::next).toArray();
    interests.forEach(
        interest -> {
          int partition = interest.route().partition();
          if (partition == KafkaNames.Route.ALL || concerned.test(partition)) {
            StreamPlace place = look.place(interest.route(), before(from), reused.ids());
            interest.restart(place, from, () -> owner.onRestarted(interest, place));
            queued.add(interest);
          }
        });
  }

  /** Returns the identities of the records before offsets, the latest that are known. */
  private long[] before(long[] from) {
    return IntStream.range(0, from.length)
        .filter(index -> from[index] > 0)
        .mapToLong(
            index ->
                index < look.ends().length && from[index] <= look.ends()[index]
                    ? look.before(index, from[index])
                    : partitions[index].latest())
        .toArray();
  }

  // A partition that is new has only messages that were published after the place of each interest.
  private void addPartitions(boolean first) {
    int known = partitions.length;
    partitions = Arrays.copyOf(partitions, Math.max(known, look.ends().length));
    for (int index = known; index < partitions.length; index++) {
      TopicPartition added = new TopicPartition(topic, index);
      partitions[index] =
          first
              ? new PartitionFeed(added, look.ends()[index], look.epoch(index), maxLagMs)
              : new PartitionFeed(added, 0, Optional.empty(), maxLagMs);
    }
  }

  private void recover(TopicLook last) {
    Set<Integer> truncated = new HashSet<>();
    for (int index = 0; index < Math.min(partitions.length, look.ends().length); index++) {
      PartitionFeed partition = partitions[index];
      long before = partition.next();
      boolean lost = look.isTruncated(index, last);
      boolean moved = partition.mustRecover() && partition.recover(look, lost);
      if (moved || lost && before <= look.ends()[index]) {
        log.atWarn()
            .addKeyValue("topic", topic)
            .addKeyValue("partition", index)
            .addKeyValue("expected", before)
            .addKeyValue("next", partition.next())
            .log("source.records-removed");
        if (partition.next() > before) {
          long removed = look.before(index, partition.next());
          interests.forEach(interest -> reportMissed(interest, GapReason.BROKER_LOST, removed));
        } else {
          // Without a new leader since then, the last end may be that of other records.
          long end = lost ? Math.max(before, last.ends()[index]) : before;
          reused.add(index, partition.next(), end);
          truncated.add(index);
        }
      }
    }
    if (!truncated.isEmpty()) {
      restart(truncated::contains);
    }
  }

  private void reportMissed(KafkaInterest interest, GapReason reason, long identity) {
    if (interest.route().covers(StreamPlace.partition(identity))) {
      interest.missed(reason, identity);
      queued.add(interest);
    }
  }

  // An overloaded node would deliver ever older records.
  private void skipOverdue(long nowNs) {
    for (int index = 0; index < look.ends().length; index++) {
      long before = partitions[index].next();
      if (partitions[index].skipOverdue(look.ends()[index], look.epoch(index), nowNs)) {
        log.atWarn()
            .addKeyValue("topic", topic)
            .addKeyValue("partition", index)
            .addKeyValue("expected", before)
            .addKeyValue("next", look.ends()[index])
            .log("source.records-skipped");
        long skipped = look.before(index, look.ends()[index]);
        interests.forEach(interest -> reportMissed(interest, GapReason.OVERLOAD, skipped));
      }
    }
  }

  private void join() {
    if (waiting.isEmpty()) {
      return;
    }
    long[] from = new long[partitions.length];
    for (int index = 0; index < from.length; index++) {
      long end = index < look.ends().length ? look.ends()[index] : 0;
      from[index] = Math.max(end, partitions[index].next());
    }
    takeWaiting().stream()
        .collect(Collectors.groupingBy(interest -> interest.route().partition()))
        .forEach((partition, joined) -> join(joined, from));
  }

  // Interests in the same partitions share a place and a snapshot.
  private void join(List<KafkaInterest> joined, long[] from) {
    KafkaNames.Route route = joined.get(0).route();
    if (route.partition() >= from.length) {
      String why = "the topic has no such partition, but " + from.length;
      owner.onRefused(joined, ErrorCode.UNKNOWN_TOPIC, why, new InvalidTopicException(why));
      return;
    }
    StreamPlace place = look.place(route, before(from), reused.ids());
    for (KafkaInterest interest : joined) {
      interest.begin(place, from);
      interests.add(interest);
    }
    owner.onJoined(joined, place, look);
  }

  /** Ends the hold of an interest. */
  void release(KafkaInterest interest) {
    interest.release();
    queued.add(interest);
  }

  /** Returns the latest state of the topic; null before the first. */
  TopicLook look() {
    return look;
  }

  /**
   * Answers when records have been passed on that clients of other nodes have received, with null
   * or the reason of a failure.
   *
   * @param name topic or pattern of the clients
   */
  void await(String name, Set<Long> claimed, long timeoutNs, Consumer<String> answer) {
    awaited.add(new Awaited(name, claimed, System.nanoTime() + timeoutNs, answer));
    answerAwaited();
  }

  /** Answers to those that wait for records. */
  void answerAwaited() {
    awaited.removeIf(this::isAnswered);
  }

  private boolean isAnswered(Awaited each) {
    String failure = null;
    if (each.claimed.stream().anyMatch(id -> isPassed(id) && partition(id).refutes(id))) {
      failure = ReadBack.REFUTED;
    } else if (each.endNs - System.nanoTime() < 0) {
      failure = "the node has not read the messages of the position in time";
    } else if (!each.claimed.stream().allMatch(this::isPassed)
        || all().stream().anyMatch(interest -> interest.holdsBack(each.name))) {
      return false;
    }
    each.answer.accept(failure);
    return true;
  }

  private boolean isPassed(long id) {
    return StreamPlace.partition(id) < partitions.length && partition(id).hasPassed(id);
  }

  private PartitionFeed partition(long id) {
    return partitions[StreamPlace.partition(id)];
  }

  /** Adds records of a partition, in order. */
  void add(int partition, List<ConsumerRecord<byte[], byte[]>> records) {
    partitions[partition].backlog.addAll(records);
  }

  /**
   * Passes on what waits, but only a few records of each partition. Returns whether more can follow
   * at once.
   */
  boolean pass() {
    queued.removeIf(KafkaInterest::flush);
    blocked = !queued.isEmpty();
    awaitsSchema = false;
    boolean more = false;
    for (PartitionFeed partition : partitions) {
      int left = MAX_AT_ONCE;
      while (left > 0 && !partition.backlog.isEmpty() && pass(partition.backlog.peek())) {
        partition.onPassed();
        left--;
      }
      more |= left == 0;
      blocked |= left > 0 && !partition.backlog.isEmpty();
    }
    return more;
  }

  /** Returns whether something waits for a listener. */
  boolean isBlocked() {
    return blocked;
  }

  /** Returns whether a record waits for its schema. */
  boolean awaitsSchema() {
    return awaitsSchema;
  }

  /** Passes a record to all interests, or to none if one is full or its schema is not known yet. */
  private boolean pass(ConsumerRecord<byte[], byte[]> record) {
    String name = names.topic(mapping, record);
    if (name == null) {
      reader.onInvalidKey(record);
      interests.forEachPattern(interest -> reportRefused(interest, GapReason.UNSUPPORTED, record));
      return true;
    }
    matching.clear();
    interests.addMatching(name, matching);
    matching.removeIf(interest -> !interest.begins(record));
    for (KafkaInterest interest : matching) {
      if (interest.isFull()) {
        if (!interest.isHeld()) {
          partitions[record.partition()].onFull(System.nanoTime());
        }
        return false;
      }
    }
    boolean ready = matching.isEmpty() || reader.isReady(record);
    if (ready && !matching.isEmpty()) {
      passTo(matching, record, name);
    }
    awaitsSchema |= !ready;
    return ready;
  }

  private void passTo(
      List<KafkaInterest> receivers, ConsumerRecord<byte[], byte[]> record, String name) {
    try {
      Message message = reader.read(record, name, mapping);
      for (KafkaInterest interest : receivers) {
        interest.pass(message, record);
      }
    } catch (RecordReader.Refused e) {
      receivers.forEach(interest -> reportRefused(interest, e.reason(), record));
    }
  }

  private void reportRefused(
      KafkaInterest interest, GapReason reason, ConsumerRecord<byte[], byte[]> record) {
    if (interest.begins(record)) {
      interest.missed(reason, record);
    }
  }
}
