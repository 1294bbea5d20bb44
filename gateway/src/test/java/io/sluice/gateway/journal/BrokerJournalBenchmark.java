package io.sluice.gateway.journal;

import io.sluice.testkit.ArtemisProcess;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measurement of {@link JournalBenchmark} with a broker: a batch of persistent messages of 512
 * bytes stored on its disk, and the same batch consumed by a durable subscription. One transaction
 * per batch, over loopback; the data is in {@code java.io.tmpdir}.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 2)
public class BrokerJournalBenchmark {
  private static final int BYTES = 512;

  /** Messages per batch. */
  @Param({"1", "100"})
  public int batch;

  private Path folder;
  private ArtemisProcess broker;
  private ActiveMQConnectionFactory factory;
  private Connection connection;
  private Session sending;
  private Session receiving;
  private MessageProducer producer;
  private MessageProducer kept;
  private MessageConsumer consumer;
  private String payload;

  @Setup
  public void open() throws IOException, JMSException {
    folder = Files.createTempDirectory("broker");
    broker = ArtemisProcess.start("--data", folder.toString());
    factory = new ActiveMQConnectionFactory(broker.url());
    connection = factory.createConnection();
    connection.setClientID("benchmark");
    sending = connection.createSession(true, Session.SESSION_TRANSACTED);
    receiving = connection.createSession(true, Session.SESSION_TRANSACTED);
    Topic topic = receiving.createTopic("stocks.7");
    consumer = receiving.createDurableSubscriber(topic, "benchmark");
    producer = sending.createProducer(sending.createTopic("stocks.8"));
    kept = sending.createProducer(topic);
    // Without a subscription the broker would store nothing.
    connection.createSession().createDurableSubscriber(sending.createTopic("stocks.8"), "unread");
    payload =
        new Random(1)
            .ints(BYTES, 'a', 'z')
            .mapToObj(Character::toString)
            .reduce("", String::concat);
    connection.start();
  }

  @Benchmark
  public void send() throws JMSException {
    send(producer);
  }

  @Benchmark
  public void sendAndTake() throws JMSException {
    send(kept);
    for (int i = 0; i < batch; i++) {
      consumer.receive();
    }
    receiving.commit();
  }

  private void send(MessageProducer to) throws JMSException {
    for (int i = 0; i < batch; i++) {
      to.send(sending.createTextMessage(payload));
    }
    sending.commit();
  }

  @TearDown
  public void close() throws IOException, JMSException {
    connection.close();
    factory.close();
    broker.close();
    try (Stream<Path> files = Files.walk(folder)) {
      List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : deepestFirst) {
        Files.delete(file);
      }
    }
  }
}
