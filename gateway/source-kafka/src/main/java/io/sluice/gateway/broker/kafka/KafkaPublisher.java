package io.sluice.gateway.broker.kafka;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishCapacity;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.PublishResults;
import io.sluice.gateway.broker.SourceState;
import io.sluice.gateway.limits.FairQueue;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.PublishHeaders;
import io.sluice.gateway.protocol.PublishHeaders.Mode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Publishing side of the source: a bounded queue of each Kafka topic, in which users take turns,
 * and an idempotent producer. A publish may block for the metadata or a schema of its topic, so
 * threads serve the topics: one at a time each. Any thread may publish; no method blocks.
 */
final class KafkaPublisher {
  private static final String NOT_CONNECTED = "the cluster is not connected";
  private static final String FULL = "the publish queue of this node is full";

  private static final String UNKNOWN = "the cluster has no such topic";
  private static final String DENIED =
      "the cluster does not permit this node to publish to this topic (Describe, Write)";

  /** Maximum number of topics to which publishes are passed on at a time. */
  private static final int THREADS = 16;

  private static final long IDLE_S = 10;

  /** Publishes to a topic that are sent before those to others. */
  private static final int MAX_AT_ONCE = 64;

  /** Time for which publishes to a topic are refused after the cluster refused one. */
  private static final long REFUSED_NS = TimeUnit.SECONDS.toNanos(5);

