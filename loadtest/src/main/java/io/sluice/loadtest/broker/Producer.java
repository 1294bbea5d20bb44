package io.sluice.loadtest.broker;

import io.sluice.loadtest.broker.price.PriceFeed;
import io.sluice.loadtest.broker.result.MessageStep;
import io.sluice.loadtest.broker.workload.BenchStamp;
import io.sluice.loadtest.broker.workload.BrokerWorkload;
import io.sluice.loadtest.broker.workload.Length;
import io.sluice.loadtest.broker.workload.StampedPrice;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Producers of one session, which send in round-robin order on a separate thread. */
final class Producer implements Runnable {
  /** Sending state of one producer. */
  private static final class ProducerState {
    private final int number;
    private final MessageProducer out;
    private final int receivers;
    private final Replies replies;
    private long sent;

    ProducerState(int number, MessageProducer out, int receivers, Replies replies) {
      this.number = number;
      this.out = out;
      this.receivers = receivers;
      this.replies = replies;
    }
  }

  private final Session session;
  private final BrokerWorkload workload;
  private final int run;
  private final TrialPhase phase;
  private final SendPacer pacer;
  private final Length length;
  private final PriceFeed prices;
  private final StepTimes times = new StepTimes();
  private final List<ProducerState> states = new ArrayList<>();
  private volatile long confirmed;
  private volatile long deliveries;
  private long total;
  private long totalDeliveries;
  private long measured;
  private int open;

  /**
   * Creates the producers of a session; the thread starts separately.
   *
   * @param prices the prices that it sends; it closes the feed
   */
  Producer(
      Session session,
      BrokerWorkload workload,
      int run,
      TrialPhase phase,
      Length length,
      PriceFeed prices) {
    this.session = session;
    this.workload = workload;
    this.run = run;
    this.phase = phase;
    this.pacer = new SendPacer(length.rate());
    this.length = length;
    this.prices = prices;
  }

  /** Adds a producer. Called before the thread starts. */
  void add(int number, MessageProducer out) throws JMSException {
    Replies replies = workload.replyTo() ? new Replies(session, workload, length) : null;
    states.add(new ProducerState(number, out, workload.receiversOf(number), replies));
  }

  @Override
  public void run() {
    try (prices) {
      while (!phase.hasEnded() && !isDone() && nextPrice()) {
        long due = awaitDue();
        boolean counts = phase.isMeasuring();
        for (ProducerState state : states) {
          send(state, due);
        }
        measured += counts ? 1 : 0;
      }
      commit();
    } catch (JMSException | IOException | RuntimeException e) {
      phase.fail(e);
    }
  }

  private boolean isDone() {
    return length.messages() > 0 && measured >= length.messages();
  }

  private boolean nextPrice() throws IOException {
    long startNs = System.nanoTime();
    boolean found = prices.next();
    if (workload.files().replay() != null) {
      times.record(MessageStep.READ, System.nanoTime() - startNs);
    }
    return found;
  }

  /** Waits for the recorded time of a replayed price, unless a rate is given. */
  private long awaitDue() {
    boolean hasTime = prices.offsetNanos() >= 0 && length.rate() == 0;
    return hasTime ? pacer.awaitOffset(prices.offsetNanos(), phase) : pacer.awaitNext(phase);
  }

  private void send(ProducerState state, long due) throws JMSException {
    long startNs = System.nanoTime();
    BenchStamp stamp = new BenchStamp(run, state.number, state.sent, due);
    Message message = message(stamp);
    if (state.replies != null) {
      state.replies.addressTo(message);
    }
    long createdNs = System.nanoTime();
    state.out.send(message);
    long sent = System.nanoTime();
    times.record(MessageStep.MAKE, createdNs - startNs);
    times.record(MessageStep.SEND, sent - createdNs);
    if (state.replies != null) {
      state.replies.await(stamp, times);
    }
    state.sent++;
    total++;
    totalDeliveries += state.receivers;
    if (!workload.transacted()) {
      onReply();
    } else if (++open == workload.transaction()) {
      commit();
    }
  }

  private Message message(BenchStamp stamp) throws JMSException {
    StampedPrice content = new StampedPrice(stamp, prices.update());
    Message message = workload.type().create(session, content, workload.size());
    for (int i = 0; i < workload.properties(); i++) {
      message.setIntProperty("p" + i, (int) ((stamp.number() + i) % 10));
    }
    return message;
  }

  private void commit() throws JMSException {
    if (open == 0) {
      return;
    }
    long startNs = System.nanoTime();
    session.commit();
    times.record(MessageStep.COMMIT, System.nanoTime() - startNs);
    open = 0;
    onReply();
  }

  private void onReply() {
    confirmed = total;
    deliveries = totalDeliveries;
  }

  /** Returns the number of messages confirmed by the broker. Any thread may call it. */
  long confirmed() {
    return confirmed;
  }

  /** Returns the number of resulting deliveries to consumers. Any thread may call it. */
  long deliveries() {
    return deliveries;
  }

  StepTimes times() {
    return times;
  }

  /**
   * Adds the number of messages sent by each producer, by producer number. Called after the
   * thread's end.
   */
  void addSentTo(Map<Integer, Long> sent) {
    states.forEach(state -> sent.put(state.number, state.sent));
  }
}
