package io.sluice.gateway.sim;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.DurableListener;
import io.sluice.gateway.broker.IdentityState;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.RetainedMessages;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.broker.jms.DiscardedNumbers;
import io.sluice.gateway.broker.jms.IdentityCheck;
import io.sluice.gateway.broker.selector.MessageFields;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.TopicPattern;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/** One node's connection to the broker, which may break with or without notice. */
final class BrokerLink implements Broker, NodeLink {
  private static final long NEVER = Long.MIN_VALUE / 2;

  private enum State {
    DOWN,
    RECOVERING,
    UP,
    HALF_OPEN
  }

  private final Timeline timeline;
  private final SeededRandom random;
  private final Plan plan;
  private final SimulatedBroker broker;
  private final SimulatedThread control;
  private final NodeClock clock;
  private final Histories histories;
  private final BrokerListener listener;
  private final NodeStore store;
  private final Durables durables;
  private final List<DurableLink> durable = new ArrayList<>();
  private final Queue<DurableLink> durableToOpen = new ArrayDeque<>();
  private final List<Interested> consumers = new ArrayList<>();
  private final Queue<Interested> toOpen = new ArrayDeque<>();
  private State state = State.DOWN;
  private int generation;
  private long stalledUntil;
  private long canaries;
  private long lastCanaryReturn;
  private int probeGeneration = -1;
  private long probeMs;
  private long probeMicros;

  /** Arrival of the latest message that the node measured as late. */
  private long shownMicros = NEVER;

  private long confirmedAbove;
  private final IdentityCheck identities = new IdentityCheck("", this::onIdentity);
  private boolean stopped;

  /** True if the broker stores a marker message of the node. */
  private boolean markerStored;

  /** Creates the durable interests of a node. */
  interface Durables {
    DurableLink open(String pattern, DurableListener listener);
  }

  BrokerLink(
      Timeline timeline,
      SeededRandom random,
      Plan plan,
      SimulatedBroker broker,
      SimulatedThread control,
      NodeClock clock,
      Histories histories,
      NodeStore store,
      Durables durables,
      BrokerListener listener) {
    this.timeline = timeline;
    this.random = random;
    this.plan = plan;
    this.broker = broker;
    this.control = control;
    this.clock = clock;
    this.histories = histories;
    this.store = store;
    this.durables = durables;
    this.listener = listener;
  }

  @Override
  public Consumer openDurable(String pattern, DurableListener durableListener) {
    DurableLink added = durables.open(pattern, durableListener);
    durable.add(added);
    return added::retire;
  }

  @Override
  public boolean preservesOrderAcrossTopics() {
    return plan.durability.ordered();
  }

  @Override
  public void unsubscribeDurable(String pattern, Runnable done) {
    throw new UnsupportedOperationException("durable patterns stay");
  }

  /** Future arrival of a message. */
  private record Arrival(long micros, long acceptedMicros) {}

  /** Consumer of one interest of the node, with its queue at the broker. */
  private final class Interested implements Consumer {
    private final InterestKey key;
    private final TopicListener topic;
    private final History history = new History();
    private final Map<Integer, Long> routed = new HashMap<>();

    /** Future arrivals, in the order in which the broker serves its consumers. */
    private final Deque<Arrival> arrivals = new ArrayDeque<>();

    private DiscardedNumbers discarded = new DiscardedNumbers();
    private long lastArrival;
    private long lastUrgentArrival;

    /** Lowest priority of a message of this consumer. */
    private int lowestPriority = Integer.MAX_VALUE;

    private long backlogFrom;
    private long backlogUntil;
    private boolean registered;
    private boolean activeBefore;

    Interested(InterestKey key, TopicListener topic) {
      this.key = key;
      this.topic = topic;
    }

    void activateOrClose() {
      if (broker.refuses(key.topic())) {
        close();
        topic.onRefused(ErrorCode.UNKNOWN_TOPIC, "the broker has no such topic now");
      } else {
        activate();
      }
    }

    private void activate() {
      registered = true;
      lowestPriority = Integer.MAX_VALUE;
      arrivals.clear(); // messages in flight on an earlier connection never arrive
      discarded = new DiscardedNumbers();
      history.onActive(activeBefore, clock.monoMs());
      topic.onActive(activeBefore);
      activeBefore = true;
    }

    void route(Published message, long maxMicros) {
      long before = routed.getOrDefault(message.publisher(), 0L);
      long at = Math.max(before, timeline.nowMicros() + plan.delay(random, maxMicros));
      routed.put(message.publisher(), at);
      int current = generation;
      timeline.at(at, () -> enqueue(message, maxMicros, current));
    }

