package io.sluice.gateway.journal;

import java.nio.file.Files;
import java.sql.SQLException;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** Damage of a topic's files: they hold what nobody wrote, or lack what was written. */
final class DamagedLog extends Exception {
  private static final long serialVersionUID = 1L;
  private static final int PRIMARY = 0xff;

  DamagedLog(String message) {
    super(message);
  }

  /**
   * Whether a failure is due to damaged files. Otherwise the disk is full, slow, failing, or access
   * is denied.
   */
  static boolean isCauseOf(SQLException failure, TopicFiles files) {
    if (!(failure instanceof SQLiteException e)) {
      return false;
    }
    int primary = e.getResultCode().code & PRIMARY;
    // A page that says the format is newer than the library makes it read-only, too.
    return primary == SQLiteErrorCode.SQLITE_READONLY.code
        ? Files.isWritable(files.database()) && Files.isWritable(files.folder())
        : switch (e.getResultCode()) {
          case SQLITE_IOERR_CORRUPTFS -> true;
          default -> isDamage(primary);
        };
  }

  private static boolean isDamage(int primary) {
    return primary == SQLiteErrorCode.SQLITE_CORRUPT.code
        || primary == SQLiteErrorCode.SQLITE_NOTADB.code
        || primary == SQLiteErrorCode.SQLITE_FORMAT.code
        || primary == SQLiteErrorCode.SQLITE_CONSTRAINT.code
        || primary == SQLiteErrorCode.SQLITE_MISMATCH.code
        // A table or column that is not there.
        || primary == SQLiteErrorCode.SQLITE_ERROR.code;
  }
}
