package io.sluice.gateway.journal;

import io.sluice.gateway.store.StoredMessage;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.sqlite.JDBC;

/**
 * SQLite database of one topic's log, in write-ahead mode: a commit appends checksummed pages to a
 * file and syncs it once. Owned by the topic's writer. Any thread may call {@link #read}
 * concurrently, because reads use a separate connection.
 */
final class TopicDatabase implements AutoCloseable {
  private static final String COLUMNS = "position, ordinal, bytes, arrival";

  /** 4 MiB, which is also the limit of the write-ahead log's growth in one step. */
  private static final long PAGES_PER_VACUUM_STEP = 1024;

  private final Connection writing;
  private final Connection reading;
  private final PreparedStatement insert;
  private final PreparedStatement read;

  private TopicDatabase(Connection writing, Connection reading) throws SQLException {
    this.writing = writing;
    this.reading = reading;
    insert =
        writing.prepareStatement(
            "INSERT INTO message (" + COLUMNS + ", record) VALUES (?,?,?,?,?)");
    read =
        reading.prepareStatement(
            "SELECT "
                + COLUMNS
                + ", record FROM message"
                + " WHERE position >= ? ORDER BY position LIMIT ?");
  }

  /** Creates a database and writes its head. */
  static TopicDatabase create(Path file, TopicState state) throws SQLException {
    Connection writing = connect(file);
    try {
      execute(writing, "BEGIN");
      execute(
          writing,
          "CREATE TABLE log (topic TEXT NOT NULL, epoch INTEGER NOT NULL, running INTEGER NOT NULL,"
              + " position INTEGER NOT NULL, ordinal INTEGER NOT NULL, bytes INTEGER NOT NULL,"
              + " arrival INTEGER NOT NULL, checksum INTEGER NOT NULL)");
      execute(
          writing,
          "CREATE TABLE message (position INTEGER PRIMARY KEY, ordinal INTEGER NOT NULL,"
              + " bytes INTEGER NOT NULL, arrival INTEGER NOT NULL, record BLOB NOT NULL)");
      execute(writing, "INSERT INTO log VALUES ('', 0, 0, 0, 0, 0, 0, 0)");
      writeHead(writing, state);
      execute(writing, "COMMIT");
      return new TopicDatabase(writing, connect(file));
    } catch (SQLException e) {
      close(writing, e);
      throw e;
    }
  }

  /** Opens an existing database without a check; {@link #load} checks its content. */
  static TopicDatabase open(Path file) throws SQLException {
    Connection writing = connect(file);
    try {
      return new TopicDatabase(writing, connect(file));
    } catch (SQLException e) {
      close(writing, e);
      throw e;
    }
  }

  private static Connection connect(Path file) throws SQLException {
    Connection connection = JDBC.createConnection("jdbc:sqlite:" + file, new Properties());
    try {
      execute(connection, "PRAGMA cell_size_check = ON");
      // Required before the first table, so that shrink() can return free pages.
      execute(connection, "PRAGMA auto_vacuum = INCREMENTAL");
      execute(connection, "PRAGMA journal_mode = WAL");
      execute(connection, "PRAGMA synchronous = FULL");
      execute(connection, "PRAGMA journal_size_limit = 4194304");
      execute(connection, "PRAGMA cache_size = -1024");
      execute(connection, "PRAGMA busy_timeout = 10000");
      return connection;
    } catch (SQLException e) {
      close(connection, e);
      throw e;
    }
  }

  /** Reads the state and checks every page and record. */
  TopicState load() throws SQLException, CorruptLog {
    try (Statement statement = writing.createStatement();
        ResultSet result = statement.executeQuery("PRAGMA quick_check(1)")) {
      if (!result.next() || !"ok".equals(result.getString(1))) {
        throw new CorruptLog("the database's pages are inconsistent");
      }
    }
    TopicState head = loadHead();
    LogPosition first = null;
    LogPosition end = head.end();
    try (Statement statement = writing.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT " + COLUMNS + ", record FROM message ORDER BY position")) {
      while (rows.next()) {
        Row row = row(rows);
        row.check();
        if (first == null) {
          first = row.position();
        } else if (row.position().ordinal() != end.ordinal()
            || row.position().bytes() != end.bytes()) {
          throw new CorruptLog("a message is missing before offset " + row.position().offset());
        }
        end = row.next();
      }
    }
    // The next offset of a closed log may be greater than the offset after its last message.
    end = head.end().ordinal() == end.ordinal() ? head.end() : end;
    return head.between(first, end);
  }

  /** Returns the topic or pattern of this log. */
  String topic() throws SQLException, CorruptLog {
    return loadHead().topic();
  }

  private TopicState loadHead() throws SQLException, CorruptLog {
    try (Statement statement = writing.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT " + COLUMNS + ", topic, epoch, running, checksum FROM log")) {
      if (!row.next()) {
        throw new CorruptLog("the log's head is missing");
      }
      TopicState head =
          new TopicState(
              row.getString("topic"),
              row.getLong("epoch"),
              row.getInt("running") != 0,
              null,
              position(row));
      if (head.topic() == null || head.headChecksum() != row.getLong("checksum")) {
        throw new CorruptLog("the log's head is corrupt");
      }
      return head;
    }
  }

  /** Writes the head only. */
  void write(TopicState state) throws SQLException {
    writeHead(writing, state);
  }

