package io.sluice.gateway.metrics;

import com.codahale.metrics.jmx.ObjectNameFactory;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.config.NamingConvention;
import io.micrometer.core.instrument.util.HierarchicalNameMapper;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/**
 * Names of MBeans, such as {@code sluice:node=gw-1,name=sluice_connections_closed,code=1000}. Each
 * tag is a separate key, by which consoles group and scripts query. Immutable, for any thread.
 */
record MBeanNames(String node) implements HierarchicalNameMapper, ObjectNameFactory {
  static final String DOMAIN = "sluice";
  private static final String SPECIAL = ",=:\"*?\n\\";

  @Override
  public String toHierarchicalName(Meter.Id id, NamingConvention convention) {
    StringBuilder keys = new StringBuilder("name=").append(id.getConventionName(convention));
    for (Tag tag : id.getConventionTags(convention)) {
      keys.append(',').append(tag.getKey()).append('=').append(quoted(tag.getValue()));
    }
    return keys.toString();
  }

  @Override
  public ObjectName createName(String type, String domain, String keys) {
    String name = domain + ":node=" + quoted(node) + "," + keys;
    try {
      return new ObjectName(name);
    } catch (MalformedObjectNameException e) {
      throw new IllegalArgumentException("invalid MBean name: " + name, e);
    }
  }

  private static String quoted(String value) {
    boolean plain = !value.isEmpty() && value.chars().noneMatch(c -> SPECIAL.indexOf(c) >= 0);
    return plain ? value : ObjectName.quote(value);
  }
}