    private void enqueue(Published message, long maxMicros, int current) {
      if (registered && current == generation) {
        if (plan.discards.next()) {
          discard(message);
          return;
        }
        long soon = timeline.nowMicros() + plan.delay(random, maxMicros);
        if (message.priority() > Overload.DEFAULT_PRIORITY) {
          lastUrgentArrival = Math.max(Math.max(lastUrgentArrival, stalledUntil), soon);
          timeline.at(lastUrgentArrival, () -> arrive(message, current));
          return;
        }
        lastArrival = Math.max(Math.max(lastArrival, stalledUntil), stretched(soon));
        arrivals.add(new Arrival(lastArrival, message.acceptedMicros()));
        timeline.at(lastArrival, () -> arrive(message, current));
      }
    }

    private void discard(Published message) {
      discarded.add(message.sequence());
      if (!plan.breaks(Rule.DISCARD_IS_REPORTED)) {
        miss();
      }
    }

    private void miss() {
      history.mark(clock.monoMs());
      topic.onMissed(GapReason.OVERLOAD, DeliveryInfo.of(Broker.NO_SEQUENCE), null);
    }

    private long stretched(long at) {
      return timeline.nowMicros() >= backlogUntil
          ? at
          : backlogFrom + (at - backlogFrom) * plan.overload.stretch() / 100;
    }

    /** Returns whether a message waits for longer than the spread, as measured by the node. */
    private boolean hasBacklog() {
      if (plan.overload.isNone() || nextArrival() == 0) {
        return false;
      }
      long asOf = probeGeneration == generation ? probeMicros : timeline.nowMicros();
      return arrivals.peek().acceptedMicros() < asOf - measurableLag();
    }

    /** Returns the arrival of the message that has waited longest, or 0. */
    private long nextArrival() {
      while (!arrivals.isEmpty() && arrivals.peek().micros() <= timeline.nowMicros()) {
        arrivals.remove();
      }
      return arrivals.isEmpty() ? 0 : arrivals.peek().micros();
    }

    private void arrive(Published message, int current) {
      if (!registered || current != generation) {
        return;
      }
      if (message.acceptedMicros() < timeline.nowMicros() - measurableLag()) {
        shownMicros = timeline.nowMicros();
      }
      if (discarded.onArrival(message.sequence())
          && !plan.breaks(Rule.DISCARD_IS_REPORTED_IN_PLACE)) {
        miss();
      }
      if (message.forwardable()) {
        Message received = broker.received(store, key.topic(), message);
        history.message(received, clock.monoMs());
        topic.onMessage(received, delivery(message), fields(message));
      } else {
        history.mark(clock.monoMs());
        topic.onMissed(GapReason.TOO_LARGE, delivery(message), fields(message));
      }
    }

    private void arriveLate(LateBinding.Bound sent, int current) {
      if (!registered || current != generation) {
        return;
      }
      Published message = sent.message;
      long dueMs = sent.scheduled ? NodeClock.EPOCH_MS + message.acceptedMicros() / Plan.MILLI : 0;
      long ageMs = (timeline.nowMicros() - sent.sentMicros) / Plan.MILLI;
      history.late(message.message(), sent.scheduled, ageMs, clock.monoMs());
      boolean scheduled = sent.scheduled && !plan.breaks(Rule.ONLY_BACKLOG_IS_LAG);
      topic.onMessage(
          message.message(),
          new DeliveryInfo(message.sequence(), message.priority(), scheduled, dueMs, false, false),
          fields(message));
      long delay = message.acceptedMicros() - sent.sentMicros;
      if (LateBinding.isDetected(plan, sent.scheduled, delay)) {
        timeline.after(LateBinding.announced(plan), () -> sent.announced |= !stopped);
      }
    }

    private MessageFields fields(Published message) {
      return Selectors.fields(message, topic.needsFields());
    }

    // Without the rule a node treats an urgent message like all others.
    private DeliveryInfo delivery(Published message) {
      boolean marked = plan.ids.isMarked(message, false);
      boolean overtaking = message.priority() > lowestPriority;
      lowestPriority = Math.min(lowestPriority, message.priority());
      int priority =
          plan.breaks(Rule.OVERTAKING_STARTS_NO_REPLAY)
              ? Overload.DEFAULT_PRIORITY
              : message.priority();
      long sequence = overtaking ? Broker.NO_SEQUENCE : sequence(message);
      return new DeliveryInfo(sequence, priority, false, 0, marked, false);
    }

    @Override
    public void close() {
      registered = false;
      consumers.remove(this);
      toOpen.remove(this);
    }
  }

