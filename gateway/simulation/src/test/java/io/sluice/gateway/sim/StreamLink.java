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

  /** Number of the first message, and of the next one, of each partition. */
  private int[] begins = {};

  private int[] next = {};
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
    boolean again = !first && number != stream.number();
    if (again) {
      next = new int[0];
    }
    number = again && plan.breaks(Rule.STREAM_IS_NUMBERED) ? number : stream.number();
    begins = stream.begins();
    int known = next.length;
    next = Arrays.copyOf(next, stream.partitions());
    for (int partition = known; partition < next.length; partition++) {
      boolean atEnd = first || plan.breaks(Rule.PARTITION_BEGINS_AT_FIRST);
      next[partition] = atEnd ? broker.accepted(partition).size() : begins[partition];
    }
    if (again) {
      interests.stream().filter(each -> each.active).forEach(each -> each.topic.onStream(place()));
    }
  }

  private StreamPlace place() {
    int[] place = next.clone();
    if (plan.breaks(Rule.PLACE_PRECEDES_MESSAGES)) {
      for (int partition = 0; partition < place.length; partition++) {
        place[partition] = broker.accepted(partition).size();
      }
    }
    return stream.place(number, begins, place);
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
    if (!Arrays.equals(begins, stream.begins()) || next.length < stream.partitions()) {
      int current = generation;
      control.execute(
          () -> {
            if (current == generation && state == State.UP) {
              look();
              fetchAll();
            }
          });
      return;
    }
    if (next[partition] < stream.kept(partition)) {
      next[partition] = stream.kept(partition);
      if (!plan.breaks(Rule.REMOVAL_IS_REPORTED)) {
        long lost = stream.id(partition, next[partition] - 1);
        List.copyOf(interests).forEach(each -> each.miss(GapReason.BROKER_LOST, lost));
      }
    }
    List<Published> all = broker.accepted(partition);
    int waiting = all.size() - next[partition];
    long most = waiting > MANY ? waiting / 4 : BATCH; // faster than any publisher
    for (long left = 1 + random.mostlySmall(most);
        left > 0 && next[partition] < all.size();
        left--) {
      Published message = all.get(next[partition]);
      if (!stream.isCompacted(message) && !deliver(message)) {
        break;
      }
      next[partition]++;
    }
    if (next[partition] < all.size()) {
      fetchLater(partition);
    }
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
    timeline.after(random.between(0, stream.readMicros), () -> answer(request));
  }

  private void answer(ReadBack request) {
    if (stopped) {
      return;
    }
    if (state != State.UP || random.oneIn(stream.failureOneIn)) {
      failedMicros = timeline.nowMicros();
      request.answer().accept(null, "the connection failed");
    } else if (request.after().stream() != stream.number()) {
      request.answer().accept(null, "the stream was created again");
    } else {
      List<Message> found = read(request);
      request.answer().accept(found, found == null ? "removed or too many" : null);
    }
  }

  private List<Message> read(ReadBack request) {
    List<Message> found = new ArrayList<>();
    for (int partition = 0; partition < stream.partitions(); partition++) {
      int from = stream.messageNumber(partition, request.after().offsetOf(partition) + 1);
      int to = stream.messageNumber(partition, request.upTo().offsetOf(partition));
      if (from <= to && from < stream.kept(partition)) {
        if (!plan.breaks(Rule.READ_BACK_IS_COMPLETE)) {
          return null;
        }
        from = stream.kept(partition);
      }
      for (int message = from; message <= to; message++) {
        Published each = broker.accepted(partition).get(message);
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
