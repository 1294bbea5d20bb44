package io.sluice.gateway.auth;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;
import java.util.Base64;
import java.util.Map;
import javax.security.auth.Subject;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSCredential;
import org.ietf.jgss.GSSManager;
import org.ietf.jgss.Oid;

/**
 * Client that logs in at a KDC and requests a ticket for each line of standard input. It is a
 * separate process, because it requires a krb5.conf and the node must not.
 */
public final class TicketMaker {
  private TicketMaker() {}

  /**
   * Replies to {@code keytab client service mechanism} with a ticket in base64, or with ! and the
   * reason.
   */
  public static void main(String[] none) throws IOException {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      System.out.println(answer(line.split(" ")));
    }
  }

  private static String answer(String[] asked) {
    try {
      byte[] ticket = ticket(login(asked[0], asked[1]), asked[2], new Oid(asked[3]));
      return Base64.getEncoder().encodeToString(ticket);
    } catch (Exception e) {
      return "!" + e + " " + e.getCause();
    }
  }

  private static Subject login(String keytab, String client) throws LoginException {
    Map<String, String> options =
        Map.of("useKeyTab", "true", "keyTab", keytab, "principal", client, "doNotPrompt", "true");
    Configuration configuration =
        new Configuration() {
          @Override
          public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
            return new AppConfigurationEntry[] {
              new AppConfigurationEntry(
                  "com.sun.security.auth.module.Krb5LoginModule",
                  AppConfigurationEntry.LoginModuleControlFlag.REQUIRED,
                  options)
            };
          }
        };
    LoginContext login = new LoginContext("client", null, null, configuration);
    login.login();
    return login.getSubject();
  }

  private static byte[] ticket(Subject client, String service, Oid mechanism)
      throws PrivilegedActionException {
    GSSManager manager = GSSManager.getInstance();
    PrivilegedExceptionAction<byte[]> ask =
        () -> {
          GSSContext context =
              manager.createContext(
                  manager.createName(service, null),
                  mechanism,
                  (GSSCredential) null,
                  GSSContext.DEFAULT_LIFETIME);
          try {
            return context.initSecContext(new byte[0], 0, 0);
          } finally {
            context.dispose();
          }
        };
    return Subject.doAs(client, ask);
  }
}