  private final KafkaOptions options;
  private final ValueSchemas schemas;
  private final PublishResults results;
  private final PublishCapacity capacity;
  private final Map<String, Refusal> refusals = new ConcurrentHashMap<>();
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          IDLE_S,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(), // each topic once
          KafkaPublisher::newThread);

  private volatile boolean connected;

  /** Publishes that wait, by Kafka topic. Guarded by this. */
  private final Map<String, FairQueue<Entry>> queues = new HashMap<>();

  private volatile boolean stopped;

  /** True if the producer has failed for good, and another one has to be created. */
  private volatile boolean unusable;

  /** Guards the producer; no callback of the producer acquires it, because the close waits. */
  private final Object producerLock = new Object();

  /** Null before the first publish. */
  private Producer<byte[], byte[]> producer;

  private record Refusal(ErrorCode code, String why, long sinceNs) {}

  private record Entry(
      ProducerRecord<byte[], byte[]> record, long bytes, PublishListener listener) {
    String user() {
      return listener.requester().user();
    }
  }

  KafkaPublisher(KafkaOptions options, ValueSchemas schemas, GatewayMetrics metrics) {
    this.options = options;
    this.schemas = schemas;
    this.results = new PublishResults(metrics);
    this.capacity =
        new PublishCapacity(options.publishes(), options.publishBytes(), metrics::publishesWaiting);
    threads.allowCoreThreadTimeOut(true);
  }

  private static Thread newThread(Runnable work) {
    Thread thread = new Thread(work, "sluice-kafka-publish");
    thread.setDaemon(true);
    return thread;
  }

  /** Refuses all publishes, queued and future ones. */
  synchronized void stop() {
    if (stopped) {
      return;
    }
    connected = false;
    stopped = true;
    queues
        .values()
        .forEach(
            queue ->
                queue.removeIf(
                    any -> true,
                    entry -> refuse(entry, ErrorCode.BROKER_UNAVAILABLE, NOT_CONNECTED)));
    threads.execute(this::closeProducer);
    threads.shutdown();
  }

  void onConnected() {
    connected = true;
  }

  /** Refuses publishes; those that were sent may still be stored. */
  void onLost() {
    connected = false;
  }

  /**
   * Queues a publish.
   *
   * @param route Kafka topic of the publish's topic
   */
  void publish(Publication publication, KafkaNames.Route route, PublishListener listener) {
    String problem = problem(publication.headers());
    if (problem != null) {
      refuse(listener, ErrorCode.UNSUPPORTED, problem);
      return;
    }
    if (!connected) {
      refuse(listener, ErrorCode.BROKER_UNAVAILABLE, NOT_CONNECTED);
      return;
    }
    Entry entry = new Entry(record(publication, route), publication.size(), listener);
    Refusal refusal = refusals.get(route.kafkaTopic());
    if (entry.record.key() == null && entry.record.value() == null) {
      refuse(listener, ErrorCode.PUBLISH_FAILED, "a removal in Kafka requires a key");
    } else if (refusal != null && System.nanoTime() - refusal.sinceNs < REFUSED_NS) {
      refuse(listener, refusal.code, refusal.why);
    } else if (!capacity.reserve(entry.user(), entry.bytes)) {
      refuse(listener, ErrorCode.BROKER_UNAVAILABLE, FULL);
    } else {
      add(entry);
    }
  }

  private static String problem(PublishHeaders headers) {
    if (headers.delayMs() != PublishHeaders.NONE) {
      return "\"delay\": Kafka does not delay messages";
    }
    if (headers.ttlMs() != PublishHeaders.NONE) {
      return "\"ttl\": Kafka expires messages by the retention of their topic";
    }
    if (headers.priority() != PublishHeaders.DEFAULT_PRIORITY) {
      return "\"priority\": Kafka delivers in the order of publishing";
    }
    if (headers.mode() == Mode.NON_PERSISTENT) {
      return "\"persistent\": Kafka stores all messages";
    }
    return headers.replyTo() == null ? null : "\"reply-to\": Kafka has no reply queues";
  }

  private ProducerRecord<byte[], byte[]> record(Publication publication, KafkaNames.Route route) {
    Map<String, Object> properties = publication.properties();
    String topic = publication.destination().name();
    String key = route.isKeyed() ? route.key() : options.keys().key(topic, properties);
    byte[] value = options.keys().isRemoval(properties) ? null : publication.payload();
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(
            route.kafkaTopic(),
            route.partition() == KafkaNames.Route.ALL ? null : route.partition(),
            key == null ? null : utf8(key),
            value);
    properties.forEach((name, property) -> addHeader(record, name, property));
    PublishHeaders headers = publication.headers();
    addHeader(record, "JMSType", headers.messageType());
    addHeader(record, "JMSCorrelationID", headers.correlationId());
    addHeader(record, "JMSXGroupID", headers.group());
    addHeader(record, "publish-id", headers.id());
    return record;
  }

  private static void addHeader(ProducerRecord<byte[], byte[]> record, String name, Object value) {
    if (value != null) {
      record.headers().add(name, utf8(value.toString()));
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private void release(Entry entry) {
    capacity.release(entry.user(), entry.bytes);
  }

  private void add(Entry entry) {
    String topic = entry.record.topic();
    synchronized (this) {
      if (!stopped) {
        FairQueue<Entry> queue = queues.get(topic);
        if (queue == null) {
          queue = new FairQueue<>();
          queues.put(topic, queue);
          threads.execute(() -> run(topic));
        }
        queue.add(entry.user(), entry);
        return;
      }
    }
    refuse(entry, ErrorCode.BROKER_UNAVAILABLE, NOT_CONNECTED);
  }

  /** Sends some publishes to a topic, whose next ones follow those to other topics. */
  private void run(String topic) {
    for (int left = MAX_AT_ONCE; left > 0; left--) {
      Entry next;
      synchronized (this) {
        next = queues.get(topic).poll();
        if (next == null) {
          queues.remove(topic);
          return;
        }
      }
      send(next);
    }
    synchronized (this) {
      if (!stopped) {
        threads.execute(() -> run(topic));
      }
    }
  }

  private Producer<byte[], byte[]> producer() {
    synchronized (producerLock) {
      if (unusable) {
        unusable = false;
        closeProducer();
      }
      if (producer == null && !stopped) {
        producer = new KafkaProducer<>(options.producer());
      }
      if (producer == null) {
        throw new KafkaException(NOT_CONNECTED);
      }
      return producer;
    }
  }

  private void closeProducer() {
    synchronized (producerLock) {
      if (producer != null) {
        producer.close(Duration.ZERO);
        producer = null;
      }
    }
  }

  private void send(Entry entry) {
    try {
      Producer<byte[], byte[]> producer = producer();
      Integer partition = entry.record.partition();
      if (partition != null && partition >= producer.partitionsFor(entry.record.topic()).size()) {
        refuse(entry, ErrorCode.UNKNOWN_TOPIC, "the topic has no such partition");
        return;
      }
      producer.send(
          withSchema(entry.record),
          (stored, failure) -> {
            if (failure == null) {
              onPublished(entry);
            } else {
              onFailed(entry, failure);
            }
          });
    } catch (ValueSchemas.Unwritable e) {
      refuse(entry, e.code(), e.getMessage());
    } catch (Throwable e) { // of the client: it has not called back
      onFailed(entry, e);
    }
  }

  private ProducerRecord<byte[], byte[]> withSchema(ProducerRecord<byte[], byte[]> record)
      throws ValueSchemas.Unwritable {
    byte[] payload = record.value();
    byte[] value = payload == null ? null : schemas.write(record.topic(), payload);
    return value == payload
        ? record
        : new ProducerRecord<>(
            record.topic(), record.partition(), record.key(), value, record.headers());
  }

  private void onPublished(Entry entry) {
    release(entry);
    results.publish(entry.listener);
  }

  // A failure before the send is a timeout of the metadata or of the client's memory. A user
  // without
  // a topic to write to may not begin to write, which the producer does once.
  private void onFailed(Entry entry, Throwable failure) {
    boolean wrapped =
        failure instanceof TimeoutException || failure.getClass() == KafkaException.class;
    Throwable cause = wrapped && failure.getCause() != null ? failure.getCause() : failure;
    if (cause instanceof ClusterAuthorizationException) {
      unusable = true;
    }
    if (cause instanceof UnknownTopicOrPartitionException
        || cause instanceof InvalidTopicException) {
      refuseTopic(entry, ErrorCode.UNKNOWN_TOPIC, UNKNOWN);
    } else if (cause instanceof AuthorizationException) {
      refuseTopic(entry, ErrorCode.FORBIDDEN, DENIED);
    } else if (cause instanceof TimeoutException && !connected) {
      refuse(entry, ErrorCode.PUBLISH_FAILED, "the cluster did not confirm the message in time");
    } else {
      String why = "the cluster did not accept the message: " + SourceState.describe(cause);
      refuse(entry, ErrorCode.PUBLISH_FAILED, why);
    }
  }

  // Producers may wait for each such topic.
  private void refuseTopic(Entry entry, ErrorCode code, String why) {
    refusals.put(entry.record.topic(), new Refusal(code, why, System.nanoTime()));
    refuse(entry, code, why);
  }

  private void refuse(Entry entry, ErrorCode code, String why) {
    release(entry);
    refuse(entry.listener, code, why);
  }

  /** Notifies the listener of a refused publish. */
  void refuse(PublishListener listener, ErrorCode code, String why) {
    results.refuse(listener, code, why);
  }
}
