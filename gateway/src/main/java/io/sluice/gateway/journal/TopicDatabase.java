package io.sluice.gateway.journal;

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
 * One topic's log as an SQLite database, in its write-ahead mode: a commit appends to a file of
 * checksummed pages and syncs it once. Owned by the topic's writer; {@link #read} may be called by
 * any other thread meanwhile: it has a separate connection.
 */
final class TopicDatabase implements AutoCloseable {
  private static final String COLUMNS = "position, ordinal, bytes, arrival";

  /** 4 MiB, as much as the log may grow by meanwhile. */
  private static final long PAGES_TO_FREE_AT_ONCE = 1024;

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

  /** Creates the database of a topic that has none. */
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

  /** Opens a database that is there. What it says is to be checked with {@link #load}. */
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
      // Before the first table, so that the file can give room back: see shrink().
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

  /** The whole state, with every byte of it checked. */
  TopicState load() throws SQLException, DamagedLog {
    try (Statement statement = writing.createStatement();
        ResultSet result = statement.executeQuery("PRAGMA quick_check(1)")) {
      if (!result.next() || !"ok".equals(result.getString(1))) {
        throw new DamagedLog("the database's pages contradict each other");
      }
    }
    TopicState head = loadHead();
    Mark first = null;
    Mark end = head.end();
    try (Statement statement = writing.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT " + COLUMNS + ", record FROM message ORDER BY position")) {
      while (rows.next()) {
        Row row = row(rows);
        row.check();
        if (first == null) {
          first = row.mark();
        } else if (row.mark().ordinal() != end.ordinal() || row.mark().bytes() != end.bytes()) {
          throw new DamagedLog("a message is missing before offset " + row.mark().offset());
        }
        end = row.next();
      }
    }
    // A log that was closed may go on later than behind its last message.
    end = head.end().ordinal() == end.ordinal() ? head.end() : end;
    return head.between(first, end);
  }

  /** The topic or pattern whose log this is. */
  String topic() throws SQLException, DamagedLog {
    return loadHead().topic();
  }

  private TopicState loadHead() throws SQLException, DamagedLog {
    try (Statement statement = writing.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT " + COLUMNS + ", topic, epoch, running, checksum FROM log")) {
      if (!row.next()) {
        throw new DamagedLog("the log's head is missing");
      }
      TopicState head =
          new TopicState(
              row.getString("topic"),
              row.getLong("epoch"),
              row.getInt("running") != 0,
              null,
              mark(row));
      if (head.topic() == null || head.headChecksum() != row.getLong("checksum")) {
        throw new DamagedLog("the log's head is damaged");
      }
      return head;
    }
  }

  /** Writes the head alone. */
  void write(TopicState state) throws SQLException {
    writeHead(writing, state);
  }

  /**
   * Appends rows and drops what lies before {@code floor}, all or nothing; safe on the disk when
   * this returns.
   *
   * @param state the state with these rows, before anything is dropped
   * @return the mark of the first row that is left, or null
   */
  Mark write(List<Row> rows, Mark floor, TopicState state) throws SQLException {
    execute(writing, "BEGIN IMMEDIATE");
    try {
      for (Row row : rows) {
        insert(row);
      }
      Mark oldest = state.first();
      Mark kept = oldest == null || oldest.isAtLeast(floor) ? oldest : drop(floor, state);
      execute(writing, "COMMIT");
      return kept;
    } catch (SQLException e) {
      rollBack(e);
      throw e;
    }
  }

  private void insert(Row row) throws SQLException {
    insert.setLong(1, row.mark().offset());
    insert.setLong(2, row.mark().ordinal());
    insert.setLong(3, row.mark().bytes());
    insert.setLong(4, row.mark().arrivalMs());
    insert.setBytes(5, row.record());
    insert.executeUpdate();
  }

  private Mark drop(Mark floor, TopicState state) throws SQLException {
    Mark kept = firstFrom(floor);
    try (PreparedStatement delete =
        writing.prepareStatement("DELETE FROM message WHERE position < ?")) {
      delete.setLong(1, kept == null ? Long.MAX_VALUE : kept.offset());
      delete.executeUpdate();
    }
    if (kept == null) {
      writeHead(writing, state);
    }
    return kept;
  }

  /** Looks at the rows that will be dropped and at one more. */
  private Mark firstFrom(Mark floor) throws SQLException {
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
        return row.next() ? mark(row) : null;
      }
    }
  }

  /** Gives the room of dropped messages back to the file system, which may be full. */
  void shrink() throws SQLException {
    long free = freePages();
    do {
      freeSomePages();
      execute(writing, "PRAGMA wal_checkpoint(TRUNCATE)");
      free -= PAGES_TO_FREE_AT_ONCE;
    } while (free > 0);
  }

  private void freeSomePages() throws SQLException {
    try (Statement statement = writing.createStatement()) {
      // Not execute(), which stops at the first result: this one has a result for each page.
      statement.executeUpdate("PRAGMA incremental_vacuum(" + PAGES_TO_FREE_AT_ONCE + ")");
    }
  }

  private long freePages() throws SQLException {
    try (Statement statement = writing.createStatement();
        ResultSet row = statement.executeQuery("PRAGMA freelist_count")) {
      return row.next() ? row.getLong(1) : 0;
    }
  }

  /** At most {@code most} messages from an offset on. */
  List<StoredMessage> read(long fromOffset, int most) throws SQLException, DamagedLog {
    synchronized (reading) {
      read.setLong(1, fromOffset);
      read.setInt(2, most);
      try (ResultSet rows = read.executeQuery()) {
        List<StoredMessage> messages = new ArrayList<>();
        while (rows.next()) {
          messages.add(row(rows).message());
        }
        return messages;
      }
    }
  }

  /** The offset of the last message but {@code most - 1}, or -1 if there are fewer. */
  long offsetOfLatest(int most) throws SQLException {
    synchronized (reading) {
      try (PreparedStatement query =
          reading.prepareStatement(
              "SELECT position FROM message ORDER BY position DESC LIMIT 1 OFFSET ?")) {
        query.setInt(1, most - 1);
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
    return new Row(mark(row), record == null ? new byte[0] : record);
  }

  private static Mark mark(ResultSet row) throws SQLException {
    return new Mark(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4));
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
      // Where the disk is full, the library has rolled back by itself, and says so.
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
