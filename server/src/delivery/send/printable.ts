/** Control, format and half characters, and what breaks a line. */
export const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Escapes control characters, format characters and lone surrogates as `\u....`; the result is one line. */
export const printable = (text: string): string =>
  text.replace(UNPRINTABLE, (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`)

/** Cuts a text to at most `max` characters and an ellipsis. */
export const shorten = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max)}…` : text)
