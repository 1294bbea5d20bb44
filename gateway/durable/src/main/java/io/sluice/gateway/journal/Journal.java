package io.sluice.gateway.journal;

import io.sluice.gateway.store.MessageStore;
import io.sluice.gateway.store.StoreFailure;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Folder of a node's topic logs on the local disk, locked against other processes. Any thread
 * except an event loop may call it, because calls block on disk I/O.
 */
public final class Journal implements MessageStore {
  private static final Logger log = LoggerFactory.getLogger(Journal.class);
  private static final String LOCK = "journal.lock";

  /** Maximum number of logs truncated by one sync. */
  private static final int MAX_TRUNCATIONS = 8;

  private final Path folder;
  private final JournalLimits limits;
  private final InstantSource clock;
  private final LongSupplier epochs;
  private final FileChannel lock;

  /** Changed under the journal's lock. Lock order: the journal's lock, then a topic's lock. */
  private final Map<String, TopicJournal> open = new ConcurrentHashMap<>();

  /** Bytes of the files of topics that are not open. Changed under the journal's lock. */
  private final Map<TopicFiles, Long> notOpen = new ConcurrentHashMap<>();

  private boolean closed;

  private Journal(
      Path folder, JournalLimits limits, InstantSource clock, LongSupplier epochs, FileChannel lock)
      throws IOException {
    this.folder = folder;
    this.limits = limits;
    this.clock = clock;
    this.epochs = epochs;
    this.lock = lock;
    TopicFiles.in(folder).forEach(files -> notOpen.put(files, files.bytes()));
  }

  /**
   * Opens a folder and creates it if it is missing.
   *
   * @throws StoreFailure if another process or journal has it open, or it cannot be used
   */
  public static Journal open(Path folder, JournalLimits limits) throws StoreFailure {
    return open(
        folder, limits, InstantSource.system(), () -> ThreadLocalRandom.current().nextLong());
  }

  /**
   * Opens a folder with a clock for the age of messages.
   *
   * @param epochs source of random epochs; any thread
   * @throws StoreFailure if another process or journal has it open, or it cannot be used
   */
  public static Journal open(
      Path folder, JournalLimits limits, InstantSource clock, LongSupplier epochs)
      throws StoreFailure {
    Path absolute = folder.toAbsolutePath().normalize();
    try {
      create(absolute);
      FileChannel lock = lock(absolute);
      try {
        return new Journal(absolute, limits, clock, epochs, lock);
      } catch (IOException e) {
        lock.close();
        throw e;
      }
    } catch (IOException e) {
      throw new StoreFailure("journal folder " + absolute + " cannot be used: " + e, false, e);
    }
  }

  /**
   * Returns the reason why {@link #open} would fail for a folder. The check changes nothing on the
   * disk and may miss a reason.
   */
  public static Optional<String> problem(Path folder) {
    Path existing = folder.toAbsolutePath().normalize();
    while (existing.getParent() != null && !Files.exists(existing)) {
      existing = existing.getParent();
    }
    if (!Files.isDirectory(existing)) {
      return Optional.of(existing + " is not a folder");
    }
    return Files.isWritable(existing)
        ? Optional.empty()
        : Optional.of(existing + " is not writable");
  }

  // Messages may be confidential, hence only the owner has access.
  private static void create(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      Files.createDirectories(folder.getParent());
      if (folder.getFileSystem().supportedFileAttributeViews().contains("posix")) {
        Files.createDirectory(
            folder,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      } else {
        Files.createDirectory(folder);
      }
    }
  }

  private static FileChannel lock(Path folder) throws IOException, StoreFailure {
    FileChannel channel =
        FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      FileLock acquired = channel.tryLock();
      if (acquired != null) {
        return channel;
      }
    } catch (OverlappingFileLockException e) {
      // Another journal of this process has the lock: fails in the same way.
      log.atDebug().setCause(e).log("the lock is held by this process");
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    channel.close();
    throw new StoreFailure(
        "journal folder " + folder + " is locked by another node or process", false, null);
  }

  /**
   * Returns the log of a topic or pattern. Opens, recovers or creates it unless it is already open.
   *
   * @throws StoreFailure if the disk fails; a corrupt log is replaced by an empty one instead
   */
  @Override
  public synchronized TopicJournal topic(String name) throws StoreFailure {
    requireOpen();
    TopicJournal topic = open.get(name);
    if (topic == null) {
      topic = TopicJournal.open(this, name);
      open.put(name, topic);
      notOpen.remove(topic.files());
    }
    return topic;
  }

