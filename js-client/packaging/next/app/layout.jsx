export const metadata = { title: "Bundled client" };

export default function Layout({ children }) {
  return (
    <html lang="en" suppressHydrationWarning>
      <body>{children}</body>
    </html>
  );
}
