/** Control, format and half characters, and what breaks a line. */
export const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** The same text in one line of characters that show: control, format and half characters are written as `\u....`. */
export const printable = (text: string): string =>
  text.replace(UNPRINTABLE, (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`)

/** The text, or as much of it as may be told of what a stranger wrote. */
export const shorten = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text)
