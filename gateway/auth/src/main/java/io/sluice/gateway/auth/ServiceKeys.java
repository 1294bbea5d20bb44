package io.sluice.gateway.auth;

import io.sluice.gateway.auth.AuthOptions.KerberosOptions;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.SettingFile;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;
import java.util.List;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosPrincipal;
import javax.security.auth.kerberos.KeyTab;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSCredential;
import org.ietf.jgss.GSSException;
import org.ietf.jgss.GSSManager;
import org.ietf.jgss.Oid;

/**
 * Keys of this service at the KDC, read from a keytab. The JDK checks the file's modification time
 * whenever it needs a key, and reloads a changed file. For any thread except event loops.
 */
final class ServiceKeys {
  private static final String ANY = "*";

  // Mechanisms accepted inside Negotiate.
  private static final String SPNEGO = "1.3.6.1.5.5.2";
  private static final String KERBEROS = "1.2.840.113554.1.2.2";

  /** The first byte of every keytab. */
  private static final int MAGIC = 5;

  private final Path file;
  private final GSSManager manager = GSSManager.getInstance();
  private final GSSCredential credential;

  private ServiceKeys(Path file, List<String> names) throws GSSException {
    this.file = file;
    this.credential = credential(subject(file.toFile(), names));
  }

  /** Opens the configured keytab and checks that it has keys for the principals. */
  static ServiceKeys open(KerberosOptions options) throws UnusableAuth {
    Path file = path(options.keytab());
    String problem = problem(file);
    if (!problem.isEmpty()) {
      throw new UnusableAuth(AuthSettings.KERBEROS_KEYTAB, file + " " + problem, null);
    }
    List<String> names = options.principals();
    for (String name : names) {
      if (!name.equals(ANY) && !hasKey(file, name)) {
        throw new UnusableAuth(
            AuthSettings.KERBEROS_PRINCIPAL,
            name + " has no key in " + file + " of a type that this JVM accepts (AES)",
            null);
      }
    }
    try {
      return new ServiceKeys(file, names);
    } catch (GSSException e) {
      throw new UnusableAuth(AuthSettings.KERBEROS_KEYTAB, file + " cannot be used: " + e, e);
    }
  }

  private static Path path(String name) throws UnusableAuth {
    try {
      return Path.of(name);
    } catch (InvalidPathException e) {
      throw new UnusableAuth(AuthSettings.KERBEROS_KEYTAB, name + " is not a valid file name", e);
    }
  }

  /** Returns the current problem of the file; empty if there is none. */
  String problem() {
    return problem(file);
  }

  private static String problem(Path file) {
    try (InputStream bytes = Files.newInputStream(file)) {
      return bytes.read() == MAGIC ? "" : "is not a keytab";
    } catch (IOException e) {
      return "cannot be read: " + SettingFile.reason(e);
    }
  }

  Path file() {
    return file;
  }

  private static boolean hasKey(Path file, String name) throws UnusableAuth {
    KerberosPrincipal principal;
    try {
      principal = new KerberosPrincipal(name);
    } catch (IllegalArgumentException e) { // such as without a realm
      throw new UnusableAuth(
          AuthSettings.KERBEROS_PRINCIPAL, name + " is not a Kerberos principal", e);
    }
    return KeyTab.getInstance(principal, file.toFile()).getKeys(principal).length > 0;
  }

  /**
   * Returns a subject with a keytab for each name: keys of other principals in the same file must
   * not decrypt a ticket.
   */
  private static Subject subject(File file, List<String> names) {
    Subject service = new Subject();
    for (String name : names) {
      if (name.equals(ANY)) {
        service.getPrivateCredentials().add(KeyTab.getUnboundInstance(file));
      } else {
        KerberosPrincipal principal = new KerberosPrincipal(name);
        service.getPrincipals().add(principal);
        service.getPrivateCredentials().add(KeyTab.getInstance(principal, file));
      }
    }
    return service;
  }

  private GSSCredential credential(Subject service) throws GSSException {
    Oid[] mechanisms = {new Oid(SPNEGO), new Oid(KERBEROS)};
    PrivilegedExceptionAction<GSSCredential> create =
        () ->
            manager.createCredential(
                null, GSSCredential.INDEFINITE_LIFETIME, mechanisms, GSSCredential.ACCEPT_ONLY);
    try {
      return Subject.doAs(service, create);
    } catch (PrivilegedActionException e) {
      throw (GSSException) e.getException();
    }
  }

  /** Returns a new context for one ticket. */
  GSSContext context() throws GSSException {
    return manager.createContext(credential);
  }
}