  /**
   * Appends rows and drops rows below {@code floor}, in one transaction. The rows are synced to the
   * disk when this returns.
   *
   * @param state the state with these rows, before rows are dropped
   * @return the position of the first remaining row, or null
   */
  LogPosition write(List<Row> rows, LogPosition floor, TopicState state) throws SQLException {
    execute(writing, "BEGIN IMMEDIATE");
    try {
      for (Row row : rows) {
        insert(row);
      }
      LogPosition oldest = state.first();
      LogPosition first = oldest == null || oldest.isAtLeast(floor) ? oldest : drop(floor, state);
      execute(writing, "COMMIT");
      return first;
    } catch (SQLException e) {
      rollBack(e);
      throw e;
    }
  }

  private void insert(Row row) throws SQLException {
    insert.setLong(1, row.position().offset());
    insert.setLong(2, row.position().ordinal());
    insert.setLong(3, row.position().bytes());
    insert.setLong(4, row.position().arrivalMs());
    insert.setBytes(5, row.record());
    insert.executeUpdate();
  }

  private LogPosition drop(LogPosition floor, TopicState state) throws SQLException {
    LogPosition first = firstFrom(floor);
    try (PreparedStatement delete =
        writing.prepareStatement("DELETE FROM message WHERE position < ?")) {
      delete.setLong(1, first == null ? Long.MAX_VALUE : first.offset());
      delete.executeUpdate();
    }
    if (first == null) {
      writeHead(writing, state);
    }
    return first;
  }

  /** Returns the first position at or above a floor. Scans the rows to be dropped and one more. */
  private LogPosition firstFrom(LogPosition floor) throws SQLException {
    try (PreparedStatement query =
        writing.prepareStatement(
            "SELECT "
                + COLUMNS
                + " FROM message WHERE ordinal >= ? AND bytes >= ? AND arrival >= ?"
                + " ORDER BY position LIMIT 1")) {
      query.setLong(1, floor.ordinal());
      query.setLong(2, floor.bytes());
      query.setLong(3, floor.arrivalMs());
      try (ResultSet row = query.executeQuery()) {
        return row.next() ? position(row) : null;
      }
    }
  }

  /** Returns the space of dropped messages to the file system, which may be full. */
  void shrink() throws SQLException {
    long free = freePages();
    do {
      freeSomePages();
      execute(writing, "PRAGMA wal_checkpoint(TRUNCATE)");
      free -= PAGES_PER_VACUUM_STEP;
    } while (free > 0);
  }

  private void freeSomePages() throws SQLException {
    try (Statement statement = writing.createStatement()) {
      // Not execute(), which stops at the first result: this pragma has a result for each page.
      statement.executeUpdate("PRAGMA incremental_vacuum(" + PAGES_PER_VACUUM_STEP + ")");
    }
  }

  private long freePages() throws SQLException {
    try (Statement statement = writing.createStatement();
        ResultSet row = statement.executeQuery("PRAGMA freelist_count")) {
      return row.next() ? row.getLong(1) : 0;
    }
  }

  /** Returns at most {@code maxMessages} messages from an offset on. */
  List<StoredMessage> read(long fromOffset, int maxMessages) throws SQLException, CorruptLog {
    synchronized (reading) {
      read.setLong(1, fromOffset);
      read.setInt(2, maxMessages);
      try (ResultSet rows = read.executeQuery()) {
        List<StoredMessage> messages = new ArrayList<>();
        while (rows.next()) {
          messages.add(row(rows).message());
        }
        return messages;
      }
    }
  }

  /** Returns the offset of the first of the latest {@code count} messages, or -1 if fewer exist. */
  long offsetOfLatest(int count) throws SQLException {
    synchronized (reading) {
      try (PreparedStatement query =
          reading.prepareStatement(
              "SELECT position FROM message ORDER BY position DESC LIMIT 1 OFFSET ?")) {
        query.setInt(1, count - 1);
        try (ResultSet row = query.executeQuery()) {
          return row.next() ? row.getLong(1) : -1;
        }
      }
    }
  }

  @Override
  public void close() throws SQLException {
    SQLException failure = null;
    for (Connection connection : List.of(reading, writing)) {
      try {
        connection.close();
      } catch (SQLException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static Row row(ResultSet row) throws SQLException {
    byte[] record = row.getBytes("record");
    return new Row(position(row), record == null ? new byte[0] : record);
  }

  private static LogPosition position(ResultSet row) throws SQLException {
    return new LogPosition(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4));
  }

  private static void writeHead(Connection connection, TopicState state) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            "UPDATE log SET topic = ?, epoch = ?, running = ?, position = ?, ordinal = ?,"
                + " bytes = ?, arrival = ?, checksum = ?")) {
      update.setString(1, state.topic());
      update.setLong(2, state.epoch());
      update.setInt(3, state.running() ? 1 : 0);
      update.setLong(4, state.end().offset());
      update.setLong(5, state.end().ordinal());
      update.setLong(6, state.end().bytes());
      update.setLong(7, state.end().arrivalMs());
      update.setLong(8, state.headChecksum());
      update.executeUpdate();
    }
  }

  private void rollBack(SQLException cause) {
    try {
      execute(writing, "ROLLBACK");
    } catch (SQLException e) {
      // If the disk is full, SQLite has already rolled back and reports that as an error.
      cause.addSuppressed(e);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static void close(Connection connection, SQLException cause) {
    try {
      connection.close();
    } catch (SQLException e) {
      cause.addSuppressed(e);
    }
  }
}
