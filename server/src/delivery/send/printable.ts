const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** The same text in one line of characters that show: control, format and half characters are written as `\u....`. */
export const printable = (text: string): string =>
  text.replace(UNPRINTABLE, (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`)
