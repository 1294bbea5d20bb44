import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Comparator;
import java.util.Random;
import java.util.zip.CRC32C;
import org.apache.activemq.store.kahadb.disk.journal.Journal;
import org.apache.activemq.store.kahadb.disk.journal.Location;
import org.apache.activemq.util.ByteSequence;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ByteArrayDataType;
import org.h2.mvstore.type.LongDataType;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * Benchmark of journal stores: writes and reads 101,000 messages of 512 bytes with each store, in
 * the working directory. Run by the main thread.
 */
public final class Stores {
  private static final int BATCHES = 1000;
  private static final int BATCH = 100;
  private static final int BYTES = 512;

  private interface Store extends AutoCloseable {
    void append(long offset, byte[] record) throws Exception;

    void sync() throws Exception;

    /** Reads and checks all messages, and returns their number. */
    int read() throws Exception;
  }

  private interface Opener {
    Store open(Path folder) throws Exception;
  }

  public static void main(String[] arguments) throws Exception {
    for (int round = 0; round < 3; round++) {
      measure("SQLite", Stores::sqlite);
      measure("MVStore", Stores::mvStore);
      measure("RocksDB", Stores::rocks);
      measure("KahaDB", Stores::kaha);
    }
  }

  private static void measure(String name, Opener opener) throws Exception {
    Path folder = Files.createTempDirectory(Path.of(""), "store");
    long offset = 0;
    long start = System.nanoTime();
    long batches;
    long singles;
    try (Store store = opener.open(folder)) {
      for (int batch = 0; batch < BATCHES; batch++) {
        for (int i = 0; i < BATCH; i++) {
          store.append(++offset, record(offset));
        }
        store.sync();
      }
      batches = System.nanoTime();
      for (int i = 0; i < BATCHES; i++) {
        store.append(++offset, record(offset));
        store.sync();
      }
      singles = System.nanoTime();
    }
    long reopened = System.nanoTime();
    try (Store store = opener.open(folder)) {
      long opened = System.nanoTime();
      int read = store.read();
      long done = System.nanoTime();
      System.out.printf(
          "%-8s batch %.2f ms  single %.2f ms  open %.0f ms  read %.1f us a message  disk %.0f"
              + " MB%n",
          name,
          (batches - start) / 1e6 / BATCHES,
          (singles - batches) / 1e6 / BATCHES,
          (opened - reopened) / 1e6,
          (done - opened) / 1e3 / read,
          bytes(folder) / 1e6);
      if (read != offset) {
        throw new IllegalStateException(name + " has " + read);
      }
    }
    try (var files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    }
  }

  private static byte[] record(long offset) {
    byte[] payload = new byte[BYTES];
    new Random(offset).nextBytes(payload);
    ByteBuffer record = ByteBuffer.allocate(Long.BYTES + payload.length + Integer.BYTES);
    record.putLong(offset).put(payload);
    return record.putInt(checksum(record.array())).array();
  }

  private static void check(long offset, byte[] record) {
    ByteBuffer in = ByteBuffer.wrap(record);
    if (in.getLong() != offset || in.getInt(record.length - Integer.BYTES) != checksum(record)) {
      throw new IllegalStateException("wrong data at " + offset);
    }
  }

  private static int checksum(byte[] record) {
    CRC32C crc = new CRC32C();
    crc.update(record, 0, record.length - Integer.BYTES);
    return (int) crc.getValue();
  }

  private static long bytes(Path folder) throws IOException {
    try (var files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }

  private static Store sqlite(Path folder) throws Exception {
    Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("a.db"));
    try (var statement = connection.createStatement()) {
      statement.execute("PRAGMA journal_mode = WAL");
      statement.execute("PRAGMA synchronous = FULL");
      statement.execute("CREATE TABLE IF NOT EXISTS m (o INTEGER PRIMARY KEY, r BLOB NOT NULL)");
    }
    connection.setAutoCommit(false);
    PreparedStatement insert = connection.prepareStatement("INSERT INTO m VALUES (?, ?)");
    return new Store() {
      @Override
      public void append(long offset, byte[] record) throws Exception {
        insert.setLong(1, offset);
        insert.setBytes(2, record);
        insert.executeUpdate();
      }

      @Override
      public void sync() throws Exception {
        connection.commit();
      }

      @Override
      public int read() throws Exception {
        int count = 0;
        try (PreparedStatement query =
                connection.prepareStatement("SELECT o, r FROM m ORDER BY o");
            ResultSet rows = query.executeQuery()) {
          for (; rows.next(); count++) {
            check(rows.getLong(1), rows.getBytes(2));
          }
        }
        return count;
      }

      @Override
      public void close() throws Exception {
        connection.close();
      }
    };
  }

  private static Store mvStore(Path folder) {
    MVStore store =
        new MVStore.Builder().fileName(folder.resolve("a").toString()).autoCommitDisabled().open();
    MVMap<Long, byte[]> map =
        store.openMap(
            "m",
            new MVMap.Builder<Long, byte[]>()
                .keyType(LongDataType.INSTANCE)
                .valueType(ByteArrayDataType.INSTANCE));
    return new Store() {
      @Override
      public void append(long offset, byte[] record) {
        map.append(offset, record);
      }

      @Override
      public void sync() {
        store.commit();
        store.sync();
      }

      @Override
      public int read() {
        int count = 0;
        for (Cursor<Long, byte[]> rows = map.cursor(0L); rows.hasNext(); count++) {
          check(rows.next(), rows.getValue());
        }
        return count;
      }

      @Override
      public void close() {
        store.close();
      }
    };
  }

  private static Store rocks(Path folder) throws Exception {
    RocksDB.loadLibrary();
    RocksDB store =
        RocksDB.open(new Options().setCreateIfMissing(true), folder.resolve("r").toString());
    WriteOptions synced = new WriteOptions().setSync(true);
    WriteBatch batch = new WriteBatch();
    return new Store() {
      @Override
      public void append(long offset, byte[] record) throws Exception {
        batch.put(ByteBuffer.allocate(Long.BYTES).putLong(offset).array(), record);
      }

      @Override
      public void sync() throws Exception {
        store.write(synced, batch);
        batch.clear();
      }

      @Override
      public int read() {
        int count = 0;
        try (RocksIterator rows = store.newIterator()) {
          for (rows.seekToFirst(); rows.isValid(); rows.next(), count++) {
            check(ByteBuffer.wrap(rows.key()).getLong(), rows.value());
          }
        }
        return count;
      }

      @Override
      public void close() {
        batch.close();
        synced.close();
        store.close();
      }
    };
  }

  private static Store kaha(Path folder) throws Exception {
    Journal journal = new Journal();
    journal.setDirectory(folder.toFile());
    journal.setChecksum(true);
    journal.setCheckForCorruptionOnStartup(true);
    journal.setMaxFileLength(8 << 20);
    journal.setPreallocationScope(Journal.PreallocationScope.NONE);
    journal.start();
    return new Store() {
      private byte[] last;

      @Override
      public void append(long offset, byte[] record) throws Exception {
        if (last != null) {
          journal.write(new ByteSequence(last), () -> {});
        }
        last = record;
      }

      @Override
      public void sync() throws Exception {
        journal.write(new ByteSequence(last), true);
        last = null;
      }

      @Override
      public int read() throws Exception {
        int count = 0;
        for (Location at = journal.getNextLocation(null);
            at != null;
            at = journal.getNextLocation(at), count++) {
          check(count + 1L, journal.read(at).data);
        }
        return count;
      }

      @Override
      public void close() throws Exception {
        journal.close();
      }
    };
  }
}
