package io.sluice.gateway.cli;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.Settings;
import io.sluice.gateway.tls.TlsIdentity;
import io.sluice.gateway.tls.UnusableTls;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Search for certificates that are not valid at present. Stateless, for any thread. */
final class ExpiredCertificates {
  /** Keys of PEM files with certificates. */
  private static final Pattern KEY = Pattern.compile(".*[.-](certificate|ca|trust)");

  private ExpiredCertificates() {}

  /** Returns a line for each certificate that has expired or is not yet valid. */
  static List<String> of(Config config, Instant now) {
    List<String> found = new ArrayList<>();
    for (Setting<?> setting : Settings.all()) {
      if (KEY.matcher(setting.key()).matches() && config.get(setting) instanceof String file) {
        certificates(setting, file).forEach(each -> check(setting.key(), file, each, now, found));
      }
    }
    return found;
  }

  private static List<X509Certificate> certificates(Setting<?> setting, String file) {
    try {
      return TlsIdentity.authorities(setting, file);
    } catch (UnusableTls e) {
      return List.of(); // other checks report it
    }
  }

  private static void check(
      String key, String file, X509Certificate each, Instant now, List<String> found) {
    String subject = key + ": " + each.getSubjectX500Principal() + " in " + file;
    Instant end = each.getNotAfter().toInstant();
    Instant begin = each.getNotBefore().toInstant();
    if (now.isAfter(end)) {
      found.add(subject + " expired at " + end);
    } else if (now.isBefore(begin)) {
      found.add(subject + " is not valid before " + begin);
    }
  }
}
