package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.bytes;
import static io.sluice.gateway.config.Setting.duration;
import static io.sluice.gateway.config.Setting.integer;
import static io.sluice.gateway.config.Setting.internal;
import static io.sluice.gateway.config.Setting.list;
import static io.sluice.gateway.config.Setting.text;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import java.time.Duration;
import java.util.List;

/**
 * Configuration keys of topic logs, the journal and the resumption of subscriptions. Constants
 * only.
 */
public final class HistorySettings {
  private static final long KIB = 1024;
  private static final long MIB = 1024 * KIB;

  public static final Setting<Integer> MESSAGES =
      integer(
          "history.messages",
          1_000,
          0,
          10_000_000,
          "Maximum number of messages in the log of each topic or pattern in use, for resume and"
              + " snapshots; 0: none.");
  public static final Setting<Long> BYTES =
      bytes("history.bytes", MIB, KIB, 1024 * MIB, "Maximum size of each log in memory.");
  public static final Setting<Duration> AGE =
      duration(
          "history.age",
          ofMinutes(5),
          ofMillis(100),
          ofDays(7),
          "Retention of messages in a log; snapshots keep the newest message of each topic.");
  public static final Setting<Long> MEMORY =
      bytes(
          "history.memory",
          64 * MIB,
          MIB,
          1024 * 1024 * MIB,
          "Maximum memory of all logs. Beyond it, a log above an equal share discards its oldest"
              + " messages, or the oldest of those kept only for snapshots if these use more.");

  /** Direct memory for encoded frames of recent messages, in bytes; 0: no frames are stored. */
  public static final Setting<Long> FRAMES = internal("history.frames", 32 * MIB);

  public static final Setting<Integer> KEYS =
      integer(
          "history.keys",
          10_000,
          1,
          10_000_000,
          "Maximum number of topics or keys of one topic or pattern in snapshots, and of pending"
              + " messages of a subscription with latest or rate.");
  public static final Setting<Integer> READ_BACK =
      integer(
          "history.read-back",
          10_000,
          0,
          1_000_000,
          "Maximum number of messages older than the log that a node reads again for clients that"
              + " resume; of Kafka and NATS only.");
  public static final Setting<Long> READ_BACK_RATE =
      bytes(
          "history.read-back-rate",
          8 * MIB,
          64 * KIB,
          1024 * MIB,
          "Bytes per second of these reads, per source.");
  public static final Setting<List<String>> KEY_PROPERTIES =
      list(
          "history.key-properties",
          List.of(),
          "JMS properties with the keys of topics, pattern=property: a snapshot then has the"
              + " newest message of each key.");
  public static final Setting<String> REMOVAL_PROPERTY =
      text(
          "history.removal-property",
          "",
          "JMS property that marks a removal if true: the message removes its topic or key from"
              + " snapshots, and clients receive it without a payload.");
  public static final Setting<List<String>> WARM =
      list(
          "history.warm",
          List.of(),
          "Patterns that the node subscribes to before the first client, with one consumer each."
              + " A removed pattern stays open while clients use its topics.");
  public static final Setting<String> JOURNAL_FOLDER =
      text(
          "journal.folder",
          "",
          "Folder on a local disk with the logs of broker.durable; one per node.");
  public static final Setting<Long> JOURNAL_BYTES =
      bytes(
          "journal.bytes",
          1024 * MIB,
          MIB,
          1024 * 1024 * MIB,
          "Maximum size of the journal, above which the largest logs discard their oldest"
              + " messages.");

  /** Maximum time by which two nodes differ in the order of concurrent messages. */
  public static final Setting<Duration> RESUME_SPREAD = internal("resume.spread", ofMillis(500));

  public static final Setting<Duration> RESUME_MARGIN =
      duration(
          "resume.margin",
          ofSeconds(5),
          ofMillis(0),
          ofMinutes(10),
          "Limit for the difference between two nodes' clocks plus the time to detect late"
              + " messages (4.5s). Above it, clients that move to another node may receive old"
              + " messages again, or miss messages without a gap.");

  /** Number of message identities that a client stores for each subscription. */
  public static final Setting<Integer> RESUME_OVERLAP = internal("resume.overlap", 4_096);

  /** Keys of this section, in the order of the documentation. */
  static final List<Setting<?>> ALL =
      List.of(
          MESSAGES,
          BYTES,
          AGE,
          MEMORY,
          KEYS,
          READ_BACK,
          READ_BACK_RATE,
          KEY_PROPERTIES,
          REMOVAL_PROPERTY,
          WARM,
          JOURNAL_FOLDER,
          JOURNAL_BYTES,
          RESUME_MARGIN);

  private HistorySettings() {}
}
