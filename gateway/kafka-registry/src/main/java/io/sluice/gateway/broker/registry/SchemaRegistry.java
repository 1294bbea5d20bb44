package io.sluice.gateway.broker.registry;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.gateway.broker.kafka.ValueSchemas;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.value.JsonText;
import io.sluice.gateway.time.LogInterval;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Schemas of record values from a registry with Confluent's REST interface. Any thread.
 *
 * <p>A value begins with 0 and the id of its schema in four bytes. A schema never changes, but its
 * subject may have a later one.
 */
public final class SchemaRegistry implements ValueSchemas {
  private static final Logger log = LoggerFactory.getLogger(SchemaRegistry.class);

  /** Bytes before a value: 0 and the id. */
  private static final int HEADER_BYTES = 5;

  /** Time for which no publish waits for a schema after one has waited in vain. */
  private static final long NO_WAIT_NS = TimeUnit.SECONDS.toNanos(15);

  /** Time after which the latest schema of a subject is requested again. */
  private static final long REFRESH_MS = TimeUnit.MINUTES.toMillis(1);

  /** Maximum number of publishes that wait for a schema at a time, each of another topic. */
  private static final int MAX_WAITS = 8;

  /** Number of schemas to which one may refer, also indirectly. */
  private static final int MAX_REFERENCES = 100;

  /** A deleted schema may refer to versions that are deleted as well; records still have it. */
  private static final String DELETED = "?deleted=true";

  private final RegistryOptions options;
  private final ExecutorService executor = executor("sluice-kafka-registry");
  private final ExecutorService httpExecutor = executor("sluice-kafka-registry-http");
  private final RegistryClient client;
  private final SchemaCache<Integer> ids;
  private final SchemaCache<String> subjects;
  private final LogInterval failures = new LogInterval();

  private final Semaphore waits = new Semaphore(MAX_WAITS);

  /** When a publish has last waited in vain. */
  private volatile long waitedNs = System.nanoTime() - NO_WAIT_NS;

  /** Creates an instance, which requests nothing before the first value. */
  public SchemaRegistry(RegistryOptions options) {
    this.options = options;
    this.client = new RegistryClient(options, httpExecutor);
    this.ids = new SchemaCache<>(executor, Long.MAX_VALUE, this::loadId);
    this.subjects = new SchemaCache<>(executor, REFRESH_MS, this::loadLatest);
  }

  private static ExecutorService executor(String name) {
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.MINUTES,
            new LinkedBlockingQueue<>(),
            work -> {
              Thread thread = new Thread(work, name);
              thread.setDaemon(true);
              return thread;
            });
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  @Override
  public void stop() {
    executor.shutdownNow();
    httpExecutor.shutdown();
  }

  private boolean hasSchema(String topic, byte[] value) {
    return value != null && value.length > 0 && value[0] == 0 && options.topics().contains(topic);
  }

  private static int id(byte[] value) {
    return ByteBuffer.wrap(value).getInt(1);
  }

  @Override
  public boolean isReady(String topic, byte[] value) {
    if (!hasSchema(topic, value) || value.length < HEADER_BYTES) {
      return true;
    }
    SchemaCache.Loaded schema = ids.get(id(value));
    return schema != null && schema.isFinal();
  }

  @Override
  public boolean awaitReady(String topic, byte[] value) {
    if (isReady(topic, value)) {
      return true;
    }
    SchemaCache.Loaded schema = ids.await(id(value), RegistryClient.TIMEOUT_MS);
    return schema != null && schema.isFinal();
  }

  @Override
  public byte[] read(String topic, byte[] value, long maxBytes) throws Unreadable {
    if (!hasSchema(topic, value)) {
      return value;
    }
    if (value.length < HEADER_BYTES) {
      throw new Unreadable(GapReason.UNSUPPORTED, "the value has no id of a schema");
    }
    SchemaCache.Loaded schema = ids.get(id(value));
    if (schema == null || schema.format() == null) {
      String problem = schema == null ? "it is not known yet" : schema.problem();
      throw new Unreadable(GapReason.UNSUPPORTED, "schema " + id(value) + ": " + problem);
    }
    return json(schema, value, maxBytes);
  }

  private static byte[] json(SchemaCache.Loaded schema, byte[] value, long maxBytes)
      throws Unreadable {
    LimitedBytes bytes = new LimitedBytes(maxBytes);
    try (JsonGenerator out = JsonText.generator(bytes)) {
      ByteBuffer content = ByteBuffer.wrap(value, HEADER_BYTES, value.length - HEADER_BYTES);
      schema.format().read(content.slice(), out);
    } catch (LimitedBytes.Exceeded e) {
      throw new Unreadable(GapReason.TOO_LARGE, "the JSON is larger than the limit");
    } catch (IOException | RuntimeException e) {
      throw new Unreadable(
          GapReason.UNSUPPORTED,
          "a value of schema %d is malformed: %s".formatted(schema.id(), reason(e)));
    }
    return bytes.toByteArray();
  }

  private static String reason(Exception failure) {
    return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
  }

