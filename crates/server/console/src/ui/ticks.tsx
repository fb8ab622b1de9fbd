// A line of the server: what is between backticks is code.

export function Ticks({ text }: { text: string }) {
  if (!text.includes("`")) return <>{text}</>;
  const parts = text.split("`");
  // An odd number of backticks is no pair: the text stays as it is.
  if (parts.length % 2 === 0) return <>{text}</>;
  return <>{parts.map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</>;
}