  @Override
  public void start() {
    broker.connect(this);
    timeline.after(random.between(0, Plan.SECOND), this::connect);
    timeline.after(plan.canaryInterval, this::sendCanary);
  }

  @Override
  public void stop() {
    stopped = true;
    generation++;
    state = State.DOWN;
    endConsumers();
    durable.forEach(DurableLink::retire);
    broker.disconnect(this);
  }

  @Override
  public Consumer open(InterestKey key, TopicListener topic) {
    Interested added = new Interested(key, topic);
    consumers.add(added);
    histories.opened(added.history);
    if (consumers.size() > plan.config.get(LimitSettings.TOPICS)) {
      throw new IllegalStateException("more consumers than the node may have");
    }
    if (state == State.UP) {
      added.activateOrClose();
    } else {
      toOpen.add(added);
    }
    return added;
  }

  @Override
  public void publish(Publication publication, PublishListener publishListener) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void bind(LateBinding.Bound sent) {
    int current = generation;
    for (Interested consumer : consumers) {
      if (consumer.registered && Selectors.selects(consumer.key, sent.message)) {
        long delay = plan.delay(plan.binding.random(), plan.displacement);
        timeline.at(
            sent.message.acceptedMicros() + delay, () -> consumer.arriveLate(sent, current));
      }
    }
  }

  @Override
  public boolean selectsConsumersAtSend() {
    return !plan.binding.isNone();
  }

  @Override
  public void route(Published message, long maxMicros) {
    for (Interested consumer : consumers) {
      if (consumer.registered && Selectors.selects(consumer.key, message)) {
        consumer.route(message, maxMicros);
      }
    }
  }

  /** Returns the lag above which a node measures a message as later than the spread. */
  private long measurableLag() {
    return plan.spreadMs() * Plan.MILLI + plan.canaryInterval + plan.displacement;
  }

  // Without exclusion of lagging topics a node treats each message as a recent one.
  private long sequence(Published message) {
    return plan.breaks(Rule.PROOF_PER_INTEREST) ? Long.MAX_VALUE : message.sequence();
  }

  @Override
  public void fallBehind() {
    long until = timeline.nowMicros() + random.between(0, plan.overload.backlogMax());
    boolean all = random.oneIn(2);
    for (Interested consumer : consumers) {
      if (all || random.oneIn(2)) {
        consumer.backlogFrom = timeline.nowMicros();
        consumer.backlogUntil = until;
      }
    }
  }

  @Override
  public void stall() {
    stalledUntil = timeline.nowMicros() + random.between(0, plan.displacement / 2);
    durable.forEach(interest -> interest.stallUntil(stalledUntil));
  }

  /** Returns the history of the durable interest that covers a topic or pattern, or null. */
  DurableHistory durable(String name) {
    for (DurableLink interest : durable) {
      if (TopicPattern.covers(interest.pattern, name)) {
        return interest.history;
      }
    }
    return null;
  }

  /** Returns the histories of the open warm interests, by pattern. */
  Map<String, History> warm() {
    Map<String, History> open = new LinkedHashMap<>();
    for (String pattern : plan.hardship.warm()) {
      for (Interested consumer : consumers) {
        if (consumer.key.equals(InterestKey.of(pattern))) {
          open.put(pattern, consumer.history);
        }
      }
    }
    open.keySet()
        .removeAll(
            plan.durability.patterns()); // durable patterns are opened as durable interests only
    return open;
  }

  @Override
  public boolean isUp() {
    return state == State.UP;
  }

  @Override
  public void lose() {
    breakOff(State.DOWN);
    durable.forEach(DurableLink::retire);
    int current = generation;
    timeline.after(random.mostlySmall(200 * Plan.MILLI), () -> notice(current));
  }

  @Override
  public void onBrokerRestart() {
    if (state == State.UP || state == State.RECOVERING) {
      lose();
    }
  }

  @Override
  public void becomeHalfOpen() {
    breakOff(State.HALF_OPEN);
    durable.forEach(DurableLink::becomeHalfOpen);
    int current = generation;
    timeline.after(random.between(Plan.SECOND, 15 * Plan.SECOND), () -> notice(current));
  }

  private void breakOff(State next) {
    generation++;
    state = next;
    shownMicros = NEVER;
    lastCanaryReturn = 0; // those in flight on an earlier connection never return
    endConsumers();
  }

  private void endConsumers() {
    consumers.forEach(consumer -> consumer.registered = false);
  }

  private void notice(int current) {
    control.execute(
        () -> {
          if (current == generation) {
            state = State.DOWN;
            durable.forEach(DurableLink::retire);
            listener.onLost();
            timeline.after(random.mostlySmall(10 * Plan.SECOND), this::connect);
          }
        });
  }