  @Override
  public byte[] write(String topic, byte[] payload) throws Unwritable {
    if (!options.topics().contains(topic)) {
      return payload;
    }
    String subject = topic + "-value";
    SchemaCache.Loaded schema = latest(subject);
    if (schema == null || !schema.isFinal()) {
      waitedNs = System.nanoTime();
      throw new Unwritable(
          ErrorCode.BROKER_UNAVAILABLE,
          "the schema registry does not provide the schema of " + subject);
    }
    if (schema.format() == null) {
      throw new Unwritable(ErrorCode.PUBLISH_FAILED, subject + ": " + schema.problem());
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(0);
      out.writeInt(schema.id());
      schema.format().write(JsonTree.parse(payload), out);
    } catch (Mismatch e) {
      throw new Unwritable(
          ErrorCode.PUBLISH_FAILED,
          "schema %d of %s: %s".formatted(schema.id(), subject, e.getMessage()));
    } catch (IOException e) {
      throw new Unwritable(
          ErrorCode.PUBLISH_FAILED, "values of this topic have a schema; the payload is not JSON");
    }
    return bytes.toByteArray();
  }

  // Waiting publishes occupy threads, which those to topics without a schema need.
  private SchemaCache.Loaded latest(String subject) {
    if (System.nanoTime() - waitedNs < NO_WAIT_NS || !waits.tryAcquire()) {
      return subjects.get(subject);
    }
    try {
      return subjects.await(subject, RegistryClient.TIMEOUT_MS);
    } finally {
      waits.release();
    }
  }

  private static String path(String subject, Object version) {
    String encoded = URLEncoder.encode(subject, StandardCharsets.UTF_8).replace("+", "%20");
    return "/subjects/" + encoded + "/versions/" + version;
  }

  private SchemaCache.Loaded loadId(int id) throws IOException, UnusableSchema {
    return load("/schemas/ids/" + id, "the registry has no such schema", id);
  }

  private SchemaCache.Loaded loadLatest(String subject) throws IOException, UnusableSchema {
    String absent = "the registry has no such subject, and the node uses TopicNameStrategy only";
    return load(path(subject, "latest"), absent, null);
  }

  /**
   * Loads a schema and those to which it refers.
   *
   * @param absent problem of a registry without the schema
   * @param known id of the schema; null if the response has it
   */
  private SchemaCache.Loaded load(String path, String absent, Integer known)
      throws IOException, UnusableSchema {
    try {
      Map<?, ?> root = client.get(path, absent);
      Map<String, String> references = new LinkedHashMap<>();
      collect(root, references, new HashSet<>());
      int id = known == null ? number(root, "id") : known;
      return SchemaCache.Loaded.of(id, format(root, references));
    } catch (IOException e) {
      onFailure(path, e.getMessage());
      throw e;
    }
  }

  private void onFailure(String path, String cause) {
    long times = failures.add(System.nanoTime());
    if (times > 0) {
      log.atWarn()
          .addKeyValue("registry", ServiceUrl.masked(options.url()))
          .addKeyValue("path", path)
          .addKeyValue("cause", cause)
          .addKeyValue("times", times)
          .log("schema.unavailable");
    }
  }

  /** Adds the schemas to which one refers, by name, each after those to which it refers. */
  private void collect(Map<?, ?> schema, Map<String, String> texts, Set<String> requested)
      throws IOException, UnusableSchema {
    List<?> references = schema.get("references") instanceof List<?> list ? list : List.of();
    for (Object each : references) {
      Map<?, ?> reference = each instanceof Map<?, ?> map ? map : Map.of();
      String name = text(reference, "name");
      if (requested.add(name)) {
        if (requested.size() > MAX_REFERENCES) {
          throw new UnusableSchema("it refers to more than " + MAX_REFERENCES + " schemas");
        }
        String path = path(text(reference, "subject"), number(reference, "version"));
        String absent = "the registry has no " + path + ", to which it refers";
        Map<?, ?> next = client.get(path + DELETED, absent);
        collect(next, texts, requested);
        texts.put(name, text(next, "schema"));
      }
    }
  }

  private static String text(Map<?, ?> object, String name) throws IOException {
    if (object.get(name) instanceof String text) {
      return text;
    }
    throw new IOException("the registry's response has no text " + name);
  }

  private static int number(Map<?, ?> object, String name) throws IOException {
    if (object.get(name) instanceof Number number) {
      return number.intValue();
    }
    throw new IOException("the registry's response has no number " + name);
  }

  private static ValueFormat format(Map<?, ?> root, Map<String, String> references)
      throws IOException, UnusableSchema {
    String type = root.get("schemaType") instanceof String given ? given : "AVRO";
    String text = text(root, "schema");
    return switch (type) {
      case "AVRO" -> AvroFormat.of(text, new ArrayList<>(references.values()));
      case "PROTOBUF" -> ProtobufFormat.of(text, references);
      case "JSON" -> new JsonFormat();
      default -> throw new UnusableSchema("schemas of type " + type + " are not read");
    };
  }
}
