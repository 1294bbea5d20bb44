/**
 * Interface of the audit log of the actions of clients and operators. Entry point: {@link
 * AuditLog}. Imports no other package.
 */
package io.sluice.gateway.audit;
