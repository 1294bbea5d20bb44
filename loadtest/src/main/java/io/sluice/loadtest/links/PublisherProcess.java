package io.sluice.loadtest.links;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.loadtest.broker.provider.BrokerTarget;
import io.sluice.loadtest.broker.provider.JmsProvider;
import io.sluice.loadtest.broker.workload.BenchStamp;
import io.sluice.loadtest.broker.workload.Mode;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.naming.NamingException;

/**
 * Process of all publishers, each with a connection to the broker and a thread. Commands, one per
 * line: {@code run BYTES WINDOW RATE MILLIS PATIENCE} and {@code at RUN N}, the number of messages
 * that all subscribers have received in a run, from 1. It prints {@code ready}, {@code sent N} once
 * all messages were received, and {@code failed REASON}.
 *
 * <p>Without a rate, at most {@code WINDOW} messages are on the way, so that no queue overflows.
 */
final class PublisherProcess {
  private static final long PAUSE_NANOS = 50_000;
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final double NANOS = 1e9;

  /** Parameters of a run. */
  private record Run(int bytes, long window, int rate, long nanos, long patienceNanos) {
    static Run of(String[] command) {
      return new Run(
          Integer.parseInt(command[1]),
          Long.parseLong(command[2]),
          Integer.parseInt(command[3]),
          Long.parseLong(command[4]) * NANOS_PER_MILLI,
          Long.parseLong(command[5]) * NANOS_PER_MILLI);
    }
  }

  private final List<Session> sessions = new ArrayList<>();
  private final List<MessageProducer> producers = new ArrayList<>();
  private final AtomicLong sent = new AtomicLong();
  private volatile long received;
  private int current;

  private PublisherProcess(BrokerTarget broker, String topic, int publishers)
      throws JMSException, NamingException {
    for (int i = 0; i < publishers; i++) {
      Connection connection = broker.connect(false, "");
      Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
      MessageProducer producer =
          session.createProducer(BrokerTarget.destination(session, Mode.TOPIC, topic));
      producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
      sessions.add(session);
      producers.add(producer);
    }
  }

  /** Arguments: URL of the broker, topic and number of publishers. */
  public static void main(String[] arguments) throws IOException {
    BrokerTarget broker =
        new BrokerTarget(
            JmsProvider.ARTEMIS, arguments[0], "", "", "", "", false, Map.of(), "", null);
    try {
      PublisherProcess process =
          new PublisherProcess(broker, arguments[1], Integer.parseInt(arguments[2]));
      print("ready");
      process.readCommands();
    } catch (JMSException | NamingException | RuntimeException e) {
      print("failed " + e);
    }
    System.exit(0); // also while publishers send
  }

  private static void print(String line) {
    System.out.println(line);
  }

  private void readCommands() throws IOException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] command = line.split(" ");
      if (command[0].equals("at")) {
        onProgress(Integer.parseInt(command[1]), Long.parseLong(command[2]));
      } else {
        current++;
        received = 0;
        Run run = Run.of(command);
        new Thread(() -> execute(run), "run").start();
      }
    }
  }

  private void onProgress(int run, long messages) {
    if (run == current) { // otherwise it was delayed
      received = messages;
    }
  }

  private void execute(Run run) {
    sent.set(0);
    long start = System.nanoTime();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < producers.size(); i++) {
      int number = i;
      threads.add(new Thread(() -> publish(number, run, start), "publisher-" + number));
    }
    threads.forEach(Thread::start);
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    awaitReceipt(run);
    print("sent " + sent.get());
  }

  private void publish(int number, Run run, long start) {
    double interval = run.rate() == 0 ? 0 : NANOS * producers.size() / run.rate();
    try {
      for (long i = 0; System.nanoTime() - start < run.nanos(); i++) {
        long due = start + (long) (i * interval);
        if (run.rate() == 0) {
          awaitRoom(run, start);
          due = System.nanoTime();
        } else {
          awaitTime(due);
        }
        Session session = sessions.get(number);
        BytesMessage message = session.createBytesMessage();
        message.writeBytes(new BenchStamp(0, number, i, due).payload(run.bytes()));
        sent.incrementAndGet();
        producers.get(number).send(message);
      }
    } catch (JMSException e) {
      print("failed " + e);
      System.exit(1);
    }
  }

  private void awaitRoom(Run run, long start) {
    while (sent.get() - received >= run.window() && System.nanoTime() - start < run.nanos()) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private static void awaitTime(long due) {
    for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /** Waits until all messages were received, or none for a while. */
  private void awaitReceipt(Run run) {
    long seen = -1;
    long since = System.nanoTime();
    while (received < sent.get() && System.nanoTime() - since < run.patienceNanos()) {
      if (received != seen) {
        seen = received;
        since = System.nanoTime();
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }
}
