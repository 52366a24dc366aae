/** A text without its percent-encoding, as clients send keys, secrets and tokens either way; as it is where it is not valid encoding. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Whether a text has white space at its beginning or end. */
export const isPadded = (text: string): boolean => text.trim().length < text.length

export const PADDED = 'It has white space at its beginning or end, as a text that was read from a file. Trim it.'
