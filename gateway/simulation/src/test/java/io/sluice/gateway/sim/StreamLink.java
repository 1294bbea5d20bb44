package io.sluice.gateway.sim;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.DurableListener;
import io.sluice.gateway.broker.IdentityState;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.ReadBack;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** One node's connection to an ordered source, which it reads at its own pace. */
final class StreamLink implements Broker, NodeLink {
  /** Number of waiting messages above which a fetch returns a part of them. */
  private static final int MANY = 200;

  private static final int BATCH = 40;

  private static final long LONGEST_READ = 10 * Plan.SECOND;

  private enum State {
    DOWN,
    UP,
    HALF_OPEN
  }

  private final Timeline timeline;
  private final Plan plan;
  private final SimulatedStream stream;
  private final SeededRandom random;
  private final SimulatedBroker broker;
  private final SimulatedThread control;
  private final BrokerListener listener;
  private final List<Interested> interests = new ArrayList<>();
  private final Set<Integer> fetching = new HashSet<>();
  private State state = State.DOWN;
  private int generation;
  private long stalledUntil;
  private boolean stopped;

  /** Number of the stream that it reads; 0 before the first. */
  private int number;

  /** Number of the stream that its state is of. */
  private int seen;

  /** Offset of the next message of each partition. */
  private int[] next = {};

  /** Known epoch of the leader of each partition, which had the messages before the next one. */
  private int[] leaders = {};

  private long failedMicros = Long.MIN_VALUE / 2;

  private final class Interested implements Consumer {
    private final InterestKey key;
    private final TopicListener topic;
    private boolean active;

    Interested(InterestKey key, TopicListener topic) {
      this.key = key;
      this.topic = topic;
    }

    void activate() {
      if (active) {
        return;
      }
      if (broker.refuses(key.topic())) {
        close();
        topic.onRefused(ErrorCode.UNKNOWN_TOPIC, "the broker has no such topic now");
        return;
      }
      active = true;
      topic.onStream(place());
      topic.onActive(false);
    }

    void miss(GapReason reason, long identity) {
      if (active) {
        boolean named = !plan.breaks(Rule.LOSS_HAS_A_PLACE);
        topic.onMissed(reason, DeliveryInfo.of(named ? identity : NO_SEQUENCE));
      }
    }

    @Override
    public void close() {
      active = false;
      interests.remove(this);
    }
  }

  StreamLink(
      Timeline timeline,
      Plan plan,
      SimulatedBroker broker,
      SimulatedThread control,
      BrokerListener listener) {
    this.timeline = timeline;
    this.plan = plan;
    this.stream = plan.stream;
    this.random = plan.stream.random;
    this.broker = broker;
    this.control = control;
    this.listener = listener;
  }

  @Override
  public void start() {
    broker.connect(this);
    timeline.after(random.between(0, Plan.SECOND), this::connect);
  }

  @Override
  public void stop() {
    stopped = true;
    generation++;
    state = State.DOWN;
    broker.disconnect(this);
  }

  private void connect() {
    control.execute(
        () -> {
          if (state != State.DOWN || stopped) {
            return;
          }
          state = State.UP;
          listener.onIdentity(IdentityState.VERIFIED, "offsets");
          look();
          List.copyOf(interests).forEach(Interested::activate);
          listener.onLive();
          fetchAll();
        });
  }

  /** Adopts the partitions of the stream, and a stream that was created again. */
  private void look() {
    boolean first = number == 0;
    boolean again = !first && seen != stream.number();
    if (again) {
      next = new int[0];
    }
    seen = stream.number();
    number = again && plan.breaks(Rule.STREAM_IS_NUMBERED) ? number : seen;
    int known = next.length;
    int size = stream.partitions();
    next = Arrays.copyOf(next, size);
    leaders = Arrays.copyOf(leaders, size);
    for (int partition = known; partition < size; partition++) {
      boolean atEnd = first || plan.breaks(Rule.PARTITION_BEGINS_AT_FIRST);
      next[partition] = atEnd ? stream.end(partition) : 0;
      leaders[partition] = stream.leader(partition);
    }
    if (again) {
      restart();
    }
  }

