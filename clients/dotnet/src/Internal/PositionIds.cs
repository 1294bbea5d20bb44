using System.Collections.Generic;
using System.Linq;

namespace Sluice.Internal
{
    /// <summary>Identities of a position, newest last; of a source with offsets, the highest of each partition.</summary>
    internal sealed class PositionIds
    {
        private const int MaxLatest = 8;
        private const int MaxPartitions = 1024;
        private const int PartitionDigits = 4;

        private readonly LinkedList<string> _order = new LinkedList<string>();
        private readonly Dictionary<string, LinkedListNode<string>> _nodes =
            new Dictionary<string, LinkedListNode<string>>();

        /// <summary>Whether the source has offsets.</summary>
        internal bool IsOrdered { get; private set; }

        /// <summary>Begins with these identities.</summary>
        internal void Reset(IReadOnlyList<string> ids, bool isOrdered)
        {
            _order.Clear();
            _nodes.Clear();
            IsOrdered = isOrdered;
            foreach (string id in ids)
            {
                Raise(id);
            }
        }

        /// <summary>Adds the identity of a message; returns whether it is the highest one of its key.</summary>
        internal bool Raise(string id)
        {
            string highest = id;
            bool isLater = true;
            if (_nodes.TryGetValue(Key(id), out LinkedListNode<string> node))
            {
                _order.Remove(node);
                isLater = string.CompareOrdinal(node.Value, id) < 0;
                highest = isLater ? id : node.Value;
            }
            _nodes[Key(id)] = _order.AddLast(highest);
            if (_nodes.Count > (IsOrdered ? MaxPartitions : MaxLatest))
            {
                _nodes.Remove(Key(_order.First.Value));
                _order.RemoveFirst();
            }
            return isLater;
        }

        internal string[] ToArray()
        {
            return _order.ToArray();
        }

        private string Key(string id)
        {
            return IsOrdered ? id.Substring(0, PartitionDigits) : id;
        }
    }
}
