/** A sentence of the server: what stands between backticks is code. */
export const Sentence = ({ of }: { of: string }) => (
  <>{of.split('`').map((part, place) => (place % 2 === 1 ? <code key={place}>{part}</code> : part))}</>
)
