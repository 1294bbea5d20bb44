/** Common parts of requests for topics: URLs, CORS, credentials, errors. */
package io.sluice.gateway.streams.route;
