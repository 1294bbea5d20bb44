package io.sluice.gateway.journal;

import static io.sluice.gateway.journal.Samples.ROOMY;
import static io.sluice.gateway.journal.Samples.all;
import static io.sluice.gateway.journal.Samples.append;
import static io.sluice.gateway.journal.Samples.areGenuine;
import static io.sluice.gateway.journal.Samples.message;
import static io.sluice.gateway.journal.Samples.offsets;
import static io.sluice.gateway.journal.Samples.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.store.Recovery;
import io.sluice.gateway.store.Recovery.Outcome;
import io.sluice.gateway.store.StoreFailure;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Recovery of a journal whose files were truncated or changed at arbitrary positions. Prints its
 * seed. With more crashes than the default ({@code -Dsluice.crashes=3000}), run it in memory
 * ({@code -Djava.io.tmpdir=/dev/shm}).
 */
final class CrashTest {
  private static final TopicFiles NAMES = TopicFiles.of(Path.of(""), "a");
  private static final String DATABASE = NAMES.database().toString();
  private static final String LOG = DATABASE + "-wal";
  private static final String WATERMARK = NAMES.watermark().toString();

  private static final int CRASHES = Integer.getInteger("sluice.crashes", 40);

  @TempDir Path folder;

  private final long seed = Long.getLong("sluice.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private int crashes;

  @BeforeEach
  void printSeed() {
    System.out.println("-Dsluice.seed=" + seed);
  }

  /** Files of a journal that was not closed. */
  private record Snapshot(
      long epoch, long synced, long appended, byte[] database, byte[] log, byte[] watermark) {}

  private Snapshot snapshot(Path live, TopicJournal topic, long synced) throws IOException {
    return new Snapshot(
        topic.epoch(),
        synced,
        topic.nextOffset() - 1,
        Files.readAllBytes(live.resolve(DATABASE)),
        Files.readAllBytes(live.resolve(LOG)),
        Files.readAllBytes(live.resolve(WATERMARK)));
  }

  /** Returns an image after each of several syncs, each followed by unsynced appends. */
  private List<Snapshot> run(JournalLimits limits, int syncs) throws Exception {
    Path live = folder.resolve("live");
    List<Snapshot> snapshots = new ArrayList<>();
    try (Journal journal = Journal.open(live, limits)) {
      TopicJournal topic = journal.topic("a");
      for (int sync = 0; sync < syncs; sync++) {
        append(topic, 1 + random.nextInt(30));
        topic.sync();
        long synced = topic.nextOffset() - 1;
        append(topic, random.nextInt(3));
        snapshots.add(snapshot(live, topic, synced));
      }
    }
    return snapshots;
  }

  private Path crashed(byte[] database, byte[] log, byte[] watermark) throws IOException {
    Path crashed = Files.createDirectory(folder.resolve("crash" + crashes++));
    Files.write(crashed.resolve(DATABASE), database);
    Files.write(crashed.resolve(LOG), log);
    Files.write(crashed.resolve(WATERMARK), watermark);
    return crashed;
  }

  @Test
  void shouldRecoverExactlySyncedMessagesWhenTruncatedAtAnyByte() throws Exception {
    List<Snapshot> snapshots = run(ROOMY, 8);
    Snapshot last = snapshots.get(snapshots.size() - 1);
    assertThat(last.database()).as("all is in the log").hasSizeLessThan(20_000);
    TreeSet<Integer> cuts = new TreeSet<>();
    for (Snapshot snapshot : snapshots) {
      int end = snapshot.log().length;
      cuts.addAll(List.of(end - 1, end, Math.min(end + 1, last.log().length)));
    }
    int start = snapshots.get(0).log().length;
    for (int i = 0; i < CRASHES; i++) {
      cuts.add(start + random.nextInt(last.log().length - start));
    }
    cuts.remove(start - 1);
    for (int cut : cuts) {
      Snapshot synced = snapshots.get(0);
      for (Snapshot snapshot : snapshots) {
        synced = snapshot.log().length <= cut ? snapshot : synced;
      }
      Path crashed = crashed(last.database(), Arrays.copyOf(last.log(), cut), synced.watermark());
      try (Journal journal = Journal.open(crashed, ROOMY)) {
        TopicJournal topic = journal.topic("a");
        assertThat(topic.recovery())
            .as("cut at %d", cut)
            .isEqualTo(new Recovery(Outcome.RECOVERED, 0, 0));
        assertThat(topic.epoch()).isEqualTo(last.epoch());
        assertThat(offsets(topic)).as("cut at %d", cut).isEqualTo(range(1, synced.synced()));
        assertThat(areGenuine(all(topic))).as("cut at %d", cut).isTrue();
        assertThat(topic.nextOffset()).as("never assigned before").isGreaterThan(last.appended());
      }
      goesOn(crashed);
    }
  }

  @Test
  void shouldRenewLogWhenSyncedMessagesAreTruncated() throws Exception {
    List<Snapshot> snapshots = run(ROOMY, 3);
    Snapshot last = snapshots.get(2);
    for (int cut :
        new int[] {0, 1, 31, 32, 5000, snapshots.get(1).log().length, last.log().length - 1}) {
      Path crashed = crashed(last.database(), Arrays.copyOf(last.log(), cut), last.watermark());
      try (Journal journal = Journal.open(crashed, ROOMY)) {
        TopicJournal topic = journal.topic("a");
        assertThat(topic.recovery().outcome()).as("cut at %d", cut).isEqualTo(Outcome.RENEWED);
        assertThat(topic.recovery().messages()).isEqualTo(last.synced());
        assertThat(topic.recovery().bytes()).isPositive();
        assertThat(topic.epoch()).isNotEqualTo(last.epoch());
        assertThat(topic.messages()).isZero();
      }
      goesOn(crashed);
    }
  }

  @Test
  void shouldNeverReturnWrongDataAfterByteChangeInOpenJournal() throws Exception {
    Snapshot last = run(ROOMY, 5).get(4);
    for (int i = 0; i < CRASHES; i++) {
      byte[][] files = {last.database().clone(), last.log().clone(), last.watermark().clone()};
      String change = change(files[i % 10 == 0 ? 2 : i % 10 == 1 ? 0 : 1]);
      Path crashed = crashed(files[0], files[1], files[2]);
      isWholeOrNew(crashed, last, Outcome.RECOVERED, change + " of file " + i % 10);
      goesOn(crashed);
    }
  }

  @Test
  void shouldNeverReturnWrongDataAfterByteChangeInClosedJournal() throws Exception {
    Snapshot last = run(ROOMY, 5).get(4);
    byte[] database = Files.readAllBytes(folder.resolve("live").resolve(DATABASE));
    byte[] watermark = Files.readAllBytes(folder.resolve("live").resolve(WATERMARK));
    Snapshot closed =
        new Snapshot(
            last.epoch(), last.appended(), last.appended(), database, new byte[0], watermark);
    for (int i = 0; i < 2 * CRASHES; i++) {
      byte[] changed = database.clone();
      // Half of them consecutive, in the pages with SQLite's own records.
      String change = i < CRASHES && i < changed.length ? change(changed, i) : change(changed);
      Path crashed = crashed(changed, new byte[0], watermark);
      isWholeOrNew(crashed, closed, Outcome.RESUMED, change);
      goesOn(crashed);
    }
  }

  private String change(byte[] file) {
    return change(file, random.nextInt(file.length));
  }

  private String change(byte[] file, int at) {
    byte old = file[at];
    file[at] ^= (byte) (random.nextBoolean() ? 1 << random.nextInt(8) : 1 + random.nextInt(255));
    return "byte " + at + " from " + old + " to " + file[at];
  }

  private static void isWholeOrNew(Path crashed, Snapshot before, Outcome whole, String change)
      throws Exception {
    try (Journal journal = Journal.open(crashed, ROOMY)) {
      TopicJournal topic = journal.topic("a");
      if (topic.epoch() == before.epoch()) {
        assertThat(topic.recovery().outcome()).as(change).isIn(whole, Outcome.RECOVERED);
        assertThat(offsets(topic)).as(change).isEqualTo(range(1, before.synced()));
        assertThat(areGenuine(all(topic))).as(change).isTrue();
        assertThat(topic.nextOffset()).as(change).isGreaterThan(before.appended());
      } else {
        assertThat(topic.recovery().outcome()).as(change).isEqualTo(Outcome.RENEWED);
        assertThat(offsets(topic)).as(change).isEmpty();
      }
    }
  }

  /** Appends to and reopens a log that appears intact. */
  private static void goesOn(Path crashed) throws Exception {
    List<Long> offsets;
    long epoch;
    try (Journal journal = Journal.open(crashed, ROOMY)) {
      TopicJournal topic = journal.topic("a");
      assertThat(topic.recovery().outcome()).isEqualTo(Outcome.RESUMED);
      offsets = new ArrayList<>(offsets(topic));
      offsets.add(topic.nextOffset());
      offsets.add(topic.nextOffset() + 1);
      epoch = topic.epoch();
      append(topic, 2);
      topic.sync();
    }
    try (Journal journal = Journal.open(crashed, ROOMY)) {
      assertThat(journal.topic("a").epoch()).isEqualTo(epoch);
      assertThat(offsets(journal.topic("a"))).isEqualTo(offsets);
      assertThat(areGenuine(all(journal.topic("a")))).isTrue();
    }
  }

  @Test
  void shouldReportCorruptionFoundWhileRunning() throws Exception {
    Path live = folder.resolve("live");
    try (Journal journal = Journal.open(live, ROOMY)) {
      append(journal.topic("a"), 5000);
    }
    try (Journal journal = Journal.open(live, ROOMY)) {
      TopicJournal topic = journal.topic("a");
      Path database = live.resolve(DATABASE);
      try (RandomAccessFile file = new RandomAccessFile(database.toFile(), "rw")) {
        byte[] payload = message(2500).message().payload();
        long at = indexOf(Files.readAllBytes(database), payload) + payload.length / 2;
        file.seek(at);
        int old = file.read();
        file.seek(at);
        file.write(old ^ 1);
      }
      ThrowingCallable reading = () -> topic.read(2400, 200);
      assertThatThrownBy(reading)
          .isInstanceOf(StoreFailure.class)
          .hasMessageContaining(live.toString())
          .hasMessageContaining("offset 2500 is corrupt")
          .matches(failure -> ((StoreFailure) failure).isCorruption());
      assertThat(areGenuine(topic.read(2400, 100))).isTrue();
    }
    isWholeOrNewAfterDamage(live);
  }

  private static void isWholeOrNewAfterDamage(Path live) throws Exception {
    try (Journal journal = Journal.open(live, ROOMY)) {
      assertThat(journal.topic("a").recovery().outcome()).isEqualTo(Outcome.RENEWED);
      assertThat(journal.topic("a").recovery().messages()).isEqualTo(5000);
    }
  }

  private static int indexOf(byte[] in, byte[] what) {
    for (int i = 0; i + what.length <= in.length; i++) {
      if (Arrays.equals(in, i, i + what.length, what, 0, what.length)) {
        return i;
      }
    }
    throw new AssertionError("not there");
  }
}