  /** Returns the topics and patterns that have a log, except for logs that are corrupt. */
  @Override
  public synchronized Set<String> names() {
    requireOpen();
    Set<String> names = new TreeSet<>(open.keySet());
    for (TopicFiles files : notOpen.keySet()) {
      try (TopicDatabase database = TopicDatabase.open(files.database())) {
        names.add(database.topic());
      } catch (CorruptLog | SQLException e) {
        log.atWarn().addKeyValue("file", files.database()).setCause(e).log("journal.unreadable");
      }
    }
    return names;
  }

  /** Returns the bytes of all topics' databases on the disk. */
  @Override
  public long diskBytes() {
    return open.values().stream().mapToLong(TopicJournal::diskBytes).sum()
        + notOpen.values().stream().mapToLong(Long::longValue).sum();
  }

  /**
   * Syncs and closes all topics and unlocks the folder.
   *
   * @throws StoreFailure if a topic was not closed cleanly; everything is closed nevertheless
   */
  @Override
  public synchronized void close() throws StoreFailure {
    closed = true;
    StoreFailure failure = null;
    for (TopicJournal topic : new ArrayList<>(open.values())) {
      try {
        close(topic);
      } catch (StoreFailure e) {
        if (failure != null) {
          e.addSuppressed(failure);
        }
        failure = e;
      }
    }
    try {
      lock.close();
    } catch (IOException e) {
      throw new StoreFailure("journal folder " + folder + ": " + e, false, e);
    }
    if (failure != null) {
      throw failure;
    }
  }

  Path folder() {
    return folder;
  }

  JournalLimits limits() {
    return limits;
  }

  /** Returns a random epoch other than zero, which means none. */
  long newEpoch() {
    long epoch;
    do {
      epoch = epochs.getAsLong();
    } while (epoch == Watermark.Level.UNKNOWN.epoch());
    return epoch;
  }

  InstantSource clock() {
    return clock;
  }

  synchronized void close(TopicJournal topic) throws StoreFailure {
    if (open.remove(topic.topic(), topic)) {
      try {
        topic.closeCleanly();
      } finally {
        notOpen.put(topic.files(), topic.files().bytes());
      }
    }
  }

  synchronized void delete(TopicJournal topic) throws StoreFailure {
    if (open.remove(topic.topic(), topic)) {
      topic.deleteFiles();
    }
  }

  /**
   * Truncates the largest logs if the folder exceeds its limit. Otherwise takes no lock, so that a
   * sync does not block on a topic that is being opened.
   */
  void enforceFolderLimit() {
    if (diskBytes() > limits.folderBytes()) {
      try {
        truncateLargest();
      } catch (StoreFailure e) { // possibly of another topic, which must not fail this sync
        log.atWarn().setCause(e).log("journal.over-limit");
      }
    }
  }

  private synchronized void truncateLargest() throws StoreFailure {
    Set<TopicJournal> empty = new HashSet<>();
    for (int i = 0; i < MAX_TRUNCATIONS && diskBytes() > limits.folderBytes(); i++) {
      TopicJournal largest =
          open.values().stream()
              .filter(topic -> !empty.contains(topic))
              .max(Comparator.comparingLong(TopicJournal::diskBytes))
              .orElse(null);
      TopicFiles largestNotOpen =
          notOpen.entrySet().stream()
              .max(Map.Entry.comparingByValue())
              .map(Map.Entry::getKey)
              .orElse(null);
      if (largestNotOpen != null
          && (largest == null || notOpen.get(largestNotOpen) > largest.diskBytes())) {
        deleteNotOpen(largestNotOpen);
      } else if (largest == null) {
        return;
      } else if (!largest.freeSpace()) {
        empty.add(largest);
      }
    }
  }

  private void deleteNotOpen(TopicFiles files) throws StoreFailure {
    try {
      files.delete();
      notOpen.remove(files);
    } catch (IOException e) {
      throw new StoreFailure("journal folder " + folder + ": " + e, false, e);
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the journal in " + folder + " is closed");
    }
  }
}
