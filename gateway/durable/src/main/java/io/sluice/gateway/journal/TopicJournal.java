package io.sluice.gateway.journal;

import io.sluice.gateway.store.Recovery;
import io.sluice.gateway.store.Recovery.Outcome;
import io.sluice.gateway.store.StoreFailure;
import io.sluice.gateway.store.StoredMessage;
import io.sluice.gateway.store.TopicStore;
import java.io.IOException;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Log of one topic or pattern on the disk. One thread at a time may append and sync; any thread may
 * read concurrently. No method may be called from an event loop.
 *
 * <p>The log is contiguous: it has every appended message from {@link #firstOffset} to before
 * {@link #nextOffset}. Offsets increase by one, except for a jump where a log was recovered after a
 * crash.
 */
public final class TopicJournal implements TopicStore, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(TopicJournal.class);

  /** Bytes appended without a sync above which an append writes to the disk. */
  private static final long MAX_PENDING_BYTES = 4 << 20;

  /** Exceeds the number of messages that fit without a sync, at about 60 bytes each. */
  private static final long OFFSETS_SKIPPED_AFTER_CRASH = 1 << 20;

  /** Divisor of the fraction of messages that a truncation drops. */
  private static final long TRUNCATION_DIVISOR = 8;

  private final Journal journal;
  private final String topic;
  private final TopicFiles files;
  private final TopicDatabase database;
  private final Watermark watermark;
  private final Recovery recovery;
  private final JournalLimits limits;
  private final InstantSource clock;
  private final PendingRows pending = new PendingRows();
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
  static TopicJournal open(Journal journal, String topic) throws StoreFailure {
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
      } catch (CorruptLog e) {
        return renew(journal, topic, files, level.lost(), e);
      } catch (SQLException e) {
        if (!CorruptLog.isCauseOf(e, files)) {
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
      throws SQLException, IOException, CorruptLog {
    TopicDatabase database = TopicDatabase.open(files.database());
    try {
      TopicState state = database.load();
      if (!state.topic().equals(topic)) {
        throw new CorruptLog("the log belongs to another topic");
      }
      if (state.epoch() != level.epoch() || state.end().ordinal() < level.messages()) {
        throw new CorruptLog("synced messages are missing");
      }
      if (!state.running()) {
        return new TopicJournal(
            journal, files, database, state, new Recovery(Outcome.RESUMED, 0, 0));
      }
      LogPosition end = state.end().skipping(OFFSETS_SKIPPED_AFTER_CRASH);
      return new TopicJournal(
          journal,
          files,
          database,
          state.between(state.first(), end),
          new Recovery(Outcome.RECOVERED, 0, 0));
    } catch (SQLException | IOException | CorruptLog | RuntimeException e) {
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
    TopicState empty = new TopicState(topic, journal.newEpoch(), true, null, LogPosition.START);
    TopicDatabase database = TopicDatabase.create(files.database(), empty);
    try {
      return new TopicJournal(journal, files, database, empty, recovery);
    } catch (SQLException | IOException | RuntimeException e) {
      closeAfter(e, database);
      throw e;
    }
  }

  /** Returns the topic or pattern. */
  public String topic() {
    return topic;
  }

  /**
   * Returns the random number assigned when this log was created. It survives a restart of the node
   * and changes when synced messages are lost. Offsets of another epoch are invalid here.
   */
  @Override
  public long epoch() {
    return state.epoch();
  }

  /** Returns the result of opening this log. */
  @Override
  public Recovery recovery() {
    return recovery;
  }

  /** Returns the offset of the oldest stored message, or {@link #nextOffset} if there is none. */
  public long firstOffset() {
    return state.oldest().offset();
  }

  /** Returns the offset that the next message must have. */
  @Override
  public long nextOffset() {
    return state.end().offset();
  }

  /** Returns the number of messages since the log was created, including dropped ones. */
  @Override
  public long appended() {
    return state.end().ordinal();
  }

  /** Returns the number of stored messages. */
  public long messages() {
    TopicState now = state;
    return now.end().ordinal() - now.oldest().ordinal();
  }

  /** Returns the bytes of the stored messages, as {@link JournalLimits#bytes} counts them. */
  public long bytes() {
    TopicState now = state;
    return now.end().bytes() - now.oldest().bytes();
  }

  /**
   * Appends a message. It is visible to readers at once, but durable only when {@link #sync} has
   * returned. Writes to the disk if many bytes were appended without a sync.
   *
   * @param message a message with the offset {@link #nextOffset}
   * @throws StoreFailure if pending bytes exceed their limit and cannot be written; the message is
   *     not appended
   * @throws IllegalArgumentException if the message has another offset
   */
  @Override
  public synchronized void append(StoredMessage message) throws StoreFailure {
    requireOpen();
    if (message.offset() != nextOffset()) {
      throw new IllegalArgumentException(
          "offset " + message.offset() + " is not the next offset " + nextOffset());
    }
    if (pending.bytes() >= MAX_PENDING_BYTES) {
      write();
    }
    TopicState now = state;
    Row row = Row.of(now.end().withArrival(message.arrivalMs()), message);
    pending.add(row);
    state = now.between(now.first() == null ? row.position() : now.first(), row.next());
  }

  /**
   * Writes the appended messages, blocks until they are synced to the disk, and drops messages
   * above the limits. Must also be called from time to time without appends, for the limit of age.
   *
   * @throws StoreFailure if the messages are not synced. They stay appended, and a later call tries
   *     again unless the files are corrupt. Messages synced before are not affected.
   */
  @Override
  public void sync() throws StoreFailure {
    synchronized (this) {
      requireOpen();
      write();
    }
    journal.enforceFolderLimit(); // outside the lock: does not delay an append
  }

  private void write() throws StoreFailure {
    long oldestMs = clock.millis() - limits.age().toMillis();
    LogPosition end = state.end();
    write(
        new LogPosition(
            0, end.ordinal() - limits.messages(), end.bytes() - limits.bytes(), oldestMs));
  }

  private void write(LogPosition floor) throws StoreFailure {
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
          journal, topic, e, e instanceof SQLException s && CorruptLog.isCauseOf(s, files));
    }
  }

  /**
   * Reads messages, oldest first.
   *
   * @param fromOffset first offset; reads start at {@link #firstOffset} if it was dropped
   * @param maxMessages maximum number of messages
   * @throws StoreFailure if the disk fails or the files are corrupt
   */
  @Override
  public List<StoredMessage> read(long fromOffset, int maxMessages) throws StoreFailure {
    // Before the database, which then has the rows that are written in between.
    List<Row> unwritten = pending.rowsFrom(fromOffset, maxMessages);
    try {
      List<StoredMessage> messages = new ArrayList<>(database.read(fromOffset, maxMessages));
      long last = messages.isEmpty() ? 0 : messages.get(messages.size() - 1).offset();
      for (Row row : unwritten) {
        if (messages.size() < maxMessages && row.position().offset() > last) {
          messages.add(row.message());
        }
      }
      return messages;
    } catch (CorruptLog e) {
      throw failure(journal, topic, e, true);
    } catch (SQLException e) {
      throw failure(journal, topic, e, CorruptLog.isCauseOf(e, files));
    }
  }

  /**
   * Returns the offset from which a {@link #read} returns the latest messages. It cannot be
   * computed from {@link #nextOffset}, because offsets jump where a log was recovered.
   *
   * @param count maximum number of messages
   * @return {@link #firstOffset} if fewer are stored, {@link #nextOffset} if there are none
   */
  @Override
  public synchronized long offsetOfLatest(int count) throws StoreFailure {
    List<Row> unwritten = pending.rows();
    if (unwritten.size() >= count) {
      return count == 0
          ? nextOffset()
          : unwritten.get(unwritten.size() - count).position().offset();
    }
    try {
      long found = database.offsetOfLatest(count - unwritten.size());
      return found < 0 ? firstOffset() : found;
    } catch (SQLException e) {
      throw failure(journal, topic, e, CorruptLog.isCauseOf(e, files));
    }
  }

  /** Closes the log and deletes its files. */
  @Override
  public void delete() throws StoreFailure {
    journal.delete(this);
  }

  /**
   * Syncs and closes the log.
   *
   * @throws StoreFailure if appended messages are not synced; the log is closed nevertheless
   */
  @Override
  public void close() throws StoreFailure {
    journal.close(this);
  }

  TopicFiles files() {
    return files;
  }

  long diskBytes() {
    return diskBytes;
  }

  /**
   * Returns the space of dropped messages to the file system. If that frees too little, also drops
   * a fraction of the oldest messages. Returns false if nothing could be freed.
   */
  synchronized boolean freeSpace() throws StoreFailure {
    if (closed) {
      return false;
    }
    long before = files.bytes();
    shrink();
    if (state.first() == null || before - diskBytes >= before / TRUNCATION_DIVISOR) {
      return diskBytes < before;
    }
    long dropped = Math.max(1, messages() / TRUNCATION_DIVISOR);
    write(new LogPosition(0, state.first().ordinal() + dropped, 0, 0));
    shrink();
    return true;
  }

  private void shrink() throws StoreFailure {
    try {
      database.shrink();
    } catch (SQLException e) {
      throw failure(journal, topic, e, CorruptLog.isCauseOf(e, files));
    }
    diskBytes = files.bytes();
  }

  synchronized void closeCleanly() throws StoreFailure {
    if (closed) {
      return;
    }
    try {
      write();
      database.write(state.running(false));
    } catch (SQLException e) {
      throw failure(journal, topic, e, CorruptLog.isCauseOf(e, files));
    } finally {
      release();
    }
  }

  synchronized void deleteFiles() throws StoreFailure {
    if (!closed) {
      release();
    }
    try {
      files.delete();
    } catch (IOException e) {
      throw failure(journal, topic, e, false);
    }
  }

  private void release() throws StoreFailure {
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

  private static StoreFailure failure(
      Journal journal, String topic, Exception cause, boolean corruption) {
    return new StoreFailure(
        "journal folder "
            + journal.folder()
            + ", topic "
            + topic
            + ": "
            + (cause.getMessage() == null ? cause : cause.getMessage()),
        corruption,
        cause);
  }
}