  private void restart() {
    interests.stream().filter(each -> each.active).forEach(each -> each.topic.onStream(place()));
  }

  private StreamPlace place() {
    int[] place = next.clone();
    for (int partition = 0; partition < place.length; partition++) {
      if (plan.breaks(Rule.PLACE_PRECEDES_MESSAGES)) {
        place[partition] = stream.end(partition);
      }
    }
    return stream.place(number, place, leaders);
  }

  // A broker compares the position with the ends of its leaders. The node does not notice the
  // truncation of messages that it has not read.
  private boolean isTruncated(int partition) {
    return leaders[partition] != stream.leader(partition)
        && next[partition] > stream.endSince(partition, leaders[partition]);
  }

  private void recover(int partition) {
    next[partition] = stream.endSince(partition, leaders[partition]);
    leaders[partition] = stream.leader(partition);
    restart();
  }

  private void fetchAll() {
    for (int partition = 0; partition < next.length; partition++) {
      fetchLater(partition);
    }
  }

  private void fetchLater(int partition) {
    if (fetching.add(partition)) {
      long at = timeline.nowMicros() + random.mostlySmall(stream.fetchMicros);
      timeline.at(
          Math.max(at, stalledUntil),
          () -> {
            fetching.remove(partition);
            if (state == State.UP) {
              fetch(partition);
            }
          });
    }
  }

  private void fetch(int partition) {
    if (seen != stream.number() || next.length < stream.partitions() || isTruncated(partition)) {
      int current = generation;
      control.execute(
          () -> {
            if (current == generation && state == State.UP) {
              look();
              if (isTruncated(partition)) {
                recover(partition);
              }
              fetchAll();
            }
          });
      return;
    }
    leaders[partition] = stream.leader(partition);
    if (next[partition] < stream.kept(partition)) {
      next[partition] = stream.kept(partition);
      if (!plan.breaks(Rule.REMOVAL_IS_REPORTED)) {
        long lost = stream.id(partition, next[partition] - 1L, leaders[partition]);
        List.copyOf(interests).forEach(each -> each.miss(GapReason.BROKER_LOST, lost));
      }
    }
    int waiting = stream.end(partition) - next[partition];
    long most = waiting > MANY ? waiting / 4 : BATCH; // faster than any publisher
    for (long left = 1 + random.mostlySmall(most);
        left > 0 && next[partition] < stream.end(partition);
        left--) {
      Published message = message(partition, next[partition]);
      if (!stream.isCompacted(message) && !deliver(message)) {
        break;
      }
      next[partition]++;
    }
    if (next[partition] < stream.end(partition)) {
      fetchLater(partition);
    }
  }

  private Published message(int partition, int offset) {
    return broker.accepted(partition).get(stream.messageNumber(partition, offset));
  }

  /** Returns false if a listener is full. */
  private boolean deliver(Published message) {
    List<Interested> receivers =
        interests.stream()
            .filter(each -> each.active && Selectors.selects(each.key, message))
            .toList();
    if (receivers.stream().anyMatch(each -> each.topic.isFull())) {
      return false;
    }
    for (Interested each : receivers) {
      if (message.forwardable()) {
        each.topic.onMessage(message.message(), DeliveryInfo.of(NO_SEQUENCE), null);
      } else {
        each.miss(GapReason.TOO_LARGE, message.message().identity());
      }
    }
    return true;
  }

  @Override
  public void readBack(ReadBack request) {
    long endMicros = timeline.nowMicros() + LONGEST_READ;
    timeline.after(random.between(0, stream.readMicros), () -> answer(request, endMicros));
  }

