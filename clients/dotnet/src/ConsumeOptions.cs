using System;
using Newtonsoft.Json.Linq;

namespace Sluice
{
    /// <summary>Options of a consumer; all of them are optional.</summary>
    public sealed class ConsumeOptions
    {
        /// <summary>Maximum number of messages that are delivered and not settled; the default is 1.</summary>
        public int Credit { get; set; } = 1;

        /// <summary>JMS selector: only messages for which it is true arrive.</summary>
        public string Where { get; set; }

        /// <summary>
        /// Whether the handler settles each message. By default it is acknowledged when the handler
        /// returns, and released when it throws.
        /// </summary>
        public bool ManualAck { get; set; }

        /// <summary>Called with each state.</summary>
        public Action<ConsumerState> OnState { get; set; }

        /// <summary>Called with each error of the handler, of a settlement or of the consumer.</summary>
        public Action<SluiceException> OnError { get; set; }

        /// <summary>Returns the members of `consume` except its source and the credit.</summary>
        internal JObject ToMembers()
        {
            RequireCredit(Credit);
            JObject members = new JObject();
            if (Where != null)
            {
                members["where"] = Where.Trim().Length > 0
                    ? Where
                    : throw SluiceException.InvalidArgument("Where must not be blank");
            }
            return members;
        }

        internal static void RequireCredit(int credit)
        {
            if (credit < 0)
            {
                throw SluiceException.InvalidArgument("Credit must be at least 0, not " + credit);
            }
        }
    }
}
