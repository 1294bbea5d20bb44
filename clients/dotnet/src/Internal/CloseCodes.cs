using System;

namespace Sluice.Internal
{
    /// <summary>Reaction of the client to the end of a connection.</summary>
    internal enum AfterClose
    {
        Retry,
        RetryElsewhere,
        DontRetry
    }

    /// <summary>Reactions to close codes, and backoff: section 7 of the protocol.</summary>
    internal static class CloseCodes
    {
        internal const int Draining = 4100;
        internal const int Unauthorized = 4200;
        internal const int Expired = 4201;
        private const int MaxDoublings = 30;
        private static readonly Random Jitter = new Random();

        internal static AfterClose After(int code)
        {
            if (code >= 4100 && code <= 4199)
            {
                return AfterClose.RetryElsewhere;
            }
            // Any other code may come from an intermediary.
            bool isFinal = code == 4200 || code == 4201 || (code >= 4203 && code <= 4205);
            return isFinal ? AfterClose.DontRetry : AfterClose.Retry;
        }

        /// <summary>Returns a random wait between 0 and a bound that doubles with each failure.</summary>
        internal static TimeSpan Backoff(int failures, TimeSpan minimum, TimeSpan maximum)
        {
            int doublings = Math.Min(Math.Max(0, failures - 1), MaxDoublings);
            double bound = minimum.TotalMilliseconds * Math.Pow(2, doublings);
            return TimeSpan.FromMilliseconds(NextDouble() * Math.Min(bound, maximum.TotalMilliseconds));
        }

        /// <summary>Returns a random number from 0 to 1; any thread may call it.</summary>
        internal static double NextDouble()
        {
            lock (Jitter)
            {
                return Jitter.NextDouble();
            }
        }
    }
}
