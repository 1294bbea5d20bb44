using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("Sluice.Client.Tests")]
