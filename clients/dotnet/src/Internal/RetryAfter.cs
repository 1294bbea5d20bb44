using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Net.WebSockets;

namespace Sluice.Internal
{
    /// <summary>
    /// Wait that the refusal of a handshake requests: section 7 of the protocol. .NET 7 and later and the
    /// .NET Framework show the headers of a refusal; .NET Standard has no members for them.
    /// </summary>
    internal static class RetryAfter
    {
        private const string Header = "Retry-After";
        private const int MaxSeconds = 60;
        private const int MaxDigits = 9;

        /// <summary>Makes the socket keep the answer to its handshake, where the platform can.</summary>
        internal static void Prepare(ClientWebSocketOptions options)
        {
            options.GetType().GetProperty("CollectHttpResponseDetails")?.SetValue(options, true);
        }

        /// <summary>Returns the wait after the failure of a handshake; zero without one.</summary>
        internal static TimeSpan Of(object socket, Exception failure)
        {
            string value = null;
            object headers = socket.GetType().GetProperty("HttpResponseHeaders")?.GetValue(socket);
            if (headers is IEnumerable<KeyValuePair<string, IEnumerable<string>>> all)
            {
                value = all.Where(one => one.Key.Equals(Header, StringComparison.OrdinalIgnoreCase))
                    .SelectMany(one => one.Value)
                    .FirstOrDefault();
            }
            for (Exception cause = failure; cause != null && value == null; cause = cause.InnerException)
            {
                value = (cause as WebException)?.Response?.Headers[Header];
            }
            return Parse(value);
        }

        /// <summary>Returns the wait of a header; zero unless it is a whole number of seconds.</summary>
        internal static TimeSpan Parse(string header)
        {
            if (string.IsNullOrEmpty(header) || header.Any(c => c < '0' || c > '9'))
            {
                return TimeSpan.Zero;
            }
            int seconds = header.Length > MaxDigits ? MaxSeconds : Math.Min(int.Parse(header), MaxSeconds);
            return TimeSpan.FromSeconds(seconds);
        }
    }
}
