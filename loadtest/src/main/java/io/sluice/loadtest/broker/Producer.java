package io.sluice.loadtest.broker;

import io.sluice.loadtest.broker.result.MessageStep;
import io.sluice.loadtest.broker.workload.BenchStamp;
import io.sluice.loadtest.broker.workload.BrokerWorkload;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The producers of one session, in turn, on a thread of their own. */
final class Producer implements Runnable {
  /** One producer: its number and how far it is. */
  private static final class Line {
    private final int number;
    private final MessageProducer out;
    private final int receivers;
    private long sent;

    Line(int number, MessageProducer out, int receivers) {
      this.number = number;
      this.out = out;
      this.receivers = receivers;
    }
  }

  private final Session session;
  private final BrokerWorkload workload;
  private final int run;
  private final TrialPhase stage;
  private final SendPacer pace;
  private final long limit;
  private final StepTimes times = new StepTimes();
  private final List<Line> lines = new ArrayList<>();
  private volatile long answered;
  private volatile long deliveries;
  private long total;
  private long totalDeliveries;
  private long measured;
  private int open;

  /**
   * A producer that is not yet sending.
   *
   * @param limit messages of each of them that are measured; 0: until the stage ends
   */
  Producer(
      Session session,
      BrokerWorkload workload,
      int run,
      TrialPhase stage,
      double rate,
      long limit) {
    this.session = session;
    this.workload = workload;
    this.run = run;
    this.stage = stage;
    this.pace = new SendPacer(rate);
    this.limit = limit;
  }

  /** Before the thread starts. */
  void add(int number, MessageProducer out) {
    lines.add(new Line(number, out, workload.receiversOf(number)));
  }

  @Override
  public void run() {
    try {
      while (!stage.ended() && !done()) {
        long due = pace.awaitNext(stage);
        boolean counts = stage.measuring();
        for (Line line : lines) {
          send(line, due);
        }
        measured += counts ? 1 : 0;
      }
      commit();
    } catch (JMSException | RuntimeException e) {
      stage.fail(e);
    }
  }

  private boolean done() {
    return limit > 0 && measured >= limit;
  }

  private void send(Line line, long due) throws JMSException {
    long begun = System.nanoTime();
    Message message = message(new BenchStamp(run, line.number, line.sent, due));
    long made = System.nanoTime();
    line.out.send(message);
    long sent = System.nanoTime();
    times.record(MessageStep.MAKE, made - begun);
    times.record(MessageStep.SEND, sent - made);
    line.sent++;
    total++;
    totalDeliveries += line.receivers;
    if (!workload.transacted()) {
      onAnswer();
    } else if (++open == workload.transaction()) {
      commit();
    }
  }

  private Message message(BenchStamp stamp) throws JMSException {
    Message message = workload.type().make(session, stamp.payload(workload.size()));
    for (int i = 0; i < workload.properties(); i++) {
      message.setIntProperty("p" + i, (int) ((stamp.number() + i) % 10));
    }
    return message;
  }

  private void commit() throws JMSException {
    if (open == 0) {
      return;
    }
    long begun = System.nanoTime();
    session.commit();
    times.record(MessageStep.COMMIT, System.nanoTime() - begun);
    open = 0;
    onAnswer();
  }

  private void onAnswer() {
    answered = total;
    deliveries = totalDeliveries;
  }

  /** Messages of all of them that the broker has answered for. Any thread. */
  long answered() {
    return answered;
  }

  /** Deliveries to consumers that follow from these. Any thread. */
  long deliveries() {
    return deliveries;
  }

  StepTimes times() {
    return times;
  }

  /** How many messages each has sent, by its number, once the thread has ended. */
  void addSentTo(Map<Integer, Long> sent) {
    lines.forEach(line -> sent.put(line.number, line.sent));
  }
}
