using System;

namespace Sluice.Internal
{
    /// <summary>Violation of the protocol by a frame; the message names the member.</summary>
    internal sealed class BadFrameException : Exception
    {
        internal BadFrameException(string message, Exception cause = null)
            : base(message, cause)
        {
        }
    }
}
