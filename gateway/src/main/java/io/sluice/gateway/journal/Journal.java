package io.sluice.gateway.journal;

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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's folder of topic logs, locked against every other process. Any thread may call it but an
 * event loop, because all calls wait for the disk.
 */
public final class Journal implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Journal.class);
  private static final String LOCK = "journal.lock";

  /** How often at most one sync makes topics give room. */
  private static final int MOST_CUTS = 8;

  private final Path folder;
  private final JournalLimits limits;
  private final InstantSource clock;
  private final FileChannel lock;

  /** Changed under the journal's lock; a topic's own lock is only ever taken inside of it. */
  private final Map<String, TopicJournal> open = new ConcurrentHashMap<>();

  /** The files of topics that are not open, and their bytes; changed under the same lock. */
  private final Map<TopicFiles, Long> resting = new ConcurrentHashMap<>();

  private boolean closed;

  private Journal(Path folder, JournalLimits limits, InstantSource clock, FileChannel lock)
      throws IOException {
    this.folder = folder;
    this.limits = limits;
    this.clock = clock;
    this.lock = lock;
    TopicFiles.in(folder).forEach(files -> resting.put(files, files.bytes()));
  }

  /**
   * Opens a folder, which is created where it is missing.
   *
   * @throws JournalFailure if another process or journal has it open, or it cannot be used
   */
  public static Journal open(Path folder, JournalLimits limits) throws JournalFailure {
    return open(folder, limits, InstantSource.system());
  }

  /**
   * The same with a clock by which messages become too old.
   *
   * @throws JournalFailure if another process or journal has it open, or it cannot be used
   */
  public static Journal open(Path folder, JournalLimits limits, InstantSource clock)
      throws JournalFailure {
    Path absolute = folder.toAbsolutePath().normalize();
    try {
      create(absolute);
      FileChannel lock = lock(absolute);
      try {
        return new Journal(absolute, limits, clock, lock);
      } catch (IOException e) {
        lock.close();
        throw e;
      }
    } catch (IOException e) {
      throw new JournalFailure("journal folder " + absolute + " cannot be used: " + e, false, e);
    }
  }

  /** Why {@link #open} would fail for a folder, as far as can be seen without changing anything. */
  public static Optional<String> problem(Path folder) {
    Path there = folder.toAbsolutePath().normalize();
    while (there.getParent() != null && !Files.exists(there)) {
      there = there.getParent();
    }
    if (!Files.isDirectory(there)) {
      return Optional.of(there + " is no folder");
    }
    return Files.isWritable(there) ? Optional.empty() : Optional.of(there + " cannot be written");
  }

  // What is in it is nobody else's business.
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

  private static FileChannel lock(Path folder) throws IOException, JournalFailure {
    FileChannel channel =
        FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      FileLock held = channel.tryLock();
      if (held != null) {
        return channel;
      }
    } catch (OverlappingFileLockException e) {
      // Held by this very process, which is no better.
      log.atDebug().setCause(e).log("the lock is this process's own");
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    channel.close();
    throw new JournalFailure(
        "journal folder " + folder + " is in use by another node or process", false, null);
  }

  /**
   * The log of a topic or pattern, opened, recovered or created; while it is open, the same one.
   *
   * @throws JournalFailure if the disk fails; damage is no failure, the log then begins anew
   */
  public synchronized TopicJournal topic(String name) throws JournalFailure {
    requireOpen();
    TopicJournal topic = open.get(name);
    if (topic == null) {
      topic = TopicJournal.open(this, name);
      open.put(name, topic);
      resting.remove(topic.files());
    }
    return topic;
  }

  /** The topics and patterns that have a log here; those whose log is damaged are left out. */
  public synchronized Set<String> names() {
    requireOpen();
    Set<String> names = new TreeSet<>(open.keySet());
    for (TopicFiles files : resting.keySet()) {
      try (TopicDatabase database = TopicDatabase.open(files.database())) {
        names.add(database.topic());
      } catch (DamagedLog | SQLException e) {
        log.atWarn().addKeyValue("file", files.database()).setCause(e).log("journal.unreadable");
      }
    }
    return names;
  }

  /** Bytes of all topics' databases on the disk. */
  public long diskBytes() {
    return open.values().stream().mapToLong(TopicJournal::diskBytes).sum()
        + resting.values().stream().mapToLong(Long::longValue).sum();
  }

  /**
   * Syncs and closes all topics and unlocks the folder.
   *
   * @throws JournalFailure if a topic did not close in order; everything is closed all the same
   */
  @Override
  public synchronized void close() throws JournalFailure {
    closed = true;
    JournalFailure failure = null;
    for (TopicJournal topic : new ArrayList<>(open.values())) {
      try {
        close(topic);
      } catch (JournalFailure e) {
        if (failure != null) {
          e.addSuppressed(failure);
        }
        failure = e;
      }
    }
    try {
      lock.close();
    } catch (IOException e) {
      throw new JournalFailure("journal folder " + folder + ": " + e, false, e);
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

  InstantSource clock() {
    return clock;
  }

  synchronized void close(TopicJournal topic) throws JournalFailure {
    if (open.remove(topic.topic(), topic)) {
      try {
        topic.closeInOrder();
      } finally {
        resting.put(topic.files(), topic.files().bytes());
      }
    }
  }

  synchronized void delete(TopicJournal topic) throws JournalFailure {
    if (open.remove(topic.topic(), topic)) {
      topic.deleteFiles();
    }
  }

  /**
   * Makes the largest topics give room where the folder is over its limit. Takes no lock otherwise,
   * so that a sync does not wait for a topic that is being opened.
   */
  void enforceFolderLimit() {
    if (diskBytes() > limits.folderBytes()) {
      try {
        cutTheLargest();
      } catch (JournalFailure e) { // of another topic perhaps, which must not hold this one up
        log.atWarn().setCause(e).log("journal.over-limit");
      }
    }
  }

  private synchronized void cutTheLargest() throws JournalFailure {
    Set<TopicJournal> empty = new HashSet<>();
    for (int cut = 0; cut < MOST_CUTS && diskBytes() > limits.folderBytes(); cut++) {
      TopicJournal largest =
          open.values().stream()
              .filter(topic -> !empty.contains(topic))
              .max(Comparator.comparingLong(TopicJournal::diskBytes))
              .orElse(null);
      TopicFiles largestResting =
          resting.entrySet().stream()
              .max(Map.Entry.comparingByValue())
              .map(Map.Entry::getKey)
              .orElse(null);
      if (largestResting != null
          && (largest == null || resting.get(largestResting) > largest.diskBytes())) {
        deleteResting(largestResting);
      } else if (largest == null) {
        return;
      } else if (!largest.giveRoom()) {
        empty.add(largest);
      }
    }
  }

  private void deleteResting(TopicFiles files) throws JournalFailure {
    try {
      files.delete();
      resting.remove(files);
    } catch (IOException e) {
      throw new JournalFailure("journal folder " + folder + ": " + e, false, e);
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the journal in " + folder + " is closed");
    }
  }
}