  private void connect() {
    control.execute(
        () -> {
          if (state == State.DOWN) {
            state = State.RECOVERING;
            toOpen.clear();
            toOpen.addAll(consumers);
            durableToOpen.clear();
            durableToOpen.addAll(durable);
            readRetained();
            recover(generation);
          }
        });
  }

  /** Sends a canary, which returns if the link works. */
  private void sendCanary() {
    int current = generation;
    long sentMs = clock.monoMs();
    long sentMicros = timeline.nowMicros();
    if (state == State.UP) {
      long sequence = broker.nextSequence();
      compareIds(sequence);
      long number = ++canaries;
      lastCanaryReturn = Math.max(lastCanaryReturn, canaryReturn());
      timeline.at(
          lastCanaryReturn,
          () -> control.execute(() -> prove(current, number, sentMs, sentMicros, sequence)));
    }
    if (!stopped) {
      timeline.after(plan.canaryInterval, this::sendCanary);
    }
  }

  // The node sends as many canaries as verify the ids. Their consumers receive them at once.
  private void verifyIds() {
    identities.onConnected();
    while (identities.missing() > 0) {
      compareIds(broker.nextSequence());
    }
  }

  private void compareIds(long sequence) {
    identities.onSent(sequence, plan.ids.ofCanary(sequence, 0));
    for (int consumer = 0; consumer < IdentityCheck.CONSUMERS; consumer++) {
      identities.onReceived(consumer, sequence, plan.ids.ofCanary(sequence, consumer));
    }
  }

  // Without the rule, the node trusts the ids.
  private void onIdentity(IdentityState state, String reason) {
    IdentityState known = plan.breaks(Rule.IDENTITY_VERIFIED) ? IdentityState.VERIFIED : state;
    if (plan.ids.areSound()) {
      listener.onIdentity(known, reason);
    } else {
      timeline.after(
          random.mostlySmall(plan.canaryInterval),
          () -> control.execute(() -> listener.onIdentity(known, reason)));
    }
  }

  // A canary overtakes messages in other queues. It does not overtake the next arrival of all
  // backlogged consumers, but only one of them may be served. All of them may starve for some time
  // once the node has received a late message.
  private long canaryReturn() {
    long at = timeline.nowMicros() + random.mostlySmall(plan.displacement);
    if (at < shownMicros + plan.overload.starvation()) {
      return at;
    }
    long turn = Long.MAX_VALUE;
    for (Interested consumer : consumers) {
      if (consumer.registered && consumer.hasBacklog()) {
        turn = Math.min(turn, consumer.nextArrival());
      }
    }
    return turn == Long.MAX_VALUE ? at : Math.max(at, turn);
  }

  private void prove(int current, long number, long sentMs, long sentMicros, long sequence) {
    if (current != generation || state != State.UP) {
      return;
    }
    long roundTripMs = (timeline.nowMicros() - sentMicros) / Plan.MILLI;
    listener.onCanary(sequence, roundTripMs);
    if (plan.breaks(Rule.PROOF_OF_TWO_CANARIES)) {
      listener.onProbe(sequence);
      listener.onProof(sentMs);
      return;
    }
    if (probeGeneration == generation && number <= confirmedAbove) {
      return;
    }
    if (probeGeneration == generation) {
      listener.onProof(probeMs);
    }
    probeGeneration = generation;
    probeMs = sentMs;
    probeMicros = sentMicros;
    confirmedAbove = canaries;
    listener.onProbe(sequence);
  }

  private void readRetained() {
    if (durable.isEmpty()) {
      return;
    }
    RetainedMessages kept = store.takeMarker();
    durable.forEach(interest -> interest.kept(kept));
    markerStored = kept.nonPersistent();
    if (markerStored) {
      store.storeMarker();
    }
  }

  private void storeMarkerWhenSafe() {
    if (!markerStored
        && !durable.isEmpty()
        && durable.stream().allMatch(DurableLink::isRemembered)) {
      store.storeMarker();
      markerStored = true;
    }
  }

  private void recover(int current) {
    if (current != generation || state != State.RECOVERING) {
      return;
    }
    DurableLink nextDurable = durableToOpen.poll();
    if (nextDurable != null) {
      if (!nextDurable.open()) {
        durable.remove(nextDurable);
      }
      control.execute(() -> recover(current));
      return;
    }
    Interested next = toOpen.poll();
    if (next == null) {
      storeMarkerWhenSafe();
      state = State.UP;
      verifyIds();
      listener.onLive();
      return;
    }
    next.activateOrClose();
    control.execute(() -> recover(current));
  }
}
