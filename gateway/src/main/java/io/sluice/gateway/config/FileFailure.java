package io.sluice.gateway.config;

import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;

/** Says in an operator's words why a file could not be read. Stateless. */
public final class FileFailure {
  private static final String FOLDER = "Is a directory";

  private FileFailure() {}

  /** A part of a sentence, without the file's name where that is possible. */
  public static String why(Exception failure) {
    if (failure instanceof NoSuchFileException) {
      return "there is no such file";
    }
    if (failure instanceof AccessDeniedException) {
      return "the gateway's user has no permission";
    }
    if (failure instanceof InvalidPathException) {
      return "this is not the name of a file";
    }
    if (failure instanceof FileSystemException of && of.getReason() != null) {
      return of.getReason();
    }
    String message = failure.getMessage();
    if (FOLDER.equals(message)) {
      return "it is a folder";
    }
    return message == null ? failure.getClass().getSimpleName() : message;
  }
}
