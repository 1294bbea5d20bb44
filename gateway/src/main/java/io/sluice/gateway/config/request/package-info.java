/** Requests to configured services by HTTP: the reasons of their failures in words. */
package io.sluice.gateway.config.request;