  private void answer(ReadBack request, long endMicros) {
    if (stopped) {
      return;
    }
    if (request.after().stream() != stream.number()) {
      request.answer().accept(null, "the stream was created again");
      return;
    }
    boolean isAhead = !request.claimed().stream().allMatch(this::hasPassed);
    boolean isLost = !request.claimed().stream().allMatch(stream::has);
    if (isAhead && !isLost) {
      if (state == State.UP && timeline.nowMicros() < endMicros) {
        timeline.after(50 * Plan.MILLI, () -> answer(request, endMicros));
        return;
      }
      failedMicros = timeline.nowMicros();
      request.answer().accept(null, "the node is behind");
      return;
    }
    if (state != State.UP || random.oneIn(stream.failureOneIn)) {
      failedMicros = timeline.nowMicros();
      request.answer().accept(null, "the connection failed");
    } else if (isLost && !plan.breaks(Rule.LOST_MESSAGE_ENDS_POSITION)) {
      request.answer().accept(null, ReadBack.REFUTED);
    } else {
      List<Message> found = read(request);
      request.answer().accept(found, found == null ? "removed or too many" : null);
    }
  }

  private boolean hasPassed(long id) {
    int partition = StreamPlace.partition(id);
    return partition < next.length && next[partition] > StreamPlace.offset(id);
  }

  private List<Message> read(ReadBack request) {
    List<Message> found = new ArrayList<>();
    for (int partition = 0; partition < stream.partitions(); partition++) {
      int from = (int) request.after().offsetOf(partition) + 1;
      int to = (int) request.upTo().offsetOf(partition);
      if (to >= stream.end(partition)) {
        return null; // truncated since then
      }
      if (from <= to && from < stream.kept(partition)) {
        if (!plan.breaks(Rule.READ_BACK_IS_COMPLETE)) {
          return null;
        }
        from = stream.kept(partition);
      }
      for (int offset = from; offset <= to; offset++) {
        Published each = message(partition, offset);
        if (Selectors.selects(request.key(), each) && !stream.isCompacted(each)) {
          if (!each.forwardable() || found.size() == request.maxMessages()) {
            return null;
          }
          found.add(each.message());
        }
      }
    }
    return found;
  }

  /** Returns whether a read has failed lately with the connection. */
  boolean hasFailed() {
    return failedMicros > timeline.nowMicros() - 60 * Plan.SECOND;
  }

  @Override
  public Consumer open(InterestKey key, TopicListener topic) {
    Interested added = new Interested(key, topic);
    interests.add(added);
    if (state == State.UP) {
      added.activate();
    }
    return added;
  }

  @Override
  public boolean provesDelivery() {
    return false;
  }

  @Override
  public boolean hasFields() {
    return false;
  }

  @Override
  public boolean isUp() {
    return state == State.UP;
  }

  @Override
  public void lose() {
    breakOff(State.DOWN);
    noticeAfter(random.mostlySmall(200 * Plan.MILLI));
  }

  @Override
  public void onBrokerRestart() {
    if (state == State.UP) {
      lose();
    }
  }

  @Override
  public void becomeHalfOpen() {
    breakOff(State.HALF_OPEN);
    noticeAfter(random.between(Plan.SECOND, 15 * Plan.SECOND));
  }

  private void breakOff(State broken) {
    generation++;
    state = broken;
  }

  private void noticeAfter(long micros) {
    int current = generation;
    timeline.after(
        micros,
        () ->
            control.execute(
                () -> {
                  if (current == generation) {
                    state = State.DOWN;
                    listener.onLost();
                    timeline.after(random.mostlySmall(10 * Plan.SECOND), this::connect);
                  }
                }));
  }

  @Override
  public void stall() {
    stalledUntil = timeline.nowMicros() + random.between(0, 2 * Plan.SECOND);
  }

  @Override
  public void fallBehind() {
    stalledUntil = timeline.nowMicros() + random.between(0, 10 * Plan.SECOND);
  }

  @Override
  public void route(Published message, long maxMicros) {
    if (state == State.UP) {
      fetchLater(message.publisher());
    }
  }

  @Override
  public void onElection(int partition) {
    if (state == State.UP && partition < next.length) {
      fetchLater(partition);
    }
  }

  @Override
  public void bind(LateBinding.Bound sent) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Consumer openDurable(String pattern, DurableListener durableListener) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void unsubscribeDurable(String pattern, Runnable done) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean preservesOrderAcrossTopics() {
    return false;
  }

  @Override
  public void publish(Publication publication, PublishListener publishListener) {
    throw new UnsupportedOperationException();
  }
}
