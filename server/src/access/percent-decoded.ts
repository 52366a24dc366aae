/** A text without its percent-encoding, as clients send keys, secrets and tokens either way; as it is where it is not valid encoding. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
