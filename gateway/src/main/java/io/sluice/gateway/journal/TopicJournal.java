package io.sluice.gateway.journal;

import io.sluice.gateway.journal.Recovery.Outcome;
import java.io.IOException;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of one topic or pattern on the disk. One thread at a time may append and sync; any thread
 * may read meanwhile. No method may be called from an event loop.
 *
 * <p>What is kept has no hole: from {@link #firstOffset} to before {@link #nextOffset} every
 * message that was appended is there. Offsets rise by one, but for a leap where a log was recovered
 * after a crash.
 */
public final class TopicJournal implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(TopicJournal.class);

  /** Appending more bytes than this without a sync syncs by itself. */
  private static final long MOST_PENDING_BYTES = 4 << 20;

  /** More messages than can be appended without a sync, each of which has some 60 bytes. */
  private static final long OFFSETS_LOST_IN_A_CRASH = 1 << 20;

  /** A topic that has to give room gives one message of so many. */
  private static final long SHARE_TO_DROP = 8;

  private final Journal journal;
  private final String topic;
  private final TopicFiles files;
  private final TopicDatabase database;
  private final Watermark watermark;
  private final Recovery recovery;
  private final JournalLimits limits;
  private final InstantSource clock;
  private final Pending pending = new Pending();
  private volatile TopicState state;
  private volatile long diskBytes;
  private boolean closed;

  private TopicJournal(
      Journal journal,
      TopicFiles files,
      TopicDatabase database,
      TopicState state,
      Recovery recovery)
      throws SQLException, IOException {
    this.journal = journal;
    this.topic = state.topic();
    this.files = files;
    this.database = database;
    this.recovery = recovery;
    this.limits = journal.limits();
    this.clock = journal.clock();
    this.state = state.running(true);
    database.write(this.state);
    this.watermark = Watermark.open(files.watermark(), Watermark.Level.of(state));
    this.diskBytes = files.bytes();
  }

  /** Opens or recovers the log of {@code topic}, or creates it. */
  static TopicJournal open(Journal journal, String topic) throws JournalFailure {
    TopicFiles files = TopicFiles.of(journal.folder(), topic);
    try {
      Watermark.Level level = Watermark.read(files.watermark());
      if (!files.database().toFile().exists()) {
        Recovery recovery =
            level.lost().messages() > 0 ? level.lost() : new Recovery(Outcome.CREATED, 0, 0);
        return create(journal, topic, files, recovery);
      }
      try {
        return resume(journal, topic, files, level);
      } catch (DamagedLog e) {
        return renew(journal, topic, files, level.lost(), e);
      } catch (SQLException e) {
        if (!DamagedLog.isCauseOf(e, files)) {
          throw e;
        }
        return renew(journal, topic, files, level.lost(), e);
      }
    } catch (SQLException | IOException e) {
      throw failure(journal, topic, e, false);
    }
  }

  private static TopicJournal resume(
      Journal journal, String topic, TopicFiles files, Watermark.Level level)
      throws SQLException, IOException, DamagedLog {
    TopicDatabase database = TopicDatabase.open(files.database());
    try {
      TopicState state = database.load();
      if (!state.topic().equals(topic)) {
        throw new DamagedLog("the log belongs to another topic");
      }
      if (state.epoch() != level.epoch() || state.end().ordinal() < level.messages()) {
        throw new DamagedLog("messages that were safe are missing");
      }
      if (!state.running()) {
        return new TopicJournal(
            journal, files, database, state, new Recovery(Outcome.RESUMED, 0, 0));
      }
      Mark end = state.end().skipping(OFFSETS_LOST_IN_A_CRASH);
      return new TopicJournal(
          journal,
          files,
          database,
          state.between(state.first(), end),
          new Recovery(Outcome.RECOVERED, 0, 0));
    } catch (SQLException | IOException | DamagedLog | RuntimeException e) {
      closeAfter(e, database);
      throw e;
    }
  }

  private static TopicJournal renew(
      Journal journal, String topic, TopicFiles files, Recovery lost, Exception cause)
      throws SQLException, IOException {
    log.atWarn()
        .addKeyValue("topic", topic)
        .addKeyValue("messages", lost.messages())
        .addKeyValue("bytes", lost.bytes())
        .addKeyValue("reason", cause.getMessage())
        .log("journal.cut");
    files.delete();
    return create(journal, topic, files, lost);
  }

  private static TopicJournal create(
      Journal journal, String topic, TopicFiles files, Recovery recovery)
      throws SQLException, IOException {
    files.delete();
    TopicState empty = new TopicState(topic, newEpoch(), true, null, Mark.START);
    TopicDatabase database = TopicDatabase.create(files.database(), empty);
    try {
      return new TopicJournal(journal, files, database, empty, recovery);
    } catch (SQLException | IOException | RuntimeException e) {
      closeAfter(e, database);
      throw e;
    }
  }

  /** Not zero, which stands for no epoch; only chance has to keep two logs apart. */
  private static long newEpoch() {
    long epoch;
    do {
      epoch = ThreadLocalRandom.current().nextLong();
    } while (epoch == Watermark.Level.UNKNOWN.epoch());
    return epoch;
  }

  /** The topic or pattern. */
  public String topic() {
    return topic;
  }

  /**
   * A random number that this log has from its creation on. It stays when a node is restarted, and
   * changes when anything that was safe is lost: offsets of another epoch mean nothing here.
   */
  public long epoch() {
    return state.epoch();
  }

  /** What was found when this log was opened. */
  public Recovery recovery() {
    return recovery;
  }

  /** The offset of the oldest message that is kept, or {@link #nextOffset} if there is none. */
  public long firstOffset() {
    return state.oldest().offset();
  }

  /** The offset that the next message must have. */
  public long nextOffset() {
    return state.end().offset();
  }

  /** How many messages are kept. */
  public long messages() {
    TopicState now = state;
    return now.end().ordinal() - now.oldest().ordinal();
  }

  /** Their bytes, as {@link JournalLimits#bytes} counts them. */
  public long bytes() {
    TopicState now = state;
    return now.end().bytes() - now.oldest().bytes();
  }

  /**
   * Appends a message, which is safe only when {@link #sync} has returned. Readers see it at once.
   * May sync by itself, where much was appended without.
   *
   * @param message its offset is {@link #nextOffset}
   * @throws JournalFailure if too much waits that cannot be written; the message is not appended
   * @throws IllegalArgumentException if the offset is another
   */
  public synchronized void append(StoredMessage message) throws JournalFailure {
    requireOpen();
    if (message.offset() != nextOffset()) {
      throw new IllegalArgumentException(
          "the next offset is " + nextOffset() + ", not " + message.offset());
    }
    if (pending.bytes() >= MOST_PENDING_BYTES) {
      write();
    }
    TopicState now = state;
    Row row = Row.of(now.end().arriving(message.arrivalMs()), message);
    pending.add(row);
    state = now.between(now.first() == null ? row.mark() : now.first(), row.next());
  }

  /**
   * Writes what was appended and waits until it is safe on the disk, then drops what is over the
   * limits. Also to be called now and then where nothing is appended, for the age of what is kept.
   *
   * @throws JournalFailure if it is not safe. What was safe stays so, and what was appended stays
   *     appended: a later call tries again, unless the failure tells of damage.
   */
  public void sync() throws JournalFailure {
    synchronized (this) {
      requireOpen();
      write();
    }
    journal.enforceFolderLimit(); // which no message waits for
  }

  private void write() throws JournalFailure {
    long oldestMs = clock.millis() - limits.age().toMillis();
    Mark end = state.end();
    write(new Mark(0, end.ordinal() - limits.messages(), end.bytes() - limits.bytes(), oldestMs));
  }

  private void write(Mark floor) throws JournalFailure {
    List<Row> rows = pending.rows();
    TopicState now = state;
    try {
      if (!rows.isEmpty() || now.first() != null && !now.first().isAtLeast(floor)) {
        state = now.between(database.write(rows, floor, now), now.end());
        pending.removeFirst(rows);
      }
      watermark.write(Watermark.Level.of(state));
      diskBytes = files.bytes();
    } catch (SQLException | IOException e) {
      throw failure(
          journal, topic, e, e instanceof SQLException s && DamagedLog.isCauseOf(s, files));
    }
  }

  /**
   * Reads messages, oldest first.
   *
   * @param fromOffset where to begin; where that is dropped, at {@link #firstOffset}
   * @param most how many at most
   * @throws JournalFailure if the disk fails or what it holds is damaged
   */
  public List<StoredMessage> read(long fromOffset, int most) throws JournalFailure {
    // Before the database, so that what is written in between is found there.
    List<Row> unwritten = pending.rowsFrom(fromOffset, most);
    try {
      List<StoredMessage> messages = new ArrayList<>(database.read(fromOffset, most));
      long last = messages.isEmpty() ? 0 : messages.get(messages.size() - 1).offset();
      for (Row row : unwritten) {
        if (messages.size() < most && row.mark().offset() > last) {
          messages.add(row.message());
        }
      }
      return messages;
    } catch (DamagedLog e) {
      throw failure(journal, topic, e, true);
    } catch (SQLException e) {
      throw failure(journal, topic, e, DamagedLog.isCauseOf(e, files));
    }
  }

  /**
   * The offset from which on a {@link #read} has the latest messages. To be asked instead of
   * counted: offsets leap where a log was recovered.
   *
   * @param most how many at most
   * @return {@link #firstOffset} if no more are kept, {@link #nextOffset} if there are none
   */
  public synchronized long offsetOfLatest(int most) throws JournalFailure {
    List<Row> unwritten = pending.rows();
    if (unwritten.size() >= most) {
      return most == 0 ? nextOffset() : unwritten.get(unwritten.size() - most).mark().offset();
    }
    try {
      long found = database.offsetOfLatest(most - unwritten.size());
      return found < 0 ? firstOffset() : found;
    } catch (SQLException e) {
      throw failure(journal, topic, e, DamagedLog.isCauseOf(e, files));
    }
  }

  /** Ends the log and deletes its files. */
  public void delete() throws JournalFailure {
    journal.delete(this);
  }

  /**
   * Syncs and closes in order.
   *
   * @throws JournalFailure if what was appended is not safe; the log is closed all the same
   */
  @Override
  public void close() throws JournalFailure {
    journal.close(this);
  }

  TopicFiles files() {
    return files;
  }

  long diskBytes() {
    return diskBytes;
  }

  /**
   * Gives back the room of messages that were dropped before. Where that is less than a share,
   * drops a share of the oldest messages, too. False if there is nothing to give.
   */
  synchronized boolean giveRoom() throws JournalFailure {
    if (closed) {
      return false;
    }
    long before = files.bytes();
    shrink();
    if (state.first() == null || before - diskBytes >= before / SHARE_TO_DROP) {
      return diskBytes < before;
    }
    long share = Math.max(1, messages() / SHARE_TO_DROP);
    write(new Mark(0, state.first().ordinal() + share, 0, 0));
    shrink();
    return true;
  }

  private void shrink() throws JournalFailure {
    try {
      database.shrink();
    } catch (SQLException e) {
      throw failure(journal, topic, e, DamagedLog.isCauseOf(e, files));
    }
    diskBytes = files.bytes();
  }

  synchronized void closeInOrder() throws JournalFailure {
    if (closed) {
      return;
    }
    try {
      write();
      database.write(state.running(false));
    } catch (SQLException e) {
      throw failure(journal, topic, e, DamagedLog.isCauseOf(e, files));
    } finally {
      release();
    }
  }

  synchronized void deleteFiles() throws JournalFailure {
    if (!closed) {
      release();
    }
    try {
      files.delete();
    } catch (IOException e) {
      throw failure(journal, topic, e, false);
    }
  }

  private void release() throws JournalFailure {
    closed = true;
    try (watermark;
        database) {
      state = state.between(null, state.end());
    } catch (SQLException | IOException e) {
      throw failure(journal, topic, e, false);
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the journal of " + topic + " is closed");
    }
  }

  private static void closeAfter(Exception cause, TopicDatabase database) {
    try {
      database.close();
    } catch (SQLException e) {
      cause.addSuppressed(e);
    }
  }

  private static JournalFailure failure(
      Journal journal, String topic, Exception cause, boolean damage) {
    return new JournalFailure(
        "journal folder "
            + journal.folder()
            + ", topic "
            + topic
            + ": "
            + (cause.getMessage() == null ? cause : cause.getMessage()),
        damage,
        cause);
  }
}
