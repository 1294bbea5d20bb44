package io.sluice.gateway.journal;

import java.nio.file.Files;
import java.sql.SQLException;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * Corruption of a topic's files: their content is not what was written, or a part of it is missing.
 * Immutable.
 */
final class CorruptLog extends Exception {
  private static final long serialVersionUID = 1L;
  private static final int PRIMARY = 0xff;

  CorruptLog(String message) {
    super(message);
  }

  /**
   * Returns whether a failure is caused by corrupt files. Otherwise the disk is full, slow or
   * failing, or access is denied.
   */
  static boolean isCauseOf(SQLException failure, TopicFiles files) {
    if (!(failure instanceof SQLiteException e)) {
      return false;
    }
    int primary = e.getResultCode().code & PRIMARY;
    // A header with a newer format version than the library's also makes the database read-only.
    return primary == SQLiteErrorCode.SQLITE_READONLY.code
        ? Files.isWritable(files.database()) && Files.isWritable(files.folder())
        : switch (e.getResultCode()) {
          case SQLITE_IOERR_CORRUPTFS -> true;
          default -> isCorruption(primary);
        };
  }

  private static boolean isCorruption(int primary) {
    return primary == SQLiteErrorCode.SQLITE_CORRUPT.code
        || primary == SQLiteErrorCode.SQLITE_NOTADB.code
        || primary == SQLiteErrorCode.SQLITE_FORMAT.code
        || primary == SQLiteErrorCode.SQLITE_CONSTRAINT.code
        || primary == SQLiteErrorCode.SQLITE_MISMATCH.code
        // A missing table or column.
        || primary == SQLiteErrorCode.SQLITE_ERROR.code;
  }
}
