package io.sluice.gateway.journal;

import java.nio.file.Files;
import java.sql.SQLException;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** Tells damaged files from a disk that is full, slow, forbidden or failing. */
final class Damage {
  private static final int PRIMARY = 0xff;

  private Damage() {}

  static boolean isIn(SQLException failure, TopicFiles files) {
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
