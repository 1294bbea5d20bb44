/** Static files of the operators' console. They contain no data and require no token. */
package io.sluice.gateway.admin.console;
